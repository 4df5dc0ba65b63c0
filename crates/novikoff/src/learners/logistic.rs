//! Online logistic regression.

learner! {
    /// Logistic regression that needs no key and no scaling: the margin is the log-odds of the positive class.
    ///
    /// For tables whose columns have any scales, and wherever a probability is asked for. To multiply a feature by a number changes no answer. It learns from
    /// every row. With a constant feature, features that are far from 0 are learned as fast as others. O(nnz) per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::{Logistic, Perceptron}};
    ///
    /// let mut models = [
    ///     Model::builder(Perceptron::default()).build()?,
    ///     Model::builder(Logistic::default()).build()?,
    /// ];
    /// for t in 0..300_i16 {
    ///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(f32::from);
    ///     let y = Label::of(f64::from(x[0] + 2.0 * x[1]));
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&[1000.0 * x[0], 0.001 * x[1]]), [y])?;
    ///     }
    /// }
    /// assert_eq!(models.each_ref().map(|model| model.totals().mistakes), [64, 17]);
    ///
    /// let mut log_odds = Vec::new();
    /// models[1].scores(Row::dense(&[0.0, 0.001]), None, &mut log_odds);
    /// let probability = 1.0 / (1.0 + (-log_odds[0]).exp());
    /// assert!((0.8..1.0).contains(&probability), "{probability}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Logistic = "logistic" {}
}
