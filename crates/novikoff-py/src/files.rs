//! Files from Python: learned from at the command's speed, or read into arrays.

use std::path::PathBuf;
use std::thread;

use novikoff_data::blocks::Format;
use novikoff_engine::data::Data;
use novikoff_engine::load::{Load, LoadedRows};
use novikoff_engine::memory_for;
use novikoff_engine::options::RowOptions;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::options::threads;
use crate::tables::ReadWords;
use crate::watch;

/// All rows of a file as arrays: `data`, `indices`, `indptr`, `labels` (numbers, or texts where one is none), `weights`, `features`, `names`.
#[pyfunction]
#[pyo3(signature = (paths, read, threads_=None, progress=None))]
pub(crate) fn load_file(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    read: ReadWords,
    threads_: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyDict>> {
    let job = Load {
        data: Data::Files(paths),
        rows: RowOptions {
            read: read.options()?,
            hash: None,
            threads: threads(threads_),
            memory: memory_for(None),
            lenient: true,
        },
    };
    let loaded = watch::run_files(py, progress.as_ref(), |context| job.run(context))?;
    arrays(
        py,
        &loaded,
        read.format.as_deref() == Some(Format::Vw.name()),
    )
}

fn arrays<'py>(
    py: Python<'py>,
    loaded: &LoadedRows,
    wants_names: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let block = loaded.rows.view();
    let out = PyDict::new(py);
    let (data, indices, indptr) = py.detach(|| {
        // new memory costs more than what is put there, and each thread gets its own
        thread::scope(|scope| {
            // features are counted from 1, places of arrays from 0
            let of = |slots: &[u32]| {
                slots
                    .iter()
                    .map(|&slot| slot as i32 - 1)
                    .collect::<Vec<_>>()
            };
            let index = move || of(&block.slots_of_values());
            let indices = scope.spawn(index);
            let data = block.value.to_vec();
            let ends = block.ends.iter().map(|&end| end as i64);
            let indptr: Vec<i64> = std::iter::once(0).chain(ends).collect();
            let indices = indices.join().unwrap_or_else(|_| index());
            (data, indices, indptr)
        })
    });
    out.set_item("data", PyArray1::from_vec(py, data))?;
    out.set_item("indices", PyArray1::from_vec(py, indices))?;
    out.set_item("indptr", PyArray1::from_vec(py, indptr))?;
    let single = block.label_number.len() == block.len();
    if single && !block.label_number.iter().any(|number| number.is_nan()) {
        out.set_item("labels", PyArray1::from_slice(py, block.label_number))?;
    } else {
        let texts = (0..block.len()).map(|row| {
            let labels = block.labels(row);
            let labels = labels.map(|label| String::from_utf8_lossy(label.text()).into_owned());
            labels.collect::<Vec<_>>().join(",")
        });
        out.set_item("labels", texts.collect::<Vec<_>>())?;
    }
    let weights = (!block.weights.is_empty()).then(|| PyArray1::from_slice(py, block.weights));
    out.set_item("weights", weights)?;
    out.set_item("features", loaded.width)?;
    let names = wants_names.then(|| {
        let name = |slot| {
            loaded
                .names
                .name(slot)
                .map_or_else(|| slot.to_string(), str::to_owned)
        };
        (1..=loaded.width).map(name).collect::<Vec<_>>()
    });
    out.set_item("names", names).map(|()| out)
}
