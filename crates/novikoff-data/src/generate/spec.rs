//! Which generators there are, and the reading of their specs.

use std::fmt;

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

/// One setting of a generator.
#[derive(Debug)]
pub struct Key {
    /// What it is called.
    pub name: &'static str,
    /// Its value when it is not given.
    pub default: &'static str,
    /// What it may be.
    pub range: Range,
    /// What it does.
    pub meaning: &'static str,
}

/// The values a setting may have, bounds included.
#[derive(Clone, Copy, Debug)]
pub enum Range {
    /// Whole numbers.
    Whole(u64, u64),
    /// Real numbers.
    Real(f64, f64),
}

impl Range {
    fn has(self, text: &str) -> bool {
        match self {
            Range::Whole(low, high) => text.parse().is_ok_and(|v| low <= v && v <= high),
            Range::Real(low, high) => text.parse().is_ok_and(|v| low <= v && v <= high),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Range::Whole(low, u64::MAX) => write!(f, "a whole number from {low}"),
            Range::Whole(low, high) => write!(f, "a whole number from {low} to {high}"),
            Range::Real(low, high) => write!(f, "a number from {low} to {high}"),
        }
    }
}

const fn key(
    name: &'static str,
    default: &'static str,
    range: Range,
    meaning: &'static str,
) -> Key {
    Key {
        name,
        default,
        range,
        meaning,
    }
}

const fn rows(default: &'static str) -> Key {
    key("rows", default, Range::Whole(1, u64::MAX), "how many rows")
}

const SEED: Key = key(
    "seed",
    "0",
    Range::Whole(0, u64::MAX),
    "which random stream",
);

const fn noise(default: &'static str) -> Key {
    key(
        "noise",
        default,
        Range::Real(0.0, 0.5),
        "probability that a label is flipped",
    )
}

/// Every generator, in the order of the documentation.
pub const GENERATORS: &[GeneratorInfo] = &[
    GeneratorInfo {
        name: "sparse-target",
        summary: "the higher-order paper's Artificial data: dense unit rows, few features matter",
        keys: &[
            rows("1000"),
            SEED,
            noise("0"),
            key("n", "500", Range::Whole(1, 1_000_000), "number of features"),
            key(
                "relevant",
                "50",
                Range::Whole(1, 1_000_000),
                "features that decide the label",
            ),
            key(
                "margin",
                "0.005",
                Range::Real(0.0, 0.9),
                "least distance from the hyperplane",
            ),
        ],
    },
    GeneratorInfo {
        name: "ellipse",
        summary: "the second-order paper's toy problem: Gaussian rows, long in one direction",
        keys: &[
            rows("10000"),
            SEED,
            key("d", "100", Range::Whole(2, 1_000_000), "number of features"),
            key(
                "dominant",
                "8",
                Range::Real(1e-6, 1e6),
                "variance of feature 1; the others have 1",
            ),
            key(
                "direction",
                "1",
                Range::Whole(1, 2),
                "the feature whose sign is the label",
            ),
            key(
                "gap",
                "0",
                Range::Real(0.0, 1e4),
                "least magnitude of that feature",
            ),
        ],
    },
    GeneratorInfo {
        name: "text",
        summary: "sparse unit rows with Zipfian words and a sparse target, for speed",
        keys: &[
            rows("200000"),
            SEED,
            key(
                "features",
                "47000",
                Range::Whole(100, 10_000_000),
                "number of words",
            ),
            key(
                "nonzeros",
                "75",
                Range::Whole(1, 100_000),
                "mean number of words in a row",
            ),
            noise("0.03"),
        ],
    },
];

/// What can be wrong with a generator's spec.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum GenerateError {
    /// No such generator.
    #[error("no data set `{name}`; there are `digits` and the generators {}", list(GENERATORS.iter().map(|g| g.name)))]
    UnknownName {
        /// The name asked for.
        name: String,
    },
    /// No such setting.
    #[error("{generator}: no key `{key}`; there are {}", list(keys(generator)))]
    UnknownKey {
        /// The generator.
        generator: &'static str,
        /// The key asked for.
        key: String,
    },
    /// The same setting twice.
    #[error("{generator}: `{key}` is given twice; keep one")]
    Twice {
        /// The generator.
        generator: &'static str,
        /// The key.
        key: &'static str,
    },
    /// A setting that cannot be, by itself.
    #[error("{generator}: {key} = {value}: must be {range}; the default is {default}")]
    OutOfRange {
        /// The generator.
        generator: &'static str,
        /// The key.
        key: &'static str,
        /// The value asked for.
        value: String,
        /// What it may be.
        range: String,
        /// What it is when it is not given.
        default: &'static str,
    },
}

fn keys(generator: &str) -> impl Iterator<Item = &'static str> {
    let keys = GENERATORS
        .iter()
        .filter(move |g| g.name == generator)
        .flat_map(|g| g.keys);
    keys.map(|key| key.name).collect::<Vec<_>>().into_iter()
}

/// "`a`, `b` and `c`".
fn list(names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// The settings of a spec, each known to be in its range.
pub(super) struct Settings {
    pub(super) info: &'static GeneratorInfo,
    given: Vec<(&'static str, String)>,
}

impl Settings {
    pub(super) fn parse(spec: &str) -> Result<Settings, GenerateError> {
        let (name, rest) = spec.split_once(':').unwrap_or((spec, ""));
        let info = GENERATORS.iter().find(|g| g.name == name).ok_or_else(|| {
            GenerateError::UnknownName {
                name: name.to_owned(),
            }
        })?;
        let mut settings = Settings {
            info,
            given: Vec::new(),
        };
        for part in rest.split(',').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let generator = info.name;
            let key = info.keys.iter().find(|k| k.name == name).ok_or_else(|| {
                GenerateError::UnknownKey {
                    generator,
                    key: name.to_owned(),
                }
            })?;
            if settings.given.iter().any(|(k, _)| *k == name) {
                return Err(GenerateError::Twice {
                    generator,
                    key: key.name,
                });
            }
            settings.given.push((key.name, value.to_owned()));
            if !key.range.has(value) {
                return Err(settings.out_of_range(key.name, key.range.to_string()));
            }
        }
        Ok(settings)
    }

    fn key(&self, name: &str) -> &'static Key {
        let key = self.info.keys.iter().find(|k| k.name == name);
        key.unwrap_or_else(|| unreachable!("{} has no key {name}", self.info.name))
    }

    fn text(&self, name: &str) -> &str {
        let given = self.given.iter().find(|(key, _)| *key == name);
        given.map_or(self.key(name).default, |(_, value)| value)
    }

    pub(super) fn whole(&self, name: &str) -> u64 {
        self.text(name)
            .parse()
            .unwrap_or_else(|_| unreachable!("{name} was checked"))
    }

    pub(super) fn size(&self, name: &str) -> usize {
        self.whole(name) as usize
    }

    pub(super) fn real(&self, name: &str) -> f64 {
        self.text(name)
            .parse()
            .unwrap_or_else(|_| unreachable!("{name} was checked"))
    }

    fn out_of_range(&self, name: &str, range: String) -> GenerateError {
        let key = self.key(name);
        GenerateError::OutOfRange {
            generator: self.info.name,
            key: key.name,
            value: self.text(name).to_owned(),
            range,
            default: key.default,
        }
    }

    /// An upper bound that depends on another setting.
    pub(super) fn at_most(&self, name: &str, bound: f64, why: &str) -> Result<(), GenerateError> {
        let bound = (bound * 1e4).floor() / 1e4; // as the message shows it
        if self.real(name) <= bound {
            return Ok(());
        }
        Err(self.out_of_range(name, format!("at most {bound} ({why})")))
    }
}

/// True if `spec` begins with the name of a generator.
pub fn is_generator(spec: &str) -> bool {
    let name = spec.split(':').next();
    GENERATORS.iter().any(|g| Some(g.name) == name)
}
