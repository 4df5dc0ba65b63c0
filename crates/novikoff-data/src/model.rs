//! Models on disk: what a [`Model`] is, as a header and arrays in our container.

mod header;
mod names;
mod unfinished;
mod words;

use std::path::Path;
use std::sync::Arc;

use novikoff::calibration::Calibration;
use novikoff::kernel::Kernel;
use novikoff::learner::Hypothesis;
use novikoff::map::{FeatureMap, MapSpec};
use novikoff::model::{Model, ModelParts, RowSample, Totals};
use novikoff::remedy::Remedy;
use novikoff::schema::Schema;
use novikoff::sizes::Sizes;
use novikoff::spec::Spec;
use novikoff::spreads::Spreads;
use novikoff::standardize::Moments;
use novikoff::state::State;

use crate::container::{self, ContainerError, Digest, SectionInfo};
use crate::header_records::{self, Records};
use crate::stored_table::StoredTable;
use header::{ModelHeader, StoredWeights};
use names::StoredNames;
pub use unfinished::{KeptCourse, Unfinished};

/// Where the means and inverse deviations of `--standardize` are kept.
const MEAN: &str = "standardize/mean";
const SCALE: &str = "standardize/scale";
/// Which slots they are of, if not of all.
const SLOTS: &str = "standardize/slots";
/// The record of the map that makes features of rows: as typed, and its gamma. Its arrays are under the same name.
const MAP: &str = "map";
/// The record that the kernel's gamma was `auto`.
const AUTO_GAMMA: &str = "auto-gamma";
/// The record of the sample of rows learned from.
const LEARNED: &str = "row-sample";

/// The record of the sample of rows that probabilities were fitted to.
const CALIBRATED_ON: &str = "calibration-rows";

/// The record of how large the numbers of the first rows are.
const NUMBER_SIZES: &str = "number-sizes";

/// The record of where the numbers of some rows lie.
const NUMBER_SPREADS: &str = "number-spreads";

/// What earlier versions kept of rows learned from: fingerprints of parts of rows, which say nothing of whole rows.
const EARLIER_LEARNED: &str = "learned-rows";

/// What can be wrong with a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file.
    #[error(transparent)]
    File(#[from] ContainerError),
    /// What the file says.
    #[error("{path}: not a model this version can use: {what}")]
    Content {
        /// The file.
        path: String,
        /// What does not fit.
        what: String,
    },
}

impl ModelError {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            ModelError::File(error) => error.remedy(),
            ModelError::Content { .. } => {
                Some("train it again or use the version that wrote it".into())
            }
        }
    }
}

/// A model and what its file says about itself.
pub struct LoadedModel {
    /// The model.
    pub model: Model,
    /// The digest of the file.
    pub digest: Digest,
    /// Its arrays.
    pub sections: Vec<SectionInfo>,
    /// The run it was saved in the middle of, if it was.
    pub unfinished: Option<Unfinished>,
}

/// Writes a model, atomically: the file is whole or untouched.
pub fn save(model: &Model, path: &Path) -> Result<Digest, ModelError> {
    let encoded = Encoded::of(model, model.schema(), None);
    encoded.map_err(|what| content(path, &what))?.save(path)
}

/// Writes a model in the middle of a run, atomically. `read` is what its reader knows of the rows: names and columns that the model has not
/// adopted yet. Nothing of the model, the schema and the run is copied but what becomes bytes of the header.
pub fn save_run(
    model: &Model,
    read: &Schema,
    run: &Unfinished,
    path: &Path,
) -> Result<Digest, ModelError> {
    let encoded = Encoded::of(model, read, Some(run));
    encoded.map_err(|what| content(path, &what))?.save(path)
}

/// The bytes that [`save`] would write.
pub fn to_bytes(model: &Model) -> Result<Vec<u8>, ModelError> {
    let encoded = Encoded::of(model, model.schema(), None);
    let encoded = encoded.map_err(|what| content(Path::new(container::IN_MEMORY), &what))?;
    Ok(container::to_bytes(&encoded.header, &encoded.state)?)
}

/// What a file holds.
struct Encoded<'m> {
    header: Vec<u8>,
    /// The arrays, borrowed from the model.
    state: State<'m>,
}

impl<'m> Encoded<'m> {
    fn of(
        model: &'m Model,
        read: &'m Schema,
        run: Option<&'m Unfinished>,
    ) -> Result<Self, postcard::Error> {
        let (mut records, mut state) = (Records::default(), State::new());
        if let Some(table) = read.table.as_ref().or(model.table()) {
            StoredTable::put_rest(table, &mut records)?;
        }
        if let Some(weights) = model.class_weights() {
            records.put(StoredWeights::NAME, &StoredWeights::of(weights))?;
        }
        words::SO_FAR.put(&read.text, &mut records, &mut state)?;
        if let Some(map) = model.map() {
            records.put(MAP, &(map.spec().to_string(), map.gamma()))?;
            map.save(&mut state);
        }
        if model.has_auto_gamma() {
            records.put(AUTO_GAMMA, &true)?;
        }
        if !model.learned().is_empty() {
            records.put(LEARNED, &model.learned().parts())?;
        }
        if !model.calibrated_on().is_empty() {
            records.put(CALIBRATED_ON, &model.calibrated_on().parts())?;
        }
        if model.schema().sizes.rows() > 0 {
            records.put(NUMBER_SIZES, &model.schema().sizes.parts())?;
        }
        if model.schema().sizes.spreads.rows() > 0 {
            records.put(NUMBER_SPREADS, &model.schema().sizes.spreads.parts())?;
        }
        if let Some(run) = run {
            words::BEFORE_RUN.put(&run.text, &mut records, &mut state)?;
        }
        let header = header_records::encode(&ModelHeader::of(model, read, run), &records)?;
        model.learner().save(&mut state);
        if let Some(moments) = &model.preparation().standardize {
            state.put_f64(MEAN, moments.mean());
            state.put_f64(SCALE, moments.scale());
            if let Some(slots) = moments.slots() {
                state.put_u32(SLOTS, slots);
            }
        }
        if let Some(calibration) = model.calibration() {
            calibration.save(&mut state);
        }
        if let Some(run) = run {
            unfinished::save_validation(run, model, &mut state);
            unfinished::save_until_separated(run, &mut state);
            unfinished::save_paired(run, &mut state);
            unfinished::save_course(run, &mut state);
        }
        Ok(Encoded { header, state })
    }

    fn save(&self, path: &Path) -> Result<Digest, ModelError> {
        Ok(container::save(path, &self.header, &self.state)?)
    }
}

fn content(path: &Path, what: &impl ToString) -> ModelError {
    ModelError::Content {
        path: path.display().to_string(),
        what: what.to_string(),
    }
}

/// Reads a model whose state may take `memory` bytes.
pub fn load(path: &Path, memory: u128) -> Result<LoadedModel, ModelError> {
    let limit = u64::try_from(memory).unwrap_or(u64::MAX);
    restored(path, container::load_within(path, limit)?, memory)
}

/// The model of [`to_bytes`], or of a whole file, whose state may take `memory` bytes; errors name the file `<bytes>`.
pub fn from_bytes(bytes: &[u8], memory: u128) -> Result<LoadedModel, ModelError> {
    let limit = u64::try_from(memory).unwrap_or(u64::MAX);
    let loaded = container::from_bytes_within(bytes, limit)?;
    restored(Path::new(container::IN_MEMORY), loaded, memory)
}

fn restored(
    path: &Path,
    loaded: container::Loaded,
    memory: u128,
) -> Result<LoadedModel, ModelError> {
    let decoded = header_records::decode(&loaded.header);
    let (header, records) = decoded.map_err(|error| content(path, &error))?;
    let built = build(header, records, loaded.state, memory);
    let (model, unfinished) = built.map_err(|what| content(path, &what))?;
    Ok(LoadedModel {
        model,
        unfinished,
        digest: loaded.digest,
        sections: loaded.sections,
    })
}

fn build(
    mut header: ModelHeader<'_, StoredNames>,
    mut records: Records,
    mut state: State<'static>,
    memory: u128,
) -> Result<(Model, Option<Unfinished>), String> {
    let spec = Spec::stored(&header.spec).map_err(|error| error.to_string())?;
    let kernel = Kernel::parse(&header.kernel).map_err(|error| error.to_string())?;
    let parameters = header.parameters(&spec)?;
    let classes = header.classes();
    let lanes = classes.list().len() + usize::from(!classes.is_binary());
    // the margins that a calibration keeps are part of what the state may take
    let rest = memory.saturating_sub(Calibration::bytes_in(lanes, &state));
    let mut learner = spec
        .learner(&parameters, kernel, rest)
        .map_err(|error| error.to_string())?;
    learner
        .load(lanes, &mut state)
        .map_err(|error| error.to_string())?;
    let moments = if header.standardize {
        Some(restore_moments(&mut state)?)
    } else {
        None
    };
    let votes = learner.score_unit(Hypothesis::Voted);
    let calibration = Calibration::load(classes.list().len(), votes, &mut state);
    let calibration = calibration.map_err(|error| error.to_string())?;
    let run = header.unfinished.take();
    let (validation, until_separated, paired, course) = match &run {
        Some(_) => (
            unfinished::load_validation(&mut state)?,
            unfinished::load_until_separated(&mut state)?,
            unfinished::load_paired(&mut state)?,
            unfinished::load_course(&mut state)?,
        ),
        None => (None, false, None, None),
    };
    let mut schema = header.schema(moments, &mut records)?;
    schema.preparation.map = restore_map(&mut records, &mut state, memory)?.map(Arc::new);
    let highest = schema.names.highest();
    schema.text = words::SO_FAR.take(highest, &mut records, &mut state)?;
    let before = words::BEFORE_RUN.take(highest, &mut records, &mut state)?;
    let sizes = records.take::<(u64, Vec<(u32, u64, u64)>)>(NUMBER_SIZES)?;
    if let Some(sizes) = sizes {
        let sizes = Sizes::restore(sizes, highest).ok_or("sizes of numbers that are none")?;
        schema.sizes = Arc::new(sizes);
    }
    let spreads = records.take::<(u64, u64, Vec<(u32, f64, f64)>)>(NUMBER_SPREADS)?;
    if let Some(spreads) = spreads {
        let spreads = Spreads::restore(spreads, highest).ok_or("means of numbers that are none")?;
        Arc::make_mut(&mut schema.sizes).spreads = spreads;
    }
    let auto_gamma = records.take::<bool>(AUTO_GAMMA)?.unwrap_or(false);
    records.take::<[Vec<u64>; 2]>(EARLIER_LEARNED)?;
    let mut sample = |name: &str| -> Result<RowSample, String> {
        let parts = records.take::<[[Vec<u64>; 3]; 2]>(name)?;
        let sample = RowSample::restore(parts.unwrap_or_default());
        Ok(sample.ok_or("a sample of rows that is none")?)
    };
    let (learned, calibrated_on) = (sample(LEARNED)?, sample(CALIBRATED_ON)?);
    if let Some(name) = state.left() {
        return Err(format!("an array `{name}` that this learner does not have"));
    }
    let weights: Option<StoredWeights> = records.take(StoredWeights::NAME)?;
    let weights = weights.map(|weights| weights.restore()).transpose()?;
    records.all_taken()?;
    let model = Model::from_parts(ModelParts {
        spec,
        parameters,
        kernel,
        auto_gamma,
        schema: Arc::new(schema),
        learner,
        classes,
        totals: Totals {
            trials: header.trials,
            mistakes: header.mistakes,
            updates: header.updates,
        },
        calibration,
        settled_earlier: run.as_ref().map_or(0, |run| run.settled_earlier),
        learned,
    });
    let mut model = model.map_err(|error| error.to_string())?;
    model.set_calibrated_on(calibrated_on);
    let set = model.set_class_weights(weights);
    set.map_err(|error| error.to_string())?;
    let run = run.map(|run| run.restore(&model, validation, until_separated, paired));
    let mut unfinished = run.transpose()?;
    if let Some(run) = &mut unfinished {
        (run.text, run.course) = (before, course);
    }
    Ok((model, unfinished))
}

fn restore_map(
    records: &mut Records,
    state: &mut State<'static>,
    memory: u128,
) -> Result<Option<FeatureMap>, String> {
    let Some((typed, gamma)) = records.take::<(String, f64)>(MAP)? else {
        return Ok(None);
    };
    let spec = MapSpec::parse(&typed).map_err(|error| error.to_string())?;
    if !(gamma > 0.0 && gamma.is_finite()) {
        return Err(format!("a map of gamma {gamma}"));
    }
    let map = FeatureMap::load(spec, gamma, memory / 4, state);
    map.map(Some).map_err(|error| error.to_string())
}

fn restore_moments(state: &mut State<'static>) -> Result<Moments, String> {
    let slots = state.take_u32(SLOTS).ok();
    let both = state.take_f64(MEAN).ok().zip(state.take_f64(SCALE).ok());
    let moments = both.and_then(|(mean, scale)| Moments::restore(slots, mean, scale));
    moments.ok_or_else(|| "its means and deviations do not fit together".to_owned())
}
