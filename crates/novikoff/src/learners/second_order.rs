//! Learners that know how features go together.

use std::fmt;

learner! {
    /// The second-order perceptron decorrelates the rows of its mistakes as it goes.
    ///
    /// For up to some thousand features that depend on each other, or for few mistakes in any number of features: of d features and k
    /// updates it keeps d^2/2 or k^2/2 numbers, whichever are fewer. O(nnz) per right answer, O(d^2) or O(k^2) per update.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::SecondOrder};
    ///
    /// let mut models = [Model::builder("perceptron").build()?, Model::builder(SecondOrder::fixed(1.0)).build()?];
    /// for t in 0..200_i16 {
    ///     // two features that are nearly the same, and whose difference matters
    ///     let (a, b) = (t * 7 % 13 - 6, t * 5 % 11 - 5);
    ///     let x = [10 * a + b, 10 * a - b].map(f32::from);
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&x), [Label::of(f64::from(b))])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [20, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    SecondOrder = "second-order" {
        /// Right answers up to this margin are corrected too, which needs O(d^2) per trial; 0 unless given.
        margin: f64,
    }
}

impl SecondOrder {
    /// With a fixed a: the larger it is, the nearer is the learner to the perceptron. The squared length of a row divided by ten is
    /// a good first guess.
    pub fn fixed(a: f64) -> Self {
        SecondOrder(Self::default().0.with("a", a))
    }

    /// With an a that fits the lengths of the first rows, which [`build_for`](crate::ModelBuilder::build_for) looks at: their mean squared
    /// length divided by ten.
    pub fn auto() -> Self {
        SecondOrder(Self::default().0.with("a", "auto"))
    }

    /// With an a that grows by `c` times the squared length of the longest row at each mistake; 0.1 is usual.
    pub fn adaptive(c: f64) -> Self {
        SecondOrder(Self::default().0.with("a", "adaptive").with("c", c))
    }

    /// With a = 0: the pseudo-inverse, and no parameter. For separable rows.
    pub fn parameterless() -> Self {
        SecondOrder(Self::default().0.with("a", "pinv"))
    }

    /// The squared length of the longest row, for [`adaptive`](Self::adaptive); the longest so far unless given.
    pub fn r2(self, r2: f64) -> Self {
        SecondOrder(self.0.with("r2", r2))
    }

    /// Keeps a number for each pair of features.
    pub fn primal(self) -> Self {
        SecondOrder(self.0.with("form", "primal"))
    }

    /// Keeps a number for each pair of updates.
    pub fn dual(self) -> Self {
        SecondOrder(self.0.with("form", "dual"))
    }

    /// Keeps the diagonal of the matrix alone: an approximation in O(d) memory, without a theorem.
    pub fn diagonal(self) -> Self {
        SecondOrder(self.0.with("form", "diagonal"))
    }

    /// Keeps `rank` directions of the matrix: an approximation in O(rank d) memory, without a theorem.
    pub fn sketch(self, rank: u32) -> Self {
        SecondOrder(self.0.with("form", "sketch").with("rank", rank))
    }
}

/// How far update k of a [`HigherOrder`] perceptron transforms rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// c/k.
    Harmonic,
    /// c/k, or nothing where that helps little.
    Sparse,
    /// The most that is safe.
    Cap,
    /// c.
    Constant,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Schedule::Harmonic => "harmonic",
            Schedule::Sparse => "sparse",
            Schedule::Cap => "cap",
            Schedule::Constant => "constant",
        })
    }
}

learner! {
    /// The higher-order perceptron transforms rows by those of its mistakes, for any p-norm.
    ///
    /// Where [`SecondOrder`] is considered: it has its advantage also with the p-norms that suit many features. It wants rows of norm 1, and
    /// divides them by theirs unless [`normalize`](crate::ModelBuilder::normalize) says otherwise. O(nnz) per right answer; an update
    /// costs as much as the cheapest of its forms.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::HigherOrder};
    ///
    /// let mut models = [Model::builder("perceptron").build()?, Model::builder(HigherOrder::new(0.4)).build()?];
    /// for t in 0..200_i16 {
    ///     // two features that are nearly the same, and whose difference matters
    ///     let (a, b) = (t * 7 % 13 - 6, t * 5 % 11 - 5);
    ///     let x = [10 * a + b, 10 * a - b].map(f32::from);
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&x), [Label::of(f64::from(b))])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [20, 13]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    HigherOrder = "higher-order" {
        /// How far rows are transformed, from 0, which is the p-norm perceptron, to 1; 0.4 unless given.
        c: f64,
        /// The norm, at least 2; 2 unless given.
        p: f64,
        /// How far update k transforms rows; [`Schedule::Harmonic`] unless given.
        schedule: Schedule,
        /// Right answers up to this margin are corrected too; 0 unless given.
        margin: f64,
    }
}

impl HigherOrder {
    /// With this c.
    pub fn new(c: f64) -> Self {
        Self::default().c(c)
    }

    /// Keeps a number for each pair of features.
    pub fn primal(self) -> Self {
        HigherOrder(self.0.with("form", "primal"))
    }

    /// Keeps a number for each pair of updates; for p = 2.
    pub fn dual(self) -> Self {
        HigherOrder(self.0.with("form", "dual"))
    }

    /// Keeps the rows of its updates.
    pub fn implicit(self) -> Self {
        HigherOrder(self.0.with("form", "implicit"))
    }

    /// Keeps a vector for each update.
    pub fn low_rank(self) -> Self {
        HigherOrder(self.0.with("form", "low-rank"))
    }
}

learner! {
    /// AROW, adaptive regularisation of weights: a weight with a confidence for each feature, or for each pair.
    ///
    /// For text and other sparse rows with labels that are sometimes wrong: unsure weights move most, and every row of a margin below 1
    /// counts. O(nnz) per trial and O(d) memory; in the full form O(d^2).
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::Arow};
    ///
    /// let mut models = [
    ///     Model::builder("perceptron").build()?,
    ///     Model::builder(Arow::diagonal()).build()?,
    ///     Model::builder(Arow::full()).build()?,
    /// ];
    /// for t in 0..300_u32 {
    ///     let bit = |j: u32| (t.wrapping_mul(2_654_435_761).wrapping_add(j * 40_503) >> (j % 16 + 8)) & 1;
    ///     let x: Vec<f32> = (0..64).map(|j| if bit(j) == 1 { 1.0 } else { -1.0 }).collect();
    ///     for model in &mut models {
    ///         let y = Label::of(f64::from(x[3] + x[40] + 0.5 * x[9]));
    ///         let _ = model.learn(Row::dense(&x), [y])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [61, 29, 20]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Arow = "arow" {
        /// The larger, the smaller the steps; 1 unless given.
        r: f64,
    }
}

impl Arow {
    /// A confidence for each feature; the default.
    pub fn diagonal() -> Self {
        Arow(Self::default().0.with("form", "diagonal"))
    }

    /// A confidence for each pair of features, which the theorem is about.
    pub fn full() -> Self {
        Arow(Self::default().0.with("form", "full"))
    }
}
