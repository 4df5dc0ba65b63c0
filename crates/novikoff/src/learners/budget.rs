//! Learners that keep a bounded number of rows, for kernels.

learner! {
    /// The Forgetron: a perceptron on a budget of rows that shrinks its weights and forgets its oldest row.
    ///
    /// For kernels on streams without end, with a theorem for a budget. At most `budget` kernel values per trial, and as many rows in memory.
    ///
    /// ```
    /// use novikoff::{Kernel, Label, Model, Row, learners::Forgetron};
    ///
    /// let kernel = Kernel::parse("gaussian:gamma=1")?;
    /// let mut model = Model::builder(Forgetron::new(20)).kernel(kernel).build()?;
    /// for t in 0..400_i16 {
    ///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(|v| f32::from(v) / 5.0);
    ///     let y = Label::of(f64::from(x[0] * x[0] + x[1] * x[1]) - 0.7); // inside or outside of a circle
    ///     let _ = model.learn(Row::dense(&x), [y])?;
    /// }
    /// assert_eq!((model.totals().mistakes, model.learner().stored()), (79, Some(20)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Forgetron = "forgetron" {
        /// Rows kept at most by the whole model; 100 unless given.
        budget: u32,
    }
}

impl Forgetron {
    /// With this budget.
    pub fn new(budget: u32) -> Self {
        Self::default().budget(budget)
    }
}

learner! {
    /// A perceptron on a budget of rows that forgets one drawn at random.
    ///
    /// For kernels on streams without end: simpler than [`Forgetron`], and without a certificate, for its theorem is about what is
    /// expected. At most `budget` kernel values per trial, and as many rows in memory; rows that are equal are kept once.
    ///
    /// ```
    /// use novikoff::{Kernel, Label, Model, Row, learners::RandomBudget};
    ///
    /// let kernel = Kernel::parse("gaussian:gamma=1")?;
    /// let mut model = Model::builder(RandomBudget::new(20).seed(7)).kernel(kernel).build()?;
    /// for t in 0..400_i16 {
    ///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(|v| f32::from(v) / 5.0);
    ///     let y = Label::of(f64::from(x[0] * x[0] + x[1] * x[1]) - 0.7); // inside or outside of a circle
    ///     let _ = model.learn(Row::dense(&x), [y])?;
    /// }
    /// assert_eq!((model.totals().mistakes, model.learner().stored()), (84, Some(19)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    RandomBudget = "random-budget" {
        /// Rows kept at most by the whole model; 100 unless given.
        budget: u32,
        /// The seed of the draws, up to 2^53; 0 unless given.
        seed: u64,
    }
}

impl RandomBudget {
    /// With this budget.
    pub fn new(budget: u32) -> Self {
        Self::default().budget(budget)
    }
}

learner! {
    /// The Projectron keeps rows that differ from those it has, and learns projections of the others.
    ///
    /// For kernels where rows are like each other: it makes about the mistakes of the perceptron with fewer rows, whose number is
    /// bounded wherever the rows are. With k rows kept O(k^2) per update, and k kernel values per trial.
    ///
    /// ```
    /// use novikoff::{Kernel, Label, Model, Row, learners::Projectron};
    ///
    /// let kernel = Kernel::parse("poly:degree=2")?;
    /// let mut models = [
    ///     Model::builder("perceptron").kernel(kernel).build()?,
    ///     Model::builder(Projectron::default()).kernel(kernel).build()?,
    /// ];
    /// for t in 0..400_i16 {
    ///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(|v| f32::from(v) / 5.0);
    ///     let y = Label::of(f64::from(x[0] * x[0] + x[1] * x[1]) - 0.7); // inside or outside of a circle
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&x), [y])?;
    ///     }
    /// }
    /// assert_eq!(models.each_ref().map(|model| model.totals().mistakes), [52, 52]);
    /// assert_eq!(models.map(|model| model.learner().stored()), [Some(37), Some(6)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Projectron = "projectron" {
        /// How far from the others a row may be and not be kept; 0.1 unless given.
        eta: f64,
    }
}

impl Projectron {
    /// With an eta that fits the lengths of the first rows, which [`build_for`](crate::ModelBuilder::build_for) looks at: a tenth of the root
    /// of their mean squared length.
    pub fn auto_eta(self) -> Self {
        Projectron(self.0.with("eta", "auto"))
    }

    /// Projectron++, which corrects right answers of a margin below 1 too, if that needs no row more.
    pub fn plus() -> Self {
        Projectron(Self::default().0.with("plus", "on"))
    }
}
