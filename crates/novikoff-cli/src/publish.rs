//! `--report` and `--plots`: checked before anything is read, written when the runs are done.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use novikoff::quantity::plural;
use novikoff_data::atomic::NewFile;
use novikoff_data::cache::beside;
use novikoff_engine::data::Data;
use novikoff_engine::files::{check_writable, is_same_file};
use novikoff_engine::options::UNTIL_SEPARATED;
use novikoff_report::{HtmlPage, Noted, RunReport, SweepPoint, html, plots, sweep_plots};

use crate::args::{EndArgs, RunArgs, TestArgs};
use crate::error::Failure;
use crate::progress::Progress;
use novikoff_engine::row_text::quote;

impl EndArgs {
    /// Whether there is something to draw.
    pub(crate) fn is_drawn(&self) -> bool {
        self.report.is_some() || self.plots.is_some()
    }
}

/// What is to be written can be, and is neither read nor written by another.
pub(crate) fn check<'p>(
    end: &EndArgs,
    read: &[&Data],
    written: impl Iterator<Item = &'p PathBuf>,
    caches: bool,
) -> Result<(), Failure> {
    if let Some(path) = &end.report {
        check_writable(path)?;
        let shown = path.display();
        if read.iter().any(|data| data.reads(path)) {
            return Err(format!(
                "{shown}: is read as data and cannot be written; give another name"
            )
            .into());
        }
        if let (true, Some(Data::Files(paths))) = (caches, read.first())
            && is_same_file(path, &beside(paths))
        {
            return Err(format!("{shown}: is where --cache keeps its copy of the data; give another name for -o, --trace and --report, or leave --cache out").into());
        }
        if written.into_iter().any(|other| other == path) {
            return Err("--report names the same file as -o or --trace; give two names".into());
        }
    }
    if let Some(folder) = &end.plots {
        std::fs::create_dir_all(folder).map_err(|error| {
            let folder = folder.display();
            format!("--plots {folder}: cannot be a directory: {error}; name one that is there, or can be made")
        })?;
        check_writable(&folder.join("mistakes.svg"))?;
    }
    Ok(())
}

/// Runs and what is to be written of them.
pub(crate) struct Publication<'a> {
    pub(crate) data: &'a [String],
    pub(crate) run: &'a RunArgs,
    pub(crate) test: &'a TestArgs,
    pub(crate) end: &'a EndArgs,
    pub(crate) runs: &'a [RunReport],
    /// Remarks on the data; those on runs are with the runs.
    pub(crate) remarks: &'a [Noted],
    /// The points of a sweep, whose runs are not drawn one by one.
    pub(crate) sweep: &'a [SweepPoint],
}

impl Publication<'_> {
    /// Writes what was asked for.
    pub(crate) fn write(&self, progress: &Progress) -> Result<(), Failure> {
        if let Some(path) = &self.end.report {
            let words = crate::shell::words().into_iter().skip(1);
            let words = words.map(|word| quote(&word));
            let words: Vec<String> = std::iter::once("novikoff".to_owned())
                .chain(words)
                .collect();
            let page = html(&HtmlPage {
                data: &self.data.join(" "),
                command: &words.join(" "),
                version: env!("CARGO_PKG_VERSION"),
                settings: &settings(self.run, self.test, self.data, self.runs),
                runs: self.runs,
                remarks: self.remarks,
                sweep: self.sweep,
            });
            put(path, page.map_err(|e| e.to_string())?.as_bytes())?;
            progress.remark(&format!("report written to {}", path.display()));
        }
        if let Some(folder) = &self.end.plots {
            let files = if self.sweep.is_empty() {
                plots(self.runs)
            } else {
                sweep_plots(self.sweep)
            };
            let files = files.map_err(|e| e.to_string())?;
            let plots = plural(files.len() as u64, "plot");
            for file in files {
                put(&folder.join(file.name), &file.bytes)?;
            }
            progress.remark(&format!("{plots} written to {}", folder.display()));
        }
        Ok(())
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut file = NewFile::create(path)?;
    match file.write_all(bytes) {
        Ok(()) => Ok(file.commit()?),
        Err(error) => Err(file.failed(error).into()),
    }
}

/// How often the rows are passed over.
fn passes(run: &RunArgs) -> String {
    if run.until_separated {
        let most = run.epochs.unwrap_or(UNTIL_SEPARATED);
        return format!("until one has no mistake, at most {most}");
    }
    run.epochs.unwrap_or(1).to_string()
}

/// How the rows were divided, if they were.
fn divisions(run: &RunReport) -> Option<String> {
    let orders = run.permutations.as_ref()?;
    Some(format!("{}, {}", orders.runs.len(), orders.split?.text()))
}

/// How the runs were set up.
fn settings(
    run: &RunArgs,
    test: &TestArgs,
    data: &[String],
    runs: &[RunReport],
) -> Vec<(String, String)> {
    let off = || "off".to_owned();
    let mut list = vec![
        ("data", data.join(" ")),
        ("passes", passes(run)),
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
        ("divisions", runs.first().and_then(divisions)),
        ("map", run.map.clone()),
        ("positive label", run.positive.clone()),
        ("labels", run.labels.clone()),
        ("test", test.test.clone()),
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
