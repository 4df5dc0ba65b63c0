//! Learners that ask for labels.

use super::{Perceptron, SecondOrder};

learner! {
    /// Selective sampling asks for the label of a row when it is not sure, and learns from those labels only.
    ///
    /// For labels that cost money: mistakes are counted on all trials, asked for or not. Half the squared length of the longest row is a
    /// natural b. Costs are those of the learner underneath.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::{Selective, Perceptron}};
    ///
    /// let selective = Selective::perceptron(Perceptron::default()).b(30.0);
    /// let mut model = Model::builder(selective).build()?;
    /// for t in 0..2000_i32 {
    ///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(|v| v as f32);
    ///     let y = Label::of(f64::from(x[0] + 2.0 * x[1]));
    ///     let _ = model.learn(Row::dense(&x), [y])?;
    /// }
    /// assert_eq!((model.totals().mistakes, model.totals().updates), (19, 15));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Selective = "selective" {
        /// The larger, the more it asks; 1 unless given.
        b: f64,
        /// The seed of the coins, up to 2^53; 0 unless given.
        seed: u64,
    }
}

impl Selective {
    /// Over a perceptron; the default.
    pub fn perceptron(base: Perceptron) -> Self {
        Self::over(base.0)
    }

    /// Over a second-order perceptron with a fixed a, in the forms primal, dual or the smaller of both.
    pub fn second_order(base: SecondOrder) -> Self {
        Self::over(base.0)
    }

    /// With a b that fits the lengths of the first rows, which [`build_for`](crate::ModelBuilder::build_for) looks at: half the squared length
    /// of the longest.
    pub fn auto_b(self) -> Self {
        Selective(self.0.with("b", "auto"))
    }

    fn over(base: super::UncheckedSpec) -> Self {
        let mut selective = Self::default();
        selective.0.base = Some(Box::new(base));
        selective
    }
}
