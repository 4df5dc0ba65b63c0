//! Every learner by name: the only list of algorithms in the project.

mod auto;
mod capabilities;
mod cost;
mod theorem;

#[doc(hidden)] // for specs and jobs
pub use auto::{AUTO, DEFAULT_EXPERTS, EXPERT_GRIDS, EXPERTS, MOST_EXPERTS, written};
pub use capabilities::{Capabilities, NoTheorem, SpecParts, TheoremOf};
pub use theorem::{Added, BoundOf, OwnTheorem, RowKnowledge, Theorem, TheoremFacts};

pub use crate::cost::{Cost, FUNCTION, Size};
use crate::dual::named::{NamedLoss, NamedRegulariser};
use crate::dual::solved::Solved;
use crate::kernel::Kernel;
use crate::learner::{Learner, Linear};
use crate::online::alma::Alma;
use crate::online::arow::{ArowDiagonal, ArowFull};
use crate::online::averaged::Averaged;
use crate::online::eg::Eg;
use crate::online::forgetron::Forgetron;
use crate::online::higher_order::auto::{HigherOrderAuto, HigherOrderCheapest};
use crate::online::higher_order::dual::HigherOrderDual;
use crate::online::higher_order::implicit::HigherOrderImplicit;
use crate::online::higher_order::low_rank::HigherOrderLowRank;
use crate::online::higher_order::primal::HigherOrderPrimal;
use crate::online::higher_order::square::HigherOrderSquare;
use crate::online::higher_order::{HigherOrder, Schedule};
use crate::online::logistic::Logistic;
use crate::online::max_margin::MaxMargin;
use crate::online::normalised_perceptron::NormalisedPerceptron;
use crate::online::normalised_winnow::NormalisedWinnow;
use crate::online::p_norm::PNorm;
use crate::online::passive_aggressive::{PassiveAggressive, Variant};
use crate::online::perceptron::Perceptron;
use crate::online::projectron::Projectron;
use crate::online::projectron::linear::ProjectronLinear;
use crate::online::random_budget::RandomBudget;
use crate::online::romma::{Romma, Start};
use crate::online::second_order::adaptive::{AdaptiveForm, SecondOrderAdaptive};
use crate::online::second_order::adaptive_kernel::SecondOrderAdaptiveKernel;
use crate::online::second_order::auto::SecondOrderAuto;
use crate::online::second_order::diagonal::SecondOrderDiagonal;
use crate::online::second_order::dual::SecondOrderDual;
use crate::online::second_order::primal::SecondOrderPrimal;
use crate::online::second_order::pseudoinverse::SecondOrderPseudoinverse;
use crate::online::second_order::pseudoinverse_dual::SecondOrderPseudoinverseDual;
use crate::online::second_order::sketch::SecondOrderSketch;
use crate::online::selective::Selective;
use crate::online::shifting::Shifting;
use crate::online::voted::Voted;
#[cfg(feature = "linalg")]
use crate::online::whitened::Whitened;
use crate::online::winnow::Winnow;
use crate::parameter::{Key, Parameters, RowLengths};
use crate::space::{RowBudget, Support};

/// Makes a learner in the space of a kernel; its state may take the given number of bytes.
pub type BuildWith = fn(&Parameters, Kernel, u128) -> Box<dyn Learner>;

/// One learner of the catalogue.
#[derive(Debug)]
pub struct Entry {
    /// Its name in specs.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The keys its spec takes.
    pub keys: &'static [Key],
    /// Whether it keeps a number for each pair of features.
    pub pairs: bool,
    /// Makes the learner; its state may take the given number of bytes.
    pub build: fn(&Parameters, u128) -> Box<dyn Learner>,
    /// Makes it in the space of a kernel, if it needs nothing but inner products.
    pub build_with: Option<BuildWith>,
    /// What it can do, needs and costs.
    pub can: Capabilities,
}

impl Entry {
    /// The factor that makes log-odds of the margins of its models, if there is one: 1 for learners that
    /// [have probabilities](Capabilities::probabilities), that of the loss for models of the solver.
    pub fn log_odds(&self, parameters: &Parameters) -> Option<f64> {
        if self.can.probabilities {
            return Some(1.0);
        }
        let loss = Some(parameters.word("loss")).filter(|_| self.name == SOLVED.name)?;
        NamedLoss::parse(loss).ok()?.loss().log_odds()
    }

    /// The theorem that its mistakes obey, or why there is none.
    pub fn theorem(&self, parameters: &Parameters, kernel: Kernel) -> Result<Theorem, NoTheorem> {
        match self.can.theorem {
            Some(theorem) => theorem(parameters, kernel),
            None => Err(NoTheorem::Unknown {
                learner: self.name.to_owned(),
            }),
        }
    }
}

/// The names of the learners for which `is_so` holds.
#[doc(hidden)] // for messages
pub fn names_of(all: &'static [Entry], is_so: impl Fn(&Entry) -> bool) -> Vec<&'static str> {
    let such = all.iter().filter(|entry| is_so(entry));
    such.map(|entry| entry.name).collect()
}

const MARGIN: Key = Key::real(
    "margin",
    "0",
    "right answers up to this margin are corrected too",
)
.from(0.0);
const NOISE: Key = Key::real(
    "noise",
    "0",
    "square of a feature of its own for each example; above 0 where labels may be wrong",
)
.from(0.0);
const START: Key = Key::choice(
    "start",
    "zero",
    "weights before the first row: 0, or with a kernel phi(0), the row without values",
    &["zero", "phi0"],
);
const BUDGET: Key = Key::real(
    "budget",
    "100",
    "rows kept at most by the whole model; of several classes each keeps its part, and at least one",
)
    .from(1.0)
    .to(1e9)
    .whole();
// every whole number up to it is a number here
const SEED: Key = Key::real("seed", "0", "of the random draws")
    .from(0.0)
    .to(9_007_199_254_740_992.0)
    .whole();
const ETA: Key = Key::real("eta", "0.1", "learning rate").above(0.0).to(1e6);
// squares of the smallest steps are still numbers
const SLOW_ETA: Key = Key::real("eta", "0.001", "learning rate")
    .from(1e-9)
    .to(1e6);

/// The catalogue.
pub const CATALOG: &[Entry] = &[
    Entry {
        name: "perceptron",
        summary: "Rosenblatt's perceptron; margin > 0 for the margin variant",
        keys: &[MARGIN],
        pairs: false,
        build: |p, memory| {
            boxed(
                Perceptron {
                    margin: p.real("margin"),
                },
                memory,
            )
        },
        build_with: Some(|p, kernel, memory| {
            let margin = p.real("margin");
            kernelised(kernel, Perceptron { margin }, memory)
        }),
        can: Capabilities {
            additive: |_| true,
            weighted: true,
            theorem: Some(|p, _| Ok(Theorem::FirstOrder { margin: p.real("margin") })),
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "averaged",
        summary: "perceptron that deploys the average of its weights",
        keys: &[],
        pairs: false,
        build: |_, memory| boxed(Averaged, memory),
        build_with: Some(|_, kernel, memory| kernelised(kernel, Averaged, memory)),
        can: Capabilities {
            additive: |_| true,
            weighted: true,
            theorem: Some(|_, _| Ok(Theorem::FirstOrder { margin: 0.0 })),
            cost: cost::two_vectors,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "voted",
        summary: "perceptron whose past weights vote",
        keys: &[],
        pairs: false,
        build: |_, memory| boxed(Voted, memory),
        build_with: Some(|_, kernel, memory| kernelised(kernel, Voted, memory)),
        can: Capabilities {
            additive: |_| true,
            weighted: true,
            theorem: Some(|_, _| Ok(Theorem::FirstOrder { margin: 0.0 })),
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "p-norm",
        summary: "p-norm perceptron: between the perceptron (p = 2) and Winnow (p large)",
        keys: &[
            Key::real("p", "8", "the norm; auto is 2 ln d, at least 2")
                .from(2.0)
                .to(1e6)
                .auto(|d| (2.0 * libm::log(d)).max(2.0)),
            MARGIN,
        ],
        pairs: false,
        build: |p, memory| {
            boxed(
                PNorm {
                    p: p.real("p"),
                    margin: p.real("margin"),
                },
                memory,
            )
        },
        build_with: None,
        can: Capabilities {
            additive: |p| p.real("p") == 2.0,
            weighted: true,
            theorem: Some(|p, _| {
                let (p, margin) = (p.real("p"), p.real("margin"));
                Ok(Theorem::PNorm { p, margin })
            }),
            cost: cost::p_norm,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "winnow",
        summary: "Littlestone's Winnow for non-negative features",
        keys: &[
            Key::real("alpha", "1.5", "factor of an update")
                .above(1.0)
                .to(1e6),
            Key::real("theta", "auto", "threshold; auto is d")
                .above(0.0)
                .auto(|d| d.max(1.0)),
        ],
        pairs: false,
        build: |p, memory| {
            boxed(
                Winnow {
                    alpha: p.real("alpha"),
                    theta: p.real("theta"),
                },
                memory,
            )
        },
        build_with: None,
        can: Capabilities {
            needs_non_negative: true,
            has_threshold: true,
            theorem: Some(|p, _| {
                let (alpha, theta) = (p.real("alpha"), p.real("theta"));
                Ok(Theorem::Winnow { alpha, theta })
            }),
            cost: cost::through_a_function,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "balanced-winnow",
        summary: "Winnow with a weight for and one against each feature",
        keys: &[Key::real("alpha", "1.1", "factor of an update")
            .above(1.0)
            .to(1e6)],
        pairs: false,
        build: |p, memory| boxed(Eg::new(libm::log(p.real("alpha"))), memory),
        build_with: None,
        can: Capabilities {
            theorem: Some(|p, _| {
                let eta = libm::log(p.real("alpha"));
                Ok(Theorem::ExponentiatedGradient { eta })
            }),
            cost: cost::through_a_function,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "eg",
        summary: "normalised exponentiated gradient, EG+-",
        keys: &[ETA],
        pairs: false,
        build: |p, memory| boxed(Eg::new(p.real("eta")), memory),
        build_with: None,
        can: Capabilities {
            theorem: Some(|p, _| Ok(Theorem::ExponentiatedGradient { eta: p.real("eta") })),
            cost: cost::through_a_function,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "normalised-winnow",
        summary: "Winnow with weights that sum to 1",
        keys: &[
            SLOW_ETA,
            Key::real("theta", "0.1", "threshold"),
            Key::real(
                "features",
                "auto",
                "how many features share the weight at first; auto is d",
            )
            .from(1.0)
            .to(4_294_967_294.0)
            .whole()
            .auto(|d| d.max(1.0)),
        ],
        pairs: false,
        build: |p, memory| {
            let (eta, theta) = (p.real("eta"), p.real("theta"));
            let features = p.real("features") as u64;
            boxed(NormalisedWinnow::new(eta, theta, features), memory)
        },
        build_with: None,
        can: Capabilities {
            has_threshold: true,
            cost: cost::through_a_function,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "normalised-perceptron",
        summary: "perceptron whose weights have length 1 after each pass",
        keys: &[SLOW_ETA],
        pairs: false,
        build: |p, memory| boxed(NormalisedPerceptron { eta: p.real("eta") }, memory),
        build_with: Some(|p, kernel, memory| {
            let eta = p.real("eta");
            kernelised(kernel, NormalisedPerceptron { eta }, memory)
        }),
        can: Capabilities {
            additive: |_| true,
            weighted: true,
            // the end of a run is the end of a pass
            obeys_half_stream_law: false,
            ..Capabilities::PLAIN
        },
    },
    #[cfg(feature = "linalg")]
    Entry {
        name: "whitened",
        summary: "perceptron on rows decorrelated beforehand; needs all rows first",
        keys: &[Key::real(
            "ridge",
            "0",
            "added to the diagonal of the correlation matrix",
        )
        .from(0.0)],
        pairs: true,
        build: |p, memory| boxed(Whitened::new(p.real("ridge")), memory),
        build_with: None,
        can: Capabilities {
            weighted: true,
            needs_all_rows: true,
            obeys_half_stream_law: false,
            theorem: Some(|p, _| Ok(Theorem::Whitened { ridge: p.real("ridge") })),
            cost: cost::whitened,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "second-order",
        summary: "second-order perceptron: decorrelates the rows of its mistakes as it goes",
        keys: &[
            Key::real(
                "a",
                "1",
                "the larger, the nearer to the perceptron; adaptive grows with the mistakes, pinv is 0, auto fits the lengths of the first rows",
            )
            .above(0.0)
            .or(&["adaptive", "pinv"])
            .auto_by_lengths(second_order_a),
            Key::real("c", "0.1", "growth of a=adaptive: c r2 a mistake").above(0.0),
            Key::real(
                "r2",
                "seen",
                "squared length of the longest row for a=adaptive; seen: so far",
            )
            .above(0.0)
            .or(&["seen"]),
            MARGIN,
            Key::choice(
                "form",
                "auto",
                "what is kept: pairs of features, mistakes, the fewer of both (auto), or an approximation",
                &["auto", "primal", "dual", "diagonal", "sketch"],
            ),
            Key::real("rank", "32", "directions that form=sketch keeps")
                .from(1.0)
                .to(10_000.0)
                .whole(),
        ],
        pairs: false,
        build: second_order,
        build_with: Some(second_order_with),
        can: Capabilities {
            clash: second_order_clash,
            no_kernel: needs_dual,
            theorem: Some(second_order_theorem),
            cost: cost::second_order,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "higher-order",
        summary: "higher-order perceptron: transforms rows by those of its mistakes",
        keys: &[
            Key::real("c", "0.4", "how far rows are transformed; 0 is p-norm")
                .from(0.0)
                .to(1.0),
            Key::real("p", "2", "the norm").from(2.0).to(1e6),
            Key::choice(
                "schedule",
                "harmonic",
                "of mistake k: c/k, c/k or nothing (sparse), the most that is safe (cap), or c",
                &["harmonic", "sparse", "cap", "constant"],
            ),
            MARGIN,
            Key::choice(
                "form",
                "auto",
                "what is kept: pairs of features, pairs of mistakes (p=2), their rows, vectors, or the cheapest (auto)",
                &["auto", "primal", "dual", "implicit", "low-rank"],
            ),
        ],
        pairs: false,
        build: higher_order,
        build_with: Some(|p, kernel, memory| kernelised(kernel, HigherOrderDual(higher(p)), memory)),
        can: Capabilities {
            norm: |p| Some(p.real("p")),
            clash: higher_order_clash,
            no_kernel: |p| needs_dual(p).or((p.real("p") != 2.0).then_some("with a kernel p is 2")),
            theorem: Some(|p, kernel| {
                without_kernel("higher-order", kernel)?;
                let (p, margin) = (p.real("p"), p.real("margin"));
                Ok(Theorem::HigherOrder { p, margin })
            }),
            cost: cost::higher_order,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "alma",
        summary: "Gentile's approximate maximal margin algorithm",
        keys: &[
            Key::real("p", "2", "the norm").from(2.0).to(1e6),
            Key::real("alpha", "0.9", "how far from the maximum margin to stay")
                .above(0.0)
                .to(1.0),
        ],
        pairs: false,
        build: |p, memory| {
            boxed(
                Alma {
                    p: p.real("p"),
                    alpha: p.real("alpha"),
                },
                memory,
            )
        },
        build_with: None,
        can: Capabilities {
            additive: |p| p.real("p") == 2.0,
            theorem: Some(|p, _| {
                let (p, alpha) = (p.real("p"), p.real("alpha"));
                Ok(Theorem::Alma { p, alpha })
            }),
            cost: cost::p_norm,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "passive-aggressive",
        summary: "PA, PA-I and PA-II",
        keys: &[
            Key::choice(
                "variant",
                "1",
                "pa: all the way; 1: at most c; 2: softened",
                &["pa", "1", "2"],
            ),
            Key::real("c", "1", "aggressiveness of variants 1 and 2").above(0.0),
        ],
        pairs: false,
        build: |p, memory| boxed(passive_aggressive(p), memory),
        build_with: Some(|p, kernel, memory| kernelised(kernel, passive_aggressive(p), memory)),
        can: Capabilities {
            additive: |_| true,
            theorem: Some(|p, _| {
                let variant = Variant::of(p.word("variant"));
                Ok(Theorem::PassiveAggressive { variant })
            }),
            cost: cost::two_vectors,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "romma",
        summary: "relaxed online maximum margin algorithm",
        keys: &[
            Key::flag(
                "aggressive",
                "right answers of a margin below 1 are corrected too",
            ),
            NOISE,
            START,
        ],
        pairs: false,
        build: |p, memory| boxed(romma(p), memory),
        build_with: Some(|p, kernel, memory| kernelised(kernel, romma(p), memory)),
        can: Capabilities {
            additive: |_| true,
            theorem: Some(|p, kernel| {
                let (aggressive, noise) = (p.is_on("aggressive"), p.real("noise"));
                from_zero(p, kernel)?;
                Ok(Theorem::MaximumMargin { aggressive, noise })
            }),
            cost: cost::two_vectors,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "max-margin",
        summary: "ideal online maximum margin algorithm: an SVM of all rows so far; slow",
        keys: &[NOISE, START],
        pairs: false,
        build: |p, memory| boxed(max_margin(p), memory),
        build_with: Some(|p, kernel, memory| kernelised(kernel, max_margin(p), memory)),
        can: Capabilities {
            additive: |_| true,
            looks_back: true,
            theorem: Some(|p, kernel| {
                let (aggressive, noise) = (false, p.real("noise"));
                from_zero(p, kernel)?;
                Ok(Theorem::MaximumMargin { aggressive, noise })
            }),
            cost: cost::max_margin,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "arow",
        summary: "adaptive regularisation of weights",
        keys: &[
            Key::choice(
                "form",
                "diagonal",
                "confidence of weights or of pairs",
                &["diagonal", "full"],
            ),
            Key::real("r", "1", "the larger, the smaller the steps").above(0.0),
        ],
        pairs: false,
        build: |p, memory| match p.word("form") {
            "full" => boxed(ArowFull { r: p.real("r") }, memory),
            _ => boxed(ArowDiagonal { r: p.real("r") }, memory),
        },
        build_with: None,
        can: Capabilities {
            theorem: Some(|p, _| match p.word("form") {
                "full" => Ok(Theorem::Arow { r: p.real("r") }),
                form => Err(approximate(form, Some("full"))),
            }),
            cost: cost::arow,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "logistic",
        summary: "logistic regression without parameters, whatever the scales of the features",
        keys: &[],
        pairs: false,
        build: |_, memory| boxed(Logistic, memory),
        build_with: None,
        can: Capabilities {
            additive: |_| true,
            weighted: true,
            probabilities: true,
            theorem: Some(|_, _| Ok(Theorem::Logistic)),
            cost: cost::logistic,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "forgetron",
        summary: "perceptron on a budget that shrinks its weights and forgets its oldest row",
        keys: &[BUDGET],
        pairs: false,
        build: |p, memory| boxed(forgetron(p), memory),
        build_with: Some(|p, kernel, memory| kernelised(kernel, forgetron(p), memory)),
        can: Capabilities {
            additive: |_| true,
            theorem: Some(|p, _| {
                let budget = p.real("budget") as usize;
                Ok(Theorem::Forgetron { budget })
            }),
            cost: cost::budget,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "random-budget",
        summary: "perceptron on a budget that forgets a row drawn at random",
        keys: &[BUDGET, SEED],
        pairs: false,
        build: |p, memory| boxed(random_budget(p), memory),
        build_with: Some(|p, kernel, memory| kernelised(kernel, random_budget(p), memory)),
        can: Capabilities {
            additive: |_| true,
            cost: cost::budget,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "projectron",
        summary: "perceptron that keeps rows unlike those it has and projects the others",
        keys: &[
            Key::real(
                "eta",
                "0.1",
                "how far from the others a row may be and not be kept; auto is a tenth of the usual length of the first rows",
            )
            .above(0.0)
            .auto_by_lengths(|rows| rows.mean_square.sqrt() / 10.0),
            Key::flag("plus", "right answers of a margin below 1 are corrected too"),
        ],
        pairs: false,
        build: |p, memory| boxed(ProjectronLinear(projectron(p)), memory),
        build_with: Some(|p, kernel, memory| kernelised(kernel, projectron(p), memory)),
        can: Capabilities {
            additive: |_| true,
            theorem: Some(|p, _| Ok(Theorem::Projectron { eta: p.real("eta") })),
            cost: cost::projectron,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "shifting",
        summary: "perceptron for targets that move: old mistakes fade",
        keys: &[Key::real(
            "lambda",
            "2",
            "how fast old mistakes fade; 1 is the perceptron",
        )
        .above(0.0)
        .to(1e6)],
        pairs: false,
        build: |p, memory| boxed(shifting(p), memory),
        build_with: Some(|p, kernel, memory| kernelised(kernel, shifting(p), memory)),
        can: Capabilities {
            additive: |_| true,
            theorem: Some(|p, kernel| {
                without_kernel("shifting", kernel)?;
                let lambda = p.real("lambda");
                Ok(Theorem::Shifting { lambda })
            }),
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: "selective",
        summary: "asks for the labels of rows it is not sure about, and learns from those",
        keys: &[
            Key::real(
                "b",
                "1",
                "the larger, the more it asks; auto is half the square of the longest of the first rows",
            )
            .above(0.0)
            .auto_by_lengths(|rows| rows.longest_square / 2.0),
            SEED,
            Key::choice(
                "base",
                "perceptron",
                "the learner that asks",
                &["perceptron", "second-order"],
            ),
            MARGIN,
            Key::real("a", "1", "that of base=second-order")
                .above(0.0)
                .auto_by_lengths(second_order_a),
            Key::choice(
                "form",
                "auto",
                "that of base=second-order",
                &["auto", "primal", "dual"],
            ),
        ],
        pairs: false,
        build: selective,
        build_with: Some(|p, kernel, memory| {
            let (a, margin) = (p.real("a"), p.real("margin"));
            match p.word("base") {
                "second-order" => kernelised(kernel, asking(p, SecondOrderDual { a, margin }), memory),
                _ => kernelised(kernel, asking(p, Perceptron { margin }), memory),
            }
        }),
        can: Capabilities {
            additive: |p| p.word("base") == "perceptron",
            parts: SpecParts::Base("base"),
            clash: selective_clash,
            no_kernel: needs_dual,
            theorem: Some(|p, kernel| {
                let second_order = p.word("base") == "second-order";
                if second_order {
                    without_kernel("selective", kernel)?;
                }
                Ok(Theorem::Selective { second_order })
            }),
            cost: cost::selective,
            ..Capabilities::PLAIN
        },
    },
    Entry {
        name: AUTO,
        summary: "several learners at once, whose weighted majority answers; auto(SPEC; SPEC; ...) names them",
        keys: &[
            Key::real(
                "beta",
                "auto",
                "what a mistake multiplies the weight of a learner by; auto comes nearer to 1 as mistakes are made",
            )
            .above(0.0)
            // nearer to 1 the bound's ln(2/(1 + beta)) is mostly rounding
            .to(0.999_999)
            .or(&["auto"]),
            Key::real(
                "share",
                "0",
                "part of its weight that a learner gives to the others after a mistake of the majority; for targets that move",
            )
            .from(0.0)
            .to(0.5),
            Key::real(
                "cost",
                "8",
                "the most that all may cost, in passes of the perceptron; the least useful are retired beyond it",
            )
            .from(1.0)
            .to(1e9),
        ],
        pairs: false,
        build: |p, memory| auto::build(p, Kernel::LINEAR, memory),
        build_with: Some(auto::build),
        can: Capabilities {
            weighted: true,
            parts: SpecParts::Learners,
            clash: auto::clash,
            no_kernel: auto::no_kernel,
            cost: cost::auto,
            ..Capabilities::PLAIN
        },
    },
];

/// What `solve` leaves in a model: no learner of the catalogue, for it does not learn from streams.
#[doc(hidden)] // for readers and writers of model files
pub const SOLVED: Entry = Entry {
    name: "solved",
    summary: "weights solved for, to a certified gap",
    keys: &[
        Key::text("loss", "", "a loss of `solve`", |text| {
            NamedLoss::parse(text).is_ok()
        }),
        Key::text("reg", "", "a regulariser of `solve`", |text| {
            NamedRegulariser::parse(text).is_ok()
        }),
        Key::real("lambda", "1", "how much the regulariser counts").above(0.0),
        Key::choice(
            "bias",
            "off",
            "whether it is regularised",
            &["off", "constant", "free"],
        ),
    ],
    pairs: false,
    build: |_, memory| boxed(Solved, memory),
    build_with: Some(|_, kernel, memory| kernelised(kernel, Solved, memory)),
    can: Capabilities::PLAIN,
};

/// What `--save-comparator` leaves in a model: the vector U of a certificate.
#[doc(hidden)] // for readers and writers of model files
pub const COMPARATOR: Entry = Entry {
    name: "comparator",
    summary: "the vector that a certificate compares a learner with",
    keys: &[
        Key::text("of", "", "the spec of the learner", |_| true),
        Key::text("theorem", "", "the theorem of the certificate", |_| true),
    ],
    pairs: false,
    build: SOLVED.build,
    build_with: SOLVED.build_with,
    can: Capabilities::PLAIN,
};

/// The a of the second-order perceptron for first rows of these lengths: where rows are longer, the matrix is larger, and `a` is what is
/// added to it.
fn second_order_a(rows: &RowLengths) -> f64 {
    rows.mean_square / 10.0
}

fn second_order(p: &Parameters, memory: u128) -> Box<dyn Learner> {
    let (a, margin) = (p.real("a"), p.real("margin"));
    match (p.word("a"), p.word("form")) {
        ("adaptive", _) => boxed(adaptive(p), memory),
        ("pinv", "dual") => boxed(SecondOrderPseudoinverseDual { margin }, memory),
        ("pinv", _) => boxed(SecondOrderPseudoinverse { margin }, memory),
        (_, "primal") => boxed(SecondOrderPrimal { a, margin }, memory),
        (_, "dual") => boxed(SecondOrderDual { a, margin }, memory),
        (_, "diagonal") => boxed(SecondOrderDiagonal { a, margin }, memory),
        (_, "sketch") => {
            let rank = p.real("rank") as usize;
            boxed(SecondOrderSketch { a, margin, rank }, memory)
        }
        _ => boxed(SecondOrderAuto::new(a, margin), memory),
    }
}

fn second_order_with(p: &Parameters, kernel: Kernel, memory: u128) -> Box<dyn Learner> {
    let (a, margin) = (p.real("a"), p.real("margin"));
    match p.word("a") {
        "adaptive" => {
            let rule = SecondOrderAdaptiveKernel::new(adaptive(p), kernel);
            kernelised(kernel, rule, memory)
        }
        "pinv" => kernelised(kernel, SecondOrderPseudoinverseDual { margin }, memory),
        _ => kernelised(kernel, SecondOrderDual { a, margin }, memory),
    }
}

fn adaptive(p: &Parameters) -> SecondOrderAdaptive {
    let r2 = Some(p.real("r2")).filter(|r2| !r2.is_nan());
    let form = match p.word("form") {
        "primal" => AdaptiveForm::Primal,
        "dual" => AdaptiveForm::Dual,
        _ => AdaptiveForm::Auto,
    };
    SecondOrderAdaptive::new(p.real("c"), r2, p.real("margin"), form)
}

fn forgetron(p: &Parameters) -> Forgetron {
    let budget = RowBudget::shared(p.real("budget") as usize);
    Forgetron { budget }
}

fn random_budget(p: &Parameters) -> RandomBudget {
    RandomBudget {
        budget: RowBudget::shared(p.real("budget") as usize),
        seed: p.real("seed") as u64,
    }
}

fn projectron(p: &Parameters) -> Projectron {
    Projectron {
        eta: p.real("eta"),
        plus: p.is_on("plus"),
    }
}

fn shifting(p: &Parameters) -> Shifting {
    let lambda = p.real("lambda");
    Shifting { lambda }
}

fn asking<R>(p: &Parameters, base: R) -> Selective<R> {
    Selective {
        base,
        b: p.real("b"),
        seed: p.real("seed") as u64,
    }
}

fn selective(p: &Parameters, memory: u128) -> Box<dyn Learner> {
    let (a, margin) = (p.real("a"), p.real("margin"));
    match (p.word("base"), p.word("form")) {
        ("second-order", "primal") => boxed(asking(p, SecondOrderPrimal { a, margin }), memory),
        ("second-order", "dual") => boxed(asking(p, SecondOrderDual { a, margin }), memory),
        ("second-order", _) => boxed(asking(p, SecondOrderAuto::new(a, margin)), memory),
        _ => boxed(asking(p, Perceptron { margin }), memory),
    }
}

fn passive_aggressive(p: &Parameters) -> PassiveAggressive {
    PassiveAggressive {
        variant: Variant::of(p.word("variant")),
        c: p.real("c"),
    }
}

fn romma(p: &Parameters) -> Romma {
    Romma {
        aggressive: p.is_on("aggressive"),
        noise: p.real("noise"),
        start: Start::of(p.word("start")),
    }
}

fn max_margin(p: &Parameters) -> MaxMargin {
    MaxMargin::new(p.real("noise"), Start::of(p.word("start")))
}

/// An error if w begins at another vector than 0.
fn from_zero(p: &Parameters, kernel: Kernel) -> Result<(), NoTheorem> {
    match Start::of(p.word("start")) {
        Start::PhiOfZero if kernel.of_zero() > 0.0 => Err(NoTheorem::Start),
        _ => Ok(()),
    }
}

/// The parameters of the higher-order perceptron.
pub(crate) fn higher(p: &Parameters) -> HigherOrder {
    let schedule = match p.word("schedule") {
        "sparse" => Schedule::Sparse,
        "cap" => Schedule::Cap,
        "constant" => Schedule::Constant,
        _ => Schedule::Harmonic,
    };
    HigherOrder {
        p: p.real("p"),
        c: p.real("c"),
        schedule,
        margin: p.real("margin"),
    }
}

fn higher_order(p: &Parameters, memory: u128) -> Box<dyn Learner> {
    let by = higher(p);
    match (p.word("form"), by.p == 2.0) {
        ("primal", true) => boxed(HigherOrderPrimal(by), memory),
        ("primal", false) => boxed(HigherOrderSquare::new(by), memory),
        ("dual", _) => boxed(HigherOrderDual(by), memory),
        ("implicit", _) => boxed(HigherOrderImplicit::new(by), memory),
        ("low-rank", _) => boxed(HigherOrderLowRank::new(by), memory),
        (_, true) => boxed(HigherOrderAuto::new(by), memory),
        (_, false) => boxed(HigherOrderCheapest::new(by), memory),
    }
}

fn higher_order_clash(p: &Parameters) -> Option<&'static str> {
    match (p.word("schedule"), p.real("c"), p.word("form")) {
        ("cap", 0.0, _) => Some("schedule=cap needs c > 0"),
        ("harmonic" | "sparse" | "constant", 1.0, _) => {
            Some("c = 1 goes with schedule=cap only; other schedules need c < 1")
        }
        (_, _, "dual") if p.real("p") != 2.0 => {
            Some("form=dual is for p = 2 only; use auto, implicit, low-rank or primal")
        }
        _ => None,
    }
}

fn selective_clash(p: &Parameters) -> Option<&'static str> {
    match (p.word("base"), p.real("a"), p.word("form")) {
        ("perceptron", 1.0, "auto") => None,
        ("perceptron", ..) => Some("a and form go with base=second-order only"),
        _ => None,
    }
}

fn second_order_clash(p: &Parameters) -> Option<&'static str> {
    match (p.word("a"), p.word("form")) {
        ("adaptive", "diagonal" | "sketch") => {
            Some("a=adaptive has the forms auto, primal and dual only")
        }
        ("pinv", "diagonal" | "sketch") => Some("a=pinv has the forms auto, primal and dual only"),
        _ => None,
    }
}

/// Why a form has no kernel, if it has none.
fn needs_dual(p: &Parameters) -> Option<&'static str> {
    let dual = matches!(p.word("form"), "auto" | "dual");
    (!dual).then_some("with a kernel it has the forms auto and dual only, which are the same")
}

fn second_order_theorem(p: &Parameters, kernel: Kernel) -> Result<Theorem, NoTheorem> {
    match p.word("form") {
        "diagonal" => return Err(NoTheorem::NotEvaluated { form: "diagonal" }),
        "sketch" => return Err(approximate("sketch", None)),
        _ => {}
    }
    Ok(Theorem::SecondOrder {
        added: match p.word("a") {
            "adaptive" => Added::Adaptive,
            "pinv" => Added::Nothing,
            _ => Added::Fixed,
        },
        margin: p.real("margin"),
        kernel: kernel != Kernel::LINEAR,
    })
}

fn approximate(form: &str, exact: Option<&'static str>) -> NoTheorem {
    let form = form.to_owned();
    NoTheorem::Approximate { form, exact }
}

fn without_kernel(learner: &'static str, kernel: Kernel) -> Result<(), NoTheorem> {
    if kernel == Kernel::LINEAR {
        Ok(())
    } else {
        Err(NoTheorem::Kernel { learner })
    }
}

fn kernelised<R>(kernel: Kernel, rule: R, memory: u128) -> Box<dyn Learner>
where
    R: crate::learner::Rule<Support>,
{
    Box::new(Linear::within(Support::new(kernel), rule, memory))
}

fn boxed<R>(rule: R, memory: u128) -> Box<dyn Learner>
where
    R: crate::learner::Rule<crate::space::Primal>,
{
    Box::new(Linear::new(rule, memory))
}
