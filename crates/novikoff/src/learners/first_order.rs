//! The perceptron and those that learn as it does.

learner! {
    /// Rosenblatt's perceptron adds the row, times its label, to its weights when it was wrong.
    ///
    /// The learner to begin with, and the one to beat: it has no key that must be right, and its theorem (Block, Novikoff) is the
    /// simplest. O(nnz) per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::Perceptron};
    ///
    /// let mut model = Model::builder(Perceptron::default()).build()?;
    /// for t in 0..200_i16 {
    ///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(f32::from);
    ///     let y = Label::of(f64::from(x[0] + 2.0 * x[1]));
    ///     let _ = model.learn(Row::dense(&x), [y])?;
    /// }
    /// assert_eq!((model.totals().mistakes, model.totals().updates), (10, 10));
    /// let (of, w) = (model.learner(), model.learner().weights(0));
    /// assert_eq!((of.lanes(), w[2] / w[1]), (1, 2.0)); // slot 0 is the constant feature
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Perceptron = "perceptron" {
        /// Right answers up to this margin are corrected too; 0 unless given.
        margin: f64,
    }
}

impl Perceptron {
    /// The margin perceptron, which also corrects right answers of a margin up to `margin`: fewer mistakes later, for more updates.
    pub fn with_margin(margin: f64) -> Self {
        Self::default().margin(margin)
    }
}

learner! {
    /// The averaged perceptron learns as the perceptron does and predicts by the average of its weights.
    ///
    /// For labels that are sometimes wrong: mistakes while learning are the perceptron's, and the predictor that is left behind is much
    /// better than its last weights. O(nnz) per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Hypothesis, Label, Model, Row, learners::Averaged};
    ///
    /// let row = |t: i16| [t * 7 % 13 - 6, t * 5 % 11 - 5].map(f32::from);
    /// let truth = |x: &[f32; 2]| Label::of(f64::from(x[0] + 2.0 * x[1]));
    /// let mut model = Model::builder(Averaged::default()).build()?;
    /// for t in 0..200 {
    ///     let x = row(t);
    ///     let wrong = t % 10 == 3; // one label in ten
    ///     let y = if wrong { Label::of(-truth(&x).sign()) } else { truth(&x) };
    ///     let _ = model.learn(Row::dense(&x), [y])?;
    /// }
    /// let errors = |by| (0..200).map(row).filter(|x| {
    ///     let mut scores = Vec::new();
    ///     model.scores(Row::dense(x), Some(by), &mut scores);
    ///     Label::of(scores[0]) != truth(x)
    /// }).count();
    /// assert_eq!([Hypothesis::Final, Hypothesis::Averaged].map(errors), [53, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Averaged = "averaged" {}
}

learner! {
    /// The voted perceptron learns as the perceptron does, and all weights that it ever had vote.
    ///
    /// Where [`Averaged`] is considered and its memory is no matter: a prediction visits every update. O(nnz) per trial,
    /// O(updates) memory.
    ///
    /// ```
    /// use novikoff::{Hypothesis, Label, Model, Row, learners::Voted};
    ///
    /// let mut model = Model::builder(Voted::default()).build()?;
    /// for t in 0..200_i16 {
    ///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(f32::from);
    ///     let y = Label::of(f64::from(x[0] + 2.0 * x[1]));
    ///     let _ = model.learn(Row::dense(&x), [y])?;
    /// }
    /// assert_eq!(model.totals().mistakes, 10);
    /// assert_eq!(model.learner().hypotheses()[0], Hypothesis::Voted);
    /// assert_eq!(model.classify(Row::dense(&[1.0, 1.0])), "+1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Voted = "voted" {}
}

learner! {
    /// A perceptron whose weights have length 1 after every pass.
    ///
    /// A baseline of published experiments that go over their rows many times; it is no better than the perceptron in one pass.
    /// O(nnz) per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, Rows, learners::NormalisedPerceptron, run};
    ///
    /// let mut rows = Rows::new();
    /// for t in 0..200_i16 {
    ///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(f32::from);
    ///     rows.add(Label::of(f64::from(x[0] + 2.0 * x[1])), Row::dense(&x));
    /// }
    /// let mut model = Model::builder(NormalisedPerceptron::default().eta(0.1)).build()?;
    /// let mut ledger = run::Ledger::begin(&mut model);
    /// run::block(&mut model, rows.view(), 0..rows.len(), run::Position::default(), &mut ())?;
    /// ledger.end_epoch(&mut model); // the end of a pass
    /// let square: f64 = model.learner().weights(0).iter().map(|w| w * w).sum();
    /// assert!((square - 1.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    NormalisedPerceptron = "normalised-perceptron" {
        /// The learning rate; 0.001 unless given.
        eta: f64,
    }
}

#[cfg(feature = "linalg")]
learner! {
    /// A perceptron on rows that are decorrelated beforehand, for which it must see all of them, without labels, first.
    ///
    /// What [`SecondOrder`](super::SecondOrder) does as it goes, done with hindsight: for comparisons. O(nnz^2) per row and O(d^3) once
    /// beforehand, O(nnz) per prediction, O(d^2) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::Whitened};
    ///
    /// // two features that are nearly the same, and whose difference matters
    /// let row = |t: i16| [10 * (t * 7 % 13 - 6) + t * 5 % 11 - 5, 10 * (t * 7 % 13 - 6) - (t * 5 % 11 - 5)].map(f32::from);
    /// let mut models = [Model::builder("perceptron").build()?, Model::builder(Whitened::default()).build()?];
    /// (0..200).try_for_each(|t| models[1].survey(Row::dense(&row(t))))?;
    /// models[1].end_survey();
    /// for x in (0..200).map(row) {
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&x), [Label::of(f64::from(x[0] - x[1]))])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [20, 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Whitened = "whitened" {
        /// Added to the diagonal of the correlation matrix; 0 unless given.
        ridge: f64,
    }
}

learner! {
    /// A perceptron whose old mistakes fade.
    ///
    /// For targets that move: what was right a while ago need not be right now. Its certificate compares it with a sequence of vectors.
    /// O(nnz) per trial, O(d) memory.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::Shifting};
    ///
    /// let mut models = [Model::builder("perceptron").build()?, Model::builder(Shifting::new(3.0)).build()?];
    /// for t in 0..2000_i16 {
    ///     let (a, b) = (f32::from(t % 13 * 7 % 13 - 6), f32::from(t % 11 * 5 % 11 - 5));
    ///     let threshold = if t / 250 % 2 == 0 { 9.5 } else { -9.5 }; // it moves every 250 rows
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&[1.0, a, b]), [Label::of(f64::from(a + 2.0 * b - threshold))])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [318, 267]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Shifting = "shifting" {
        /// How fast old mistakes fade; 1 is the perceptron, 2 unless given.
        lambda: f64,
    }
}

impl Shifting {
    /// With this lambda.
    pub fn new(lambda: f64) -> Self {
        Self::default().lambda(lambda)
    }
}
