//! Learners that look for a large margin.

learner! {
    /// ROMMA, the relaxed online maximum margin algorithm: the shortest weights that satisfy the newest row and a half-space that
    /// stands for all older ones.
    ///
    /// For separable rows, and with noise for others: nearly the margin of a support vector machine for the price of a perceptron.
    /// O(nnz) per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::Romma};
    ///
    /// let mut models = [Model::builder("perceptron").build()?, Model::builder(Romma::aggressive()).build()?];
    /// for t in 0..300_u32 {
    ///     let bit = |j: u32| (t.wrapping_mul(2_654_435_761).wrapping_add(j * 40_503) >> (j % 16 + 8)) & 1;
    ///     let x: Vec<f32> = (0..64).map(|j| if bit(j) == 1 { 1.0 } else { -1.0 }).collect();
    ///     for model in &mut models {
    ///         let y = Label::of(f64::from(x[3] + x[40] + 0.5 * x[9]));
    ///         let _ = model.learn(Row::dense(&x), [y])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [61, 31]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Romma = "romma" {
        /// The square of a feature of its own for each example; above 0 where labels may be wrong, 0 unless given.
        noise: f64,
    }
}

impl Romma {
    /// Corrects right answers of a margin below 1 too.
    pub fn aggressive() -> Self {
        Romma(Self::default().0.with("aggressive", "on"))
    }

    /// Begins at phi(0), the row without values in the space of the kernel; without a kernel that is 0, as without this.
    pub fn from_phi0(self) -> Self {
        Romma(self.0.with("start", "phi0"))
    }
}

learner! {
    /// The ideal online maximum margin algorithm: a support vector machine of all rows so far, solved at every mistake.
    ///
    /// For few rows and the fewest mistakes: it is slow. Memory grows with the rows.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::MaxMargin};
    ///
    /// let mut models = [Model::builder("perceptron").build()?, Model::builder(MaxMargin::default()).build()?];
    /// for t in 0..300_u32 {
    ///     let bit = |j: u32| (t.wrapping_mul(2_654_435_761).wrapping_add(j * 40_503) >> (j % 16 + 8)) & 1;
    ///     let x: Vec<f32> = (0..64).map(|j| if bit(j) == 1 { 1.0 } else { -1.0 }).collect();
    ///     for model in &mut models {
    ///         let y = Label::of(f64::from(x[3] + x[40] + 0.5 * x[9]));
    ///         let _ = model.learn(Row::dense(&x), [y])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [61, 19]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    MaxMargin = "max-margin" {
        /// The square of a feature of its own for each example; above 0 where labels may be wrong, 0 unless given.
        noise: f64,
    }
}

impl MaxMargin {
    /// Begins at phi(0), the row without values in the space of the kernel; without a kernel that is 0, as without this.
    pub fn from_phi0(self) -> Self {
        MaxMargin(self.0.with("start", "phi0"))
    }
}

learner! {
    /// ALMA, Gentile's approximate maximal margin algorithm: a p-norm perceptron with steps and margins that shrink.
    ///
    /// Where [`Romma`] is considered and p-norms suit the features. Rows are divided by their p-norm. O(nnz) per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::Alma};
    ///
    /// let mut models = [Model::builder("perceptron").build()?, Model::builder(Alma::default().alpha(0.9)).build()?];
    /// for t in 0..300_u32 {
    ///     let bit = |j: u32| (t.wrapping_mul(2_654_435_761).wrapping_add(j * 40_503) >> (j % 16 + 8)) & 1;
    ///     let x: Vec<f32> = (0..64).map(|j| if bit(j) == 1 { 1.0 } else { -1.0 }).collect();
    ///     for model in &mut models {
    ///         let y = Label::of(f64::from(x[3] + x[40] + 0.5 * x[9]));
    ///         let _ = model.learn(Row::dense(&x), [y])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [61, 45]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Alma = "alma" {
        /// The norm, at least 2; 2 unless given.
        p: f64,
        /// How far from the maximum margin to stay, up to 1; 0.9 unless given.
        alpha: f64,
    }
}

learner! {
    /// The passive-aggressive learners PA, PA-I and PA-II move as little as it takes to give a row margin 1.
    ///
    /// For one pass over many sparse rows; the smaller c, the better for labels that are wrong. O(nnz) per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::PassiveAggressive};
    ///
    /// let mut models = [Model::builder("perceptron").build()?, Model::builder(PassiveAggressive::one(0.01)).build()?];
    /// for t in 0..200_i16 {
    ///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(f32::from);
    ///     let truth = f64::from(x[0] + 2.0 * x[1]);
    ///     let y = Label::of(if t % 10 == 3 { -truth } else { truth }); // one label in ten is wrong
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&x), [y])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [45, 28]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    PassiveAggressive = "passive-aggressive" {
        /// The aggressiveness of PA-I and PA-II; 1 unless given.
        c: f64,
    }
}

impl PassiveAggressive {
    /// PA: all the way to margin 1, for separable rows.
    pub fn hard() -> Self {
        Self::variant("pa")
    }

    /// PA-I: steps of at most c.
    pub fn one(c: f64) -> Self {
        Self::variant("1").c(c)
    }

    /// PA-II: steps softened by c.
    pub fn two(c: f64) -> Self {
        Self::variant("2").c(c)
    }

    fn variant(name: &str) -> Self {
        PassiveAggressive(Self::default().0.with("variant", name))
    }
}
