//! What all theorems look at: the trials on rows that are not zero, `|x|^2`, `U.x` and `xi` of each, and `|U|`.

use crate::{Kernel, Parameter, Recomputed, Row, Run, Trial, Vector};

/// A trial on a row that is not zero.
pub(crate) struct TrialView<'a> {
    pub(crate) row: usize,
    pub(crate) x: &'a Row,
    pub(crate) y: f64,
    pub(crate) mistake: bool,
    pub(crate) updated: bool,
    /// `K(x, x)`.
    pub(crate) square: f64,
    /// `U.x`.
    pub(crate) value: f64,
    /// `max(0, 1 - y U.x)`.
    pub(crate) xi: f64,
}

/// A run with U.
pub(crate) struct View<'a> {
    pub(crate) run: &'a Run<'a>,
    pub(crate) trials: Vec<TrialView<'a>>,
    /// Trials on zero rows.
    zero: u64,
    /// `|U|^2`, in the space of the kernel.
    pub(crate) norm_sq: f64,
}

/// What a theorem says, zero rows left out.
pub(crate) struct Said {
    pub(crate) counts_updates: bool,
    pub(crate) expected: bool,
    pub(crate) bound: f64,
    /// The terms before the last, which is the rest of the bound and has this name.
    pub(crate) parts: Vec<(&'static str, f64)>,
    pub(crate) rest: &'static str,
    pub(crate) ingredients: Vec<(&'static str, f64)>,
    pub(crate) norm: f64,
    pub(crate) has_hinge: bool,
}

impl Said {
    /// A bound of mistakes with a hinge loss; `hinge` is the part that stands for that loss.
    pub(crate) fn new(bound: f64, hinge: f64, rest: &'static str, norm: f64) -> Self {
        Said {
            counts_updates: false,
            expected: false,
            bound,
            parts: vec![("hinge", hinge)],
            rest,
            ingredients: Vec::new(),
            norm,
            has_hinge: true,
        }
    }

    pub(crate) fn made_of(mut self, ingredients: &[(&'static str, f64)]) -> Self {
        self.ingredients.extend_from_slice(ingredients);
        self
    }

    /// A zero row adds 1 to the bound, and a mistake on it counts. Updates are never of zero rows.
    pub(crate) fn with_zero_rows(self, view: &View<'_>) -> Recomputed {
        let count = |wanted: fn(&Trial) -> bool| {
            let trials = view.run.trials.iter();
            trials.filter(|t| wanted(t)).count() as u64
        };
        let mistakes = count(|t| t.mistake);
        let counted = if self.counts_updates {
            count(|t| t.updated)
        } else {
            mistakes
        };
        let known: f64 = self.parts.iter().map(|(_, part)| part).sum();
        let mut terms = self.parts;
        terms.push((self.rest, self.bound - known));
        terms.push(("zero_rows", view.zero as f64));
        Recomputed {
            counts_updates: self.counts_updates,
            expected: self.expected,
            mistakes,
            counted,
            bound: self.bound + view.zero as f64,
            terms,
            ingredients: self.ingredients,
            norm: self.norm,
            hinge: self.has_hinge.then(|| view.hinge() + view.zero as f64),
        }
    }
}

impl<'a> View<'a> {
    pub(crate) fn new(run: &'a Run<'a>) -> Result<Self, String> {
        let value = |x: &Row| match run.comparator {
            Vector::Weights(u) => dot(u, x),
            Vector::Sum(terms) => terms.iter().map(|(c, s)| c * run.kernel.value(s, x)).sum(),
        };
        let norm_sq = match (run.comparator, run.kernel) {
            (Vector::Weights(u), Kernel::LINEAR) => u.iter().map(|u| u * u).sum(),
            (Vector::Sum(terms), _) => terms.iter().map(|(c, s)| c * value(s)).sum(),
            (Vector::Weights(_), _) => {
                return Err("U has weights of features, and the run has a kernel".to_owned());
            }
        };
        let about: Vec<(f64, f64)> = run
            .rows
            .iter()
            .map(|x| (run.kernel.value(x, x), value(x)))
            .collect();
        let mut view = View {
            run,
            trials: Vec::new(),
            zero: 0,
            norm_sq,
        };
        for trial in run.trials {
            let (square, value) = about[trial.row];
            if square == 0.0 {
                view.zero += 1;
                continue;
            }
            let y = run.labels[trial.row];
            view.trials.push(TrialView {
                row: trial.row,
                x: &run.rows[trial.row],
                y,
                mistake: trial.mistake,
                updated: trial.updated,
                square,
                value,
                xi: (1.0 - y * value).max(0.0),
            });
        }
        Ok(view)
    }

    /// L(U).
    pub(crate) fn hinge(&self) -> f64 {
        self.trials.iter().map(|t| t.xi).sum()
    }

    /// `sum xi^2`.
    pub(crate) fn slacks(&self) -> f64 {
        self.trials.iter().map(|t| t.xi * t.xi).sum()
    }

    /// `|U|`.
    pub(crate) fn norm(&self) -> f64 {
        self.norm_sq.max(0.0).sqrt()
    }

    /// R, the length of the longest row.
    pub(crate) fn longest(&self) -> f64 {
        let squares = self.trials.iter().map(|t| t.square);
        squares.fold(0.0, f64::max).sqrt()
    }

    pub(crate) fn updates(&self) -> impl Iterator<Item = &TrialView<'a>> + Clone {
        self.trials.iter().filter(|t| t.updated)
    }

    pub(crate) fn mistakes(&self) -> impl Iterator<Item = &TrialView<'a>> + Clone {
        self.trials.iter().filter(|t| t.mistake)
    }

    /// The least `y U.x`, which must be positive.
    pub(crate) fn least(&self) -> Result<f64, String> {
        let margins = self.trials.iter().map(|t| t.y * t.value);
        let least = margins.fold(f64::INFINITY, f64::min);
        if least > 0.0 {
            Ok(least)
        } else {
            Err("the theorem is about rows that U separates, and it does not".to_owned())
        }
    }

    /// A parameter that is a number.
    pub(crate) fn number(&self, name: &str) -> Result<f64, String> {
        match self.parameter(name) {
            Some(Parameter::Number(number)) => Ok(*number),
            _ => Err(format!("the parameter {name} is missing, or no number")),
        }
    }

    /// A parameter that is a word; empty if it is none.
    pub(crate) fn word(&self, name: &str) -> &str {
        match self.parameter(name) {
            Some(Parameter::Word(word)) => word,
            _ => "",
        }
    }

    fn parameter(&self, name: &str) -> Option<&Parameter> {
        let found = self.run.parameters.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value)
    }

    /// U by slot, for theorems without a kernel.
    pub(crate) fn weights(&self) -> Result<&'a [f64], String> {
        match (self.run.comparator, self.run.kernel) {
            (Vector::Weights(u), Kernel::LINEAR) => Ok(u),
            _ => Err("the theorem is evaluated without a kernel only".to_owned()),
        }
    }

    /// Every mistake was an update.
    pub(crate) fn learns_from_mistakes(&self) -> Result<(), String> {
        match self.trials.iter().find(|t| t.mistake && !t.updated) {
            None => Ok(()),
            Some(t) => Err(format!(
                "row {} was a mistake and no update, which this learner does not do",
                t.row
            )),
        }
    }

    /// Every update was a mistake, too.
    pub(crate) fn learns_from_mistakes_only(&self) -> Result<(), String> {
        self.learns_from_mistakes()?;
        match self.trials.iter().find(|t| t.updated && !t.mistake) {
            None => Ok(()),
            Some(t) => Err(format!(
                "row {} was an update and no mistake, which this learner does not do",
                t.row
            )),
        }
    }

    /// With a margin beta > 0 updates are counted, mistakes among them; without, updates are mistakes.
    pub(crate) fn learns_by_margin(&self, beta: f64) -> Result<bool, String> {
        if beta > 0.0 {
            self.learns_from_mistakes()?;
        } else {
            self.learns_from_mistakes_only()?;
        }
        Ok(beta > 0.0)
    }
}

/// `u.x`; slots past the end of u are zero.
pub(crate) fn dot(u: &[f64], x: &Row) -> f64 {
    let known = x.iter().filter(|(j, _)| *j < u.len());
    known.map(|(j, v)| u[*j] * v).sum()
}

/// `(sum |v|^p)^(1/p)`.
pub(crate) fn norm(values: impl Iterator<Item = f64> + Clone, p: f64) -> f64 {
    let top = values.clone().fold(0.0_f64, |top, v| top.max(v.abs()));
    if top == 0.0 {
        return 0.0;
    }
    let sum: f64 = values.map(|v| libm::pow(v.abs() / top, p)).sum();
    top * libm::pow(sum, 1.0 / p)
}

/// `|x|_p`.
pub(crate) fn norm_of(x: &Row, p: f64) -> f64 {
    norm(x.iter().map(|(_, v)| *v), p)
}

/// E(L, b): the largest m with `m <= L + b sqrt(m)`.
pub(crate) fn solved(hinge: f64, b: f64) -> f64 {
    let root = f64::midpoint(b, (b * b + 4.0 * hinge).sqrt());
    root * root
}
