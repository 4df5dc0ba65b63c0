//! Several learners at once.

use crate::spec::Spec;

learner! {
    /// The weighted majority of several learners: nobody has to choose one.
    ///
    /// Every learner is given every row after a preparation of its own, and the label with the most weight behind it is the answer. Weights
    /// fall with mistakes, so that the majority makes few more than the best of the learners. It costs at most [`cost`](Auto::cost) times
    /// what the perceptron does.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, Spec, learners::{Auto, PassiveAggressive, Perceptron}};
    ///
    /// let experts = [Spec::try_from(Perceptron::default())?, PassiveAggressive::one(1.0).try_into()?];
    /// let mut model = Model::builder(Auto::of(&experts)).build()?;
    /// for t in 0..2000_i32 {
    ///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(|v| v as f32);
    ///     let y = Label::of(f64::from(x[0] + 2.0 * x[1]));
    ///     let _ = model.learn(Row::dense(&x), [y])?;
    /// }
    /// let panel = model.learner().panel().ok_or("no experts")?;
    /// let mistakes: Vec<u64> = panel.experts.iter().map(|expert| expert.mistakes).collect();
    /// assert!(model.totals().mistakes <= *mistakes.iter().max().ok_or("none")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Auto = "auto" {
        /// What a mistake multiplies a weight by; from more than 0 to less than 1.
        beta: f64,
        /// The part of its weight that a learner gives to the others after a mistake of the majority; with a fixed beta only.
        share: f64,
        /// The most that all may cost, in passes of the perceptron; 8 unless given.
        cost: f64,
    }
}

impl Auto {
    /// Of these learners, each with what its spec says of its rows after `@`.
    pub fn of(experts: &[Spec]) -> Self {
        let mut auto = Self::default();
        auto.0.parts = experts.iter().map(ToString::to_string).collect();
        auto
    }

    /// With a rate that falls as mistakes are made; the default.
    pub fn auto_beta(self) -> Self {
        Auto(self.0.with("beta", "auto"))
    }
}
