//! `--report` and `--plots`: checked before anything is read, written when the runs are done.

use std::io::Write as _;
use std::path::Path;

use novikoff_data::atomic::NewFile;
use novikoff_report::{Page, RunReport, html, plots};

use crate::args::{EndArgs, RunArgs};
use crate::checkpoint::quote;
use crate::error::Failure;
use crate::job;
use crate::progress::Progress;

impl EndArgs {
    /// Whether there is something to draw.
    pub(crate) fn is_drawn(&self) -> bool {
        self.report.is_some() || self.plots.is_some()
    }
}

/// What is to be written can be.
pub(crate) fn check(end: &EndArgs) -> Result<(), Failure> {
    if let Some(path) = &end.report {
        job::check_writable(path)?;
    }
    if let Some(folder) = &end.plots {
        std::fs::create_dir_all(folder).map_err(|error| {
            let folder = folder.display();
            format!("--plots {folder}: cannot be a directory: {error}; name one that is there, or can be made")
        })?;
        job::check_writable(&folder.join("mistakes.svg"))?;
    }
    Ok(())
}

/// Writes what was asked for.
pub(crate) fn write(
    (run, end): (&RunArgs, &EndArgs),
    data: &[String],
    runs: &[RunReport],
    progress: &Progress,
) -> Result<(), Failure> {
    if let Some(path) = &end.report {
        let words = std::env::args_os().skip(1);
        let words = words.map(|word| quote(&word.to_string_lossy()));
        let words: Vec<String> = std::iter::once("novikoff".to_owned())
            .chain(words)
            .collect();
        let page = html(&Page {
            data: &data.join(" "),
            command: &words.join(" "),
            version: env!("CARGO_PKG_VERSION"),
            settings: &settings(run, data),
            runs,
        });
        put(path, page.map_err(|e| e.to_string())?.as_bytes())?;
        progress.remark(&format!("report written to {}", path.display()));
    }
    if let Some(folder) = &end.plots {
        let files = plots(runs).map_err(|e| e.to_string())?;
        let count = files.len();
        for file in files {
            put(&folder.join(file.name), &file.bytes)?;
        }
        progress.remark(&format!("{count} plots written to {}", folder.display()));
    }
    Ok(())
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut file = NewFile::create(path)?;
    match file.write_all(bytes) {
        Ok(()) => Ok(file.commit()?),
        Err(error) => Err(file.failed(error).into()),
    }
}

/// How the runs were set up.
fn settings(run: &RunArgs, data: &[String]) -> Vec<(String, String)> {
    let off = || "off".to_owned();
    let mut list = vec![
        ("data", data.join(" ")),
        ("passes", run.epochs().to_string()),
        (
            "shuffle seed",
            run.shuffle.map_or_else(off, |seed| seed.to_string()),
        ),
        (
            "kernel",
            run.kernel.clone().unwrap_or_else(|| "linear".to_owned()),
        ),
        ("bias", run.bias.clone().unwrap_or_else(off)),
        (
            "normalize",
            run.normalize
                .clone()
                .unwrap_or_else(|| "as the learner asks".to_owned()),
        ),
        (
            "standardize",
            if run.standardize {
                "on".to_owned()
            } else {
                off()
            },
        ),
    ];
    let given = [
        ("orders", run.permutations.map(|n| n.to_string())),
        ("positive label", run.positive.clone()),
        ("labels", run.labels.clone()),
        ("test", run.test.clone()),
    ];
    list.extend(
        given
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    list.into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
