//! The papers' tables and figures, run again: ours beside theirs.
//!
//! What is run is said by specifications below `papers/`, which are part of the program. Results of runs are kept as they are made, so that
//! a second call goes on.

mod data;
mod decide;
mod experiment;
mod margins;
mod online;
mod orders;
mod outcome;
mod results;
mod runner;
mod splits;
mod stopwatch;
mod topics;

use std::path::{Path, PathBuf};

use novikoff::grammar::nearest_match;
use novikoff_data::atomic::NewFile;
use novikoff_report::{PaperReport, paper_html, paper_json, paper_markdown, paper_plots};

pub use crate::events::SkippedTable;
use crate::events::{Context, Notice};
use crate::options::RowOptions;
use crate::{Error, Remedy, Setting, StoppedWhile};
use data::{DataRoot, SetCache};
use experiment::Experiment;
use outcome::Outcome;
use results::Results;
use runner::Runner;

/// Tables and figures to be run.
#[derive(Clone, Debug)]
pub struct Reproduce {
    /// Their names; all if there are none.
    pub names: Vec<String>,
    /// The directory of the data.
    pub data: Option<PathBuf>,
    /// The forms that take seconds.
    pub quick: bool,
    /// Repetitions, if they are not those of the experiments.
    pub repetitions: Option<u32>,
    /// Where results are kept and pages are written, in a directory per table.
    pub out: PathBuf,
    /// What the pages say that they were made by.
    pub command: String,
    /// Threads and memory.
    pub rows: RowOptions,
}

/// What came of it.
pub struct Reproduced {
    /// The reports, and where their pages are.
    pub tables: Vec<(PaperReport, PathBuf)>,
    /// What was not run, since data is missing.
    pub skipped: Vec<SkippedTable>,
}

/// A table, and whether its data is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedTable {
    /// Its name.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The paper.
    pub paper: String,
    /// The files of the data directory that the full form reads, and whether each is there.
    pub needs: Vec<(String, bool)>,
    /// Whether the quick form needs no files.
    pub quick_needs_none: bool,
    /// Repetitions of the full form and of the quick one.
    pub repetitions: (u32, u32),
}

/// All tables, and what each needs.
pub fn list(data: Option<&Path>) -> Result<Vec<ListedTable>, Error> {
    check_folder(data)?;
    let root = DataRoot {
        folder: data.map(Path::to_owned),
    };
    let listed = |experiment: Experiment| {
        let mut needs: Vec<(String, bool)> = Vec::new();
        for set in experiment.sets(false) {
            let missing = root.missing(set);
            for name in DataRoot::needs(set) {
                if !needs.iter().any(|(known, _)| known == name) {
                    needs.push((name.to_owned(), !missing.contains(&name)));
                }
            }
        }
        let count = |quick| {
            let own = experiment.repetitions(quick);
            own.draws * own.orders
        };
        let mut quick = experiment.sets(true);
        let quick_needs_none = quick.any(|set| DataRoot::needs(set).is_empty());
        drop(quick);
        ListedTable {
            needs,
            quick_needs_none,
            repetitions: (count(false), count(true)),
            name: experiment.name,
            title: experiment.title,
            paper: experiment.paper,
        }
    };
    Ok(experiment::all().into_iter().map(listed).collect())
}

/// The directory of the data must be one.
fn check_folder(data: Option<&Path>) -> Result<(), Error> {
    let Some(folder) = data.filter(|folder| !folder.is_dir()) else {
        return Ok(());
    };
    let remedy = Remedy::give(Setting::DataDirectory, "DIR");
    Err(Error::refused(
        format!("{}: is no directory", folder.display()),
        remedy.aim("to name the directory that has the data of the papers"),
    ))
}

impl Reproduce {
    /// Runs them, or what is left of them.
    pub fn run(&self, context: Context<'_>) -> Result<Reproduced, Error> {
        let root = DataRoot {
            folder: self.data.clone(),
        };
        check_folder(self.data.as_deref())?;
        let mut done = Reproduced {
            tables: Vec::new(),
            skipped: Vec::new(),
        };
        for mut experiment in self.chosen()? {
            let missing = self.leave_out(&root, &mut experiment);
            if let Some(skipped) = missing {
                if skipped.sets.is_empty() && !self.names.is_empty() {
                    return Err(self.no_data(&skipped));
                }
                let is_all = skipped.sets.is_empty();
                context.notice(Notice::TableSkipped(skipped.clone()));
                done.skipped.push(skipped);
                if is_all {
                    continue;
                }
            }
            done.tables.push(self.table(&experiment, &root, context)?);
        }
        Ok(done)
    }

    /// The experiments that were named.
    fn chosen(&self) -> Result<Vec<Experiment>, Error> {
        let all = experiment::all();
        if self.names.is_empty() {
            return Ok(all);
        }
        let mut chosen = Vec::new();
        for name in &self.names {
            match all.iter().find(|experiment| experiment.name == *name) {
                Some(experiment) => chosen.push(experiment.clone()),
                None => return Err(unknown(name, &all)),
            }
        }
        Ok(chosen)
    }

    /// Leaves sets without data out of an experiment, and says which.
    fn leave_out(&self, root: &DataRoot, experiment: &mut Experiment) -> Option<SkippedTable> {
        let mut skipped = SkippedTable {
            name: experiment.name.clone(),
            sets: Vec::new(),
            missing: Vec::new(),
        };
        for set in experiment.sets(self.quick) {
            let missing = root.missing(set);
            if !missing.is_empty() {
                skipped.sets.push(set.name.clone());
                for name in missing {
                    if !skipped.missing.iter().any(|known| known == name) {
                        skipped.missing.push(name.to_owned());
                    }
                }
            }
        }
        if skipped.sets.is_empty() {
            return None;
        }
        experiment
            .sets
            .retain(|set| !skipped.sets.contains(&set.name));
        if experiment.sets(self.quick).next().is_none() {
            skipped.sets.clear();
        }
        Some(skipped)
    }

    fn no_data(&self, skipped: &SkippedTable) -> Error {
        let files = skipped.missing.join(", ");
        let place = match &self.data {
            Some(folder) => format!("in {}", folder.display()),
            None => "and no data directory was named".to_owned(),
        };
        Error::refused(
            format!("{}: needs {files}, which is missing {place}", skipped.name),
            Remedy::give(Setting::DataDirectory, "DIR")
                .aim("to name a directory that has the files"),
        )
    }

    /// One experiment, from the first run to its pages.
    fn table(
        &self,
        experiment: &Experiment,
        root: &DataRoot,
        context: Context<'_>,
    ) -> Result<(PaperReport, PathBuf), Error> {
        let name = if self.quick {
            format!("{}-quick", experiment.name)
        } else {
            experiment.name.clone()
        };
        let folder = self.out.join(&name);
        context.notice(Notice::TableBegun { name });
        let path = folder.join("runs.jsonl");
        let results = Results::open(&path)?;
        if results.damaged() > 0 {
            let lines = results.damaged();
            context.notice(Notice::DamagedResults { path, lines });
        }
        let cache = SetCache::new(root, &self.rows);
        let runner = Runner::new(
            experiment,
            self.quick,
            self.repetitions,
            &self.rows,
            cache,
            results,
            context,
        );
        runner.all()?;
        if context.interrupt.is_requested() {
            return Err(Error::Stopped(StoppedWhile::Reproducing));
        }
        let report = Outcome::new(&runner).report();
        self.write(&report, &folder)?;
        Ok((report, folder))
    }

    fn write(&self, report: &PaperReport, folder: &Path) -> Result<(), Error> {
        let undrawn = |error: novikoff_report::PlotError| Error::plain(error.to_string());
        put(
            &folder.join("table.json"),
            format!("{}\n", paper_json(report)).as_bytes(),
        )?;
        put(
            &folder.join("table.md"),
            paper_markdown(report, &self.command).as_bytes(),
        )?;
        for file in paper_plots(report).map_err(undrawn)? {
            put(&folder.join(file.name), &file.bytes)?;
        }
        let page = paper_html(report, &self.command).map_err(undrawn)?;
        put(&folder.join("table.html"), page.as_bytes())
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    use std::io::Write as _;
    let mut file = NewFile::create(path)?;
    match file.write_all(bytes) {
        Ok(()) => Ok(file.commit()?),
        Err(error) => Err(file.failed(error).into()),
    }
}

fn unknown(name: &str, all: &[Experiment]) -> Error {
    let names = || all.iter().map(|experiment| experiment.name.as_str());
    let list = names().collect::<Vec<_>>().join(", ");
    let what = format!("no table is called {name}; there are {list}");
    match nearest_match(name, names()) {
        Some(near) => Error::refused(what, Remedy::clause(format!("did you mean {near}?"))),
        None => Error::plain(what),
    }
}

#[cfg(test)]
mod tests;
