//! The model that `evaluate`, `calibrate` and `predict` begin with.

use std::path::Path;

use novikoff_data::model::LoadedModel;

use crate::Error;
use crate::options::RowOptions;

/// The model of a file, to be used on rows read this way.
pub(crate) fn open_model(path: &Path, rows: &RowOptions) -> Result<LoadedModel, Error> {
    let mut loaded = novikoff_data::model::load(path, rows.memory)?;
    loaded.model.set_threads(rows.threads);
    rows.check_schema(&loaded.model, path)?;
    Ok(loaded)
}
