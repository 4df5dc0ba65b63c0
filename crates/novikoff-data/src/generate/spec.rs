//! Which generators there are, and the reading of their specs.

use novikoff::grammar::{self, Expression, GrammarError, Sort, nearest_match};
use novikoff::parameter::{Key, Value};
use novikoff::remedy::Remedy;

/// A generator as help texts show it.
#[derive(Debug)]
pub struct GeneratorInfo {
    /// What it is called.
    pub name: &'static str,
    /// What it makes, in a line.
    pub summary: &'static str,
    /// Its settings.
    pub keys: &'static [Key],
}

const fn rows(default: &'static str) -> Key {
    Key::count("rows", default, "how many rows", (1, u64::MAX))
}

const SEED: Key = Key::count("seed", "0", "which random stream", (0, u64::MAX));

const SKIP: Key = Key::count(
    "skip",
    "0",
    "rows of the stream that are passed over first, as for test rows after those to learn from",
    // each is drawn all the same
    (0, 1_000_000_000),
);

/// Rows of another seed have the same target if this is the same.
const TARGET: Key = Key::real(
    "target",
    "seed",
    "which target; rows of different seeds may share one",
)
.from(0.0)
.to(1e15)
.whole()
.or(&["seed"]);

const fn noise(default: &'static str) -> Key {
    Key::real("noise", default, "probability that a label is flipped")
        .from(0.0)
        .to(0.5)
}

/// Every generator, in the order of the documentation.
pub const GENERATORS: &[GeneratorInfo] = &[
    GeneratorInfo {
        name: "sparse-target",
        summary: "the higher-order paper's Artificial data: dense unit rows, few features matter",
        keys: &[
            rows("1000"),
            SEED,
            SKIP,
            noise("0"),
            Key::count("n", "500", "number of features", (1, 1_000_000)),
            Key::count(
                "relevant",
                "50",
                "features that decide the label",
                (1, 1_000_000),
            ),
            Key::real("margin", "0.005", "least distance from the hyperplane")
                .from(0.0)
                .to(0.9),
            TARGET,
        ],
    },
    GeneratorInfo {
        name: "ellipse",
        summary: "the second-order paper's toy problem: Gaussian rows, long in one direction",
        keys: &[
            rows("10000"),
            SEED,
            SKIP,
            Key::count("d", "100", "number of features", (2, 1_000_000)),
            Key::real("dominant", "8", "variance of feature 1; the others have 1")
                .from(1e-6)
                .to(1e6),
            Key::count(
                "direction",
                "1",
                "the feature whose sign is the label",
                (1, 2),
            ),
            Key::real("gap", "0", "least magnitude of that feature")
                .from(0.0)
                .to(1e4),
            Key::real("angle", "0", "degrees by which features 1 and 2 are turned")
                .from(-360.0)
                .to(360.0),
        ],
    },
    GeneratorInfo {
        name: "separable",
        summary: "rows in the unit ball that a hyperplane through 0 separates with a margin",
        keys: &[
            rows("200"),
            SEED,
            SKIP,
            noise("0"),
            Key::count("d", "2", "number of features", (1, 1_000_000)),
            Key::real("margin", "0.1", "least distance from the hyperplane")
                .from(0.0)
                .to(0.9),
            TARGET,
        ],
    },
    GeneratorInfo {
        name: "text",
        summary: "sparse unit rows with Zipfian words and a sparse target, for speed",
        keys: &[
            rows("200000"),
            SEED,
            SKIP,
            Key::count("features", "47000", "number of words", (100, 10_000_000)),
            Key::count(
                "nonzeros",
                "75",
                "mean number of words in a row",
                (1, 100_000),
            ),
            noise("0.03"),
        ],
    },
];

/// What can be wrong with a generator's spec.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum GenerateError {
    /// Nothing is called that, or has such keys or values.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// A value that another value rules out.
    #[error(
        "{generator}: {key} = {value}: must be at most {most} ({why}); the default is {default}"
    )]
    Together {
        /// The generator.
        generator: &'static str,
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// The most it may be.
        most: String,
        /// Why.
        why: String,
        /// What it is when it is not given.
        default: &'static str,
    },
}

impl GenerateError {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            GenerateError::Grammar(error) => error.remedy(),
            GenerateError::Together { .. } => None,
        }
    }
}

/// The settings of a spec, each known to be in its range.
pub(super) struct GeneratorSettings {
    pub(super) info: &'static GeneratorInfo,
    values: Vec<Value>,
}

impl GeneratorSettings {
    pub(super) fn parse(spec: &str) -> Result<GeneratorSettings, GenerateError> {
        let typed = Expression::parse(spec).map_err(GrammarError::from)?;
        let name_of = |info: &GeneratorInfo| info.name;
        let found = grammar::find(Sort::DataSet, GENERATORS, name_of, &typed.name);
        let info = found.map_err(with_digits)?;
        grammar::alone(Sort::DataSet, info.name, &typed)?;
        let values = grammar::resolve(info.name, info.keys, &typed.pairs)?;
        let values = grammar::filled(info.keys, values);
        Ok(GeneratorSettings { info, values })
    }

    fn place(&self, name: &str) -> usize {
        let place = self.info.keys.iter().position(|key| key.name == name);
        place.unwrap_or_else(|| unreachable!("{} has no key {name}", self.info.name))
    }

    pub(super) fn whole(&self, name: &str) -> u64 {
        match self.values[self.place(name)] {
            Value::Count(number) => number,
            _ => unreachable!("{name} is a whole number"),
        }
    }

    pub(super) fn size(&self, name: &str) -> usize {
        self.whole(name) as usize
    }

    pub(super) fn real(&self, name: &str) -> f64 {
        match self.values[self.place(name)] {
            Value::Real(number) => number,
            Value::Count(number) => number as f64,
            _ => unreachable!("{name} is a number"),
        }
    }

    /// The seed of the target, if it is not that of the rows.
    pub(super) fn target(&self) -> Option<u64> {
        match self.values[self.place("target")] {
            Value::Real(number) => Some(number as u64),
            _ => None,
        }
    }

    /// An upper bound that depends on another setting.
    pub(super) fn at_most(&self, name: &str, bound: f64, why: &str) -> Result<(), GenerateError> {
        let most = (bound * 1e4).floor() / 1e4; // as the message shows it
        let value = self.real(name);
        if value <= most {
            return Ok(());
        }
        let key = &self.info.keys[self.place(name)];
        Err(GenerateError::Together {
            generator: self.info.name,
            key: key.name,
            value: value.to_string(),
            most: most.to_string(),
            why: why.to_owned(),
            default: key.default,
        })
    }
}

/// The digits are a data set too, though they are not made.
fn with_digits(error: GrammarError) -> GrammarError {
    match error {
        GrammarError::Name {
            sort,
            name,
            mut valid,
            ..
        } => {
            valid.insert(0, "digits");
            let near = nearest_match(&name, valid.iter().copied());
            GrammarError::Name {
                sort,
                name,
                near,
                valid,
            }
        }
        other => other,
    }
}

/// True if `spec` begins with the name of a generator.
pub fn is_generator(spec: &str) -> bool {
    let name = spec.split(':').next();
    GENERATORS.iter().any(|g| Some(g.name) == name)
}
