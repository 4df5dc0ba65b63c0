//! Maps that make features of rows, so that learners without a kernel learn in the space of one at a constant cost per row.
//!
//! `rff:dim=512,gamma=auto,seed=0` are random Fourier features, `nystroem:dim=512,gamma=auto,seed=0` Nyström's, both of the Gaussian kernel.
//! A map is part of a model's [preparation](crate::preparation::Preparation): it comes after centring, scaling and normalising, and before the
//! constant feature.

mod fourier;
mod nystroem;
mod orthogonal;
mod sincos;

use std::fmt;

use fourier::{Fourier, FourierBuffer};
use nystroem::{Nystroem, NystroemBuffer};

use crate::grammar::{self, Expression, GrammarError, Sort};
use crate::kernel::auto_gamma;
use crate::parameter::{Key, Value};
use crate::row::Row;
use crate::space::StoredRows;
use crate::state::{State, StateError};

/// A map as it is typed.
///
/// ```
/// use novikoff::MapSpec;
///
/// let map = MapSpec::parse("rff:dim=2000,gamma=0.02")?;
/// assert_eq!(map.to_string(), "rff:dim=2000,gamma=0.02,seed=0");
/// assert!(!map.needs_rows());
/// # Ok::<(), novikoff::GrammarError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapSpec {
    kind: MapKind,
    /// How many features it makes, at most.
    dim: usize,
    /// Gamma of the Gaussian kernel; `auto` if none.
    gamma: Option<f64>,
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MapKind {
    Fourier,
    Nystroem,
}

/// A map by its name.
#[derive(Debug)]
pub struct MapEntry {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its keys: `dim`, `gamma` and `seed`.
    pub keys: &'static [Key],
    kind: MapKind,
}

const GAMMA: Key = Key::real(
    "gamma",
    "auto",
    "that of the Gaussian kernel; auto is 1 over the mean squared distance of the first rows",
)
.above(0.0)
.auto_elsewhere();
const SEED: Key = Key::count("seed", "0", "of the random draws", (0, u64::MAX));

/// All maps.
pub const MAPS: &[MapEntry] = &[
    MapEntry {
        name: "rff",
        summary: "random Fourier features of the Gaussian kernel",
        keys: &[
            Key::count(
                "dim",
                "512",
                "features, an even number: half of them are cosines, half sines",
                (2, 65_536),
            ),
            GAMMA,
            SEED,
        ],
        kind: MapKind::Fourier,
    },
    MapEntry {
        name: "nystroem",
        summary: "Nystroem's features of the Gaussian kernel: values with rows of the data, decorrelated",
        keys: &[
            Key::count(
                "dim",
                "512",
                "features at most: one for each of the first rows that is chosen by the seed",
                (1, 2000),
            ),
            GAMMA,
            SEED,
        ],
        kind: MapKind::Nystroem,
    },
];

impl MapSpec {
    /// Reads a map as it is typed.
    pub fn parse(text: &str) -> Result<Self, GrammarError> {
        let typed = Expression::parse(text)?;
        let entry = grammar::find(Sort::Map, MAPS, |entry| entry.name, &typed.name)?;
        grammar::alone(Sort::Map, entry.name, &typed)?;
        let values = grammar::resolve(entry.name, entry.keys, &typed.pairs)?;
        let values = grammar::filled(entry.keys, values);
        let count = |k: usize| match values.get(k) {
            Some(Value::Count(number)) => *number,
            _ => 0,
        };
        let dim = count(0);
        if entry.kind == MapKind::Fourier && dim % 2 == 1 {
            return Err(GrammarError::Value {
                of: entry.name,
                key: "dim",
                got: dim.to_string(),
                allowed: "an even number from 2 to 65536".to_owned(),
                default: "512",
            });
        }
        Ok(MapSpec {
            kind: entry.kind,
            dim: dim as usize,
            gamma: match values.get(1) {
                Some(Value::Real(gamma)) => Some(*gamma),
                _ => None,
            },
            seed: count(2),
        })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self.kind {
            MapKind::Fourier => "rff",
            MapKind::Nystroem => "nystroem",
        }
    }

    /// Whether rows must be looked at before it is a map.
    pub fn needs_rows(&self) -> bool {
        self.gamma.is_none() || self.kind == MapKind::Nystroem
    }

    /// How many features it makes, at most.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The map for first rows of this mean squared distance. `memory` is how many bytes it may take to remember what it has drawn.
    pub fn resolve(
        &self,
        rows: &StoredRows,
        mean_squared_distance: f64,
        memory: u128,
    ) -> FeatureMap {
        let gamma = self
            .gamma
            .unwrap_or_else(|| auto_gamma(mean_squared_distance));
        let (dim, seed) = (self.dim, self.seed);
        let features = match self.kind {
            MapKind::Fourier => {
                let slots = rows.rows().flat_map(|x| x.iter().map(|(slot, _)| slot));
                let map = Fourier::orthogonal(dim, gamma, seed, slots.max(), memory);
                MapForm::Fourier(map)
            }
            MapKind::Nystroem => MapForm::Nystroem(Nystroem::new(dim, gamma, seed, rows)),
        };
        FeatureMap {
            spec: *self,
            gamma,
            features,
        }
    }
}

/// As it is typed, with all its values.
impl fmt::Display for MapSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, dim, seed) = (self.name(), self.dim, self.seed);
        match self.gamma {
            Some(gamma) => write!(f, "{name}:dim={dim},gamma={gamma},seed={seed}"),
            None => write!(f, "{name}:dim={dim},gamma=auto,seed={seed}"),
        }
    }
}

/// A map that makes features of rows.
#[derive(Debug)]
pub struct FeatureMap {
    spec: MapSpec,
    gamma: f64,
    features: MapForm,
}

#[derive(Debug)]
enum MapForm {
    Fourier(Fourier),
    Nystroem(Nystroem),
}

/// Memory that every row uses again.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapBuffer {
    fourier: FourierBuffer,
    nystroem: NystroemBuffer,
    /// The constant feature, and the mapped row.
    out: Vec<f32>,
}

impl FeatureMap {
    /// As it was typed.
    pub fn spec(&self) -> &MapSpec {
        &self.spec
    }

    /// The gamma of its kernel.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Whether its gamma was `auto`.
    pub fn has_auto_gamma(&self) -> bool {
        self.spec.gamma.is_none()
    }

    /// How many features it makes.
    pub fn features(&self) -> usize {
        match &self.features {
            MapForm::Fourier(map) => map.features(),
            MapForm::Nystroem(map) => map.features(),
        }
    }

    /// Whether it is what a typed map became.
    pub fn is_of(&self, spec: &MapSpec) -> bool {
        let resolved = MapSpec {
            gamma: Some(self.gamma),
            ..self.spec
        };
        *spec == self.spec || *spec == resolved
    }

    /// The mapped row, with the constant feature in front if one is given. The row has no constant feature.
    pub(crate) fn apply<'b>(
        &self,
        x: Row<'_>,
        constant: Option<f32>,
        buffer: &'b mut MapBuffer,
    ) -> Row<'b> {
        let MapBuffer {
            fourier,
            nystroem,
            out,
        } = buffer;
        out.resize(self.features() + 1, 0.0);
        match &self.features {
            MapForm::Fourier(map) => map.apply(x, fourier, &mut out[1..]),
            MapForm::Nystroem(map) => map.apply(x, nystroem, &mut out[1..]),
        }
        match constant {
            Some(constant) => {
                out[0] = constant;
                Row::run(0, out)
            }
            None => Row::run(1, &out[1..]),
        }
    }

    /// The normal numbers of a slot, one per frequency, if it is `rff`.
    #[doc(hidden)] // for writers of other formats
    pub fn normal_numbers(&self, slot: u32) -> Option<Vec<f32>> {
        match &self.features {
            MapForm::Fourier(map) => Some(map.normal_numbers(slot)),
            MapForm::Nystroem(_) => None,
        }
    }

    /// The rows whose kernel values it decorrelates, and the triangle L by which it does so, row by row, if it is `nystroem`.
    #[doc(hidden)] // for writers of other formats
    pub fn landmarks(&self) -> Option<(&StoredRows, &[f64])> {
        match &self.features {
            MapForm::Fourier(_) => None,
            MapForm::Nystroem(map) => Some(map.landmarks()),
        }
    }

    /// Adds what it consists of, beside its spec and its gamma, to a state.
    #[doc(hidden)] // for writers of model files
    pub fn save<'a>(&'a self, out: &mut State<'a>) {
        out.under("map");
        match &self.features {
            MapForm::Fourier(map) => map.save(out),
            MapForm::Nystroem(map) => map.save(out),
        }
        out.under("");
    }

    /// Takes it out again.
    #[doc(hidden)] // for readers of model files
    pub fn load(
        spec: MapSpec,
        gamma: f64,
        memory: u128,
        from: &mut State<'static>,
    ) -> Result<Self, StateError> {
        from.under("map");
        let features = match spec.kind {
            MapKind::Fourier => {
                MapForm::Fourier(Fourier::load(spec.dim, gamma, spec.seed, memory, from)?)
            }
            MapKind::Nystroem => MapForm::Nystroem(Nystroem::load(gamma, spec.dim, from)?),
        };
        from.under("");
        Ok(FeatureMap {
            spec,
            gamma,
            features,
        })
    }
}

/// Maps are equal if they make the same features.
impl PartialEq for FeatureMap {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.features, &other.features) {
            (MapForm::Nystroem(own), MapForm::Nystroem(other)) => own.same(other),
            (MapForm::Fourier(own), MapForm::Fourier(other)) => own.same(other),
            _ => false,
        };
        self.spec == other.spec && self.gamma == other.gamma && same
    }
}

/// As it is typed, with its gamma as a number.
impl fmt::Display for FeatureMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resolved = MapSpec {
            gamma: Some(self.gamma),
            ..self.spec
        };
        resolved.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_read() {
        for (text, want) in [
            ("rff", "rff:dim=512,gamma=auto,seed=0"),
            (
                "rff:gamma=0.5,dim=2000,seed=7",
                "rff:dim=2000,gamma=0.5,seed=7",
            ),
            ("nystroem:dim=1", "nystroem:dim=1,gamma=auto,seed=0"),
        ] {
            let map = MapSpec::parse(text).expect(text);
            assert_eq!(map.to_string(), want);
            assert_eq!(MapSpec::parse(want), Ok(map));
        }
        let needs = |text| MapSpec::parse(text).expect(text).needs_rows();
        assert!(needs("rff") && !needs("rff:gamma=1") && needs("nystroem:gamma=1"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, want) in [
            (
                "rbf",
                "no map is called `rbf` (did you mean `rff`?); the maps are rff, nystroem",
            ),
            (
                "rff:dim=511",
                "rff: dim = 511: must be an even number from 2 to 65536; the default is 512",
            ),
            (
                "rff:dim=100000",
                "rff: dim = 100000: must be a whole number from 2 to 65536; the default is 512",
            ),
            (
                "nystroem:dim=0",
                "nystroem: dim = 0: must be a whole number from 1 to 2000; the default is 512",
            ),
            (
                "rff:gamma=0",
                "rff: gamma = 0: must be > 0, or auto; the default is auto",
            ),
            (
                "rff:features=3",
                "rff has no key `features`; its keys are dim, gamma, seed",
            ),
            (
                "rff(perceptron)",
                "rff takes no spec in parentheses, and there is 1",
            ),
        ] {
            let error = MapSpec::parse(text).expect_err(text);
            assert_eq!(error.to_string(), want);
        }
    }

    #[test]
    fn a_map_is_that_of_its_spec() {
        let typed = MapSpec::parse("rff:dim=4").expect("a map");
        let map = typed.resolve(&StoredRows::default(), 4.0, 0);
        assert_eq!(map.to_string(), "rff:dim=4,gamma=0.25,seed=0");
        let is_of = |text| map.is_of(&MapSpec::parse(text).expect(text));
        assert!(is_of("rff:dim=4") && is_of("rff:dim=4,gamma=0.25"));
        assert!(!is_of("rff:dim=4,gamma=0.5") && !is_of("rff:dim=6") && !is_of("nystroem:dim=4"));
        assert!(!is_of("rff:dim=4,seed=1"));
    }

    #[test]
    fn the_constant_feature_comes_behind_the_map() {
        let typed = MapSpec::parse("rff:dim=2,gamma=1").expect("a map");
        let map = typed.resolve(&StoredRows::default(), 0.0, 1000);
        let mut buffer = MapBuffer::default();
        let zero = Row::sparse(&[], &[]);
        let with: Vec<_> = map.apply(zero, Some(3.0), &mut buffer).iter().collect();
        assert_eq!(with, [(0, 3.0), (1, 1.0), (2, 0.0)], "cosine and sine of 0");
        let without: Vec<_> = map.apply(zero, None, &mut buffer).iter().collect();
        assert_eq!(without, [(1, 1.0), (2, 0.0)]);
    }
}
