//! Learners for targets that few of many features decide.

learner! {
    /// The p-norm perceptron: between the perceptron (p = 2) and Winnow (p of order ln d).
    ///
    /// For rows with many features where few matter, with values of both signs. O(nnz) per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::PNorm};
    ///
    /// let mut models = [Model::builder("perceptron").build()?, Model::builder(PNorm::auto()).width(64).build()?];
    /// for t in 0..300_u32 {
    ///     let bit = |j: u32| (t.wrapping_mul(2_654_435_761).wrapping_add(j * 40_503) >> (j % 16 + 8)) & 1;
    ///     let x: Vec<f32> = (0..64).map(|j| if bit(j) == 1 { 1.0 } else { -1.0 }).collect();
    ///     let y = Label::of(f64::from(x[3] + x[40] + 0.5 * x[9])); // 3 features of 64
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&x), [y])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [61, 38]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    PNorm = "p-norm" {
        /// The norm, at least 2; 8 unless given.
        p: f64,
        /// Right answers up to this margin are corrected too; 0 unless given.
        margin: f64,
    }
}

impl PNorm {
    /// With this norm.
    pub fn new(p: f64) -> Self {
        Self::default().p(p)
    }

    /// With p = 2 ln d: the builder of the model needs the [width](crate::ModelBuilder::width) d.
    pub fn auto() -> Self {
        PNorm(Self::default().0.with("p", "auto"))
    }
}

learner! {
    /// Littlestone's Winnow multiplies weights, all of them positive.
    ///
    /// For thousands of features that are there or not, where a few decide. It takes no negative values. The builder of the
    /// model needs the [width](crate::ModelBuilder::width) d unless a threshold is given. O(nnz) per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::Winnow};
    ///
    /// let mut models = [Model::builder("perceptron").build()?, Model::builder(Winnow::default()).width(50).build()?];
    /// for t in 0..300_u32 {
    ///     let x: Vec<f32> = (0..50).map(|j| f32::from((t * (2 * j + 3) + j * j) % 7 < 2)).collect();
    ///     let y = if x[0] + x[7] + x[31] > 0.0 { Label::Pos } else { Label::Neg };
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&x), [y])?;
    ///     }
    /// }
    /// // without a constant feature the perceptron has no way to turn the empty rows down
    /// assert_eq!(models.map(|model| model.totals().mistakes), [90, 7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Winnow = "winnow" {
        /// The factor of an update, above 1; 1.5 unless given.
        alpha: f64,
        /// The threshold; the number of features unless given.
        theta: f64,
    }
}

learner! {
    /// Winnow with a weight for and one against each feature.
    ///
    /// For rows with many features where few matter, with values of both signs. The same learner as [`Eg`] with `eta = ln alpha`. O(nnz)
    /// per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::{BalancedWinnow, Eg}};
    ///
    /// let winnow = BalancedWinnow::default().alpha(0.5_f64.exp());
    /// let mut models = [Model::builder(winnow).build()?, Model::builder(Eg::default().eta(0.5)).build()?];
    /// for t in 0..300_u32 {
    ///     let bit = |j: u32| (t.wrapping_mul(2_654_435_761).wrapping_add(j * 40_503) >> (j % 16 + 8)) & 1;
    ///     let x: Vec<f32> = (0..64).map(|j| if bit(j) == 1 { 1.0 } else { -1.0 }).collect();
    ///     let y = Label::of(f64::from(x[3] + x[40] + 0.5 * x[9]));
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&x), [y])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [30, 30]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    BalancedWinnow = "balanced-winnow" {
        /// The factor of an update, above 1; 1.1 unless given.
        alpha: f64,
    }
}

learner! {
    /// The normalised exponentiated gradient, EG+-: weights are multiplied, and their sizes sum to 1.
    ///
    /// For rows with many features where few matter, with values of both signs and of one size. O(nnz) per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::Eg};
    ///
    /// let mut models = [Model::builder("perceptron").build()?, Model::builder(Eg::default().eta(0.5)).build()?];
    /// for t in 0..300_u32 {
    ///     let bit = |j: u32| (t.wrapping_mul(2_654_435_761).wrapping_add(j * 40_503) >> (j % 16 + 8)) & 1;
    ///     let x: Vec<f32> = (0..64).map(|j| if bit(j) == 1 { 1.0 } else { -1.0 }).collect();
    ///     let y = Label::of(f64::from(x[3] + x[40] + 0.5 * x[9])); // 3 features of 64
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&x), [y])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [61, 30]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Eg = "eg" {
        /// The learning rate; 0.1 unless given.
        eta: f64,
    }
}

learner! {
    /// Winnow with positive weights that sum to 1, and a threshold.
    ///
    /// A baseline of published experiments. The builder of the model needs the [width](crate::ModelBuilder::width) unless
    /// [`features`](Self::features) is given. O(nnz) per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::NormalisedWinnow};
    ///
    /// let mut model = Model::builder(NormalisedWinnow::default().eta(0.1).features(50)).build()?;
    /// for t in 0..300_u32 {
    ///     let x: Vec<f32> = (0..50).map(|j| f32::from((t * (2 * j + 3) + j * j) % 7 < 2)).collect();
    ///     let y = if x[0] + x[7] + x[31] > 0.0 { Label::Pos } else { Label::Neg };
    ///     let _ = model.learn(Row::dense(&x), [y])?;
    /// }
    /// assert_eq!(model.totals().mistakes, 13);
    /// let sum: f64 = model.learner().weights(0).iter().sum();
    /// assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    NormalisedWinnow = "normalised-winnow" {
        /// The learning rate; 0.001 unless given.
        eta: f64,
        /// The threshold; 0.1 unless given.
        theta: f64,
        /// How many features share the weight at first; their number unless given.
        features: u32,
    }
}
