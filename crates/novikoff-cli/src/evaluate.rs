//! `novikoff evaluate`: a model on labelled rows; and the pass over such rows that `calibrate` shares.

use std::io::{Write as _, stdout};
use std::path::Path;
use std::time::Instant;

use novikoff::classes::{LabelError, Task};
use novikoff::evaluation::{Distances, Evaluation, Tally};
use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::rows::Block;
use novikoff::source::Source as _;
use novikoff_data::atomic::NewFile;
use novikoff_data::blocks::Skipped;
use novikoff_data::model::LoadedModel;
use novikoff_report::{
    EvaluateReport, EvaluateResult, count, curves_csv, curves_json, evaluate_json, evaluate_text,
};

use crate::args::{EvaluateArgs, RowArgs};
use crate::error::Failure;
use crate::input::{self, Data};
use crate::job;
use crate::labelled::{Bare, Kept, labelled};
use crate::progress::Progress;

pub(crate) fn evaluate(args: &EvaluateArgs) -> Result<(), Failure> {
    let begun = Instant::now();
    let data = Data::named(&args.data)?;
    let curves = args.curves.as_deref();
    if let Some(path) = curves {
        check_curves(path, &data)?;
    }
    let model = load(&args.model, &args.rows)?.model;
    let by = job::hypothesis(args.by, model.learner.hypotheses(), model.spec.name())?;
    let used = by.unwrap_or(model.learner.hypotheses()[0]);
    let progress = Progress::new(args.rows.quiet).verbose(args.rows.verbose);
    let pass = Pass {
        model: &model,
        data: &data,
        rows: &args.rows,
        progress: &progress,
    };
    let (result, skipped) = if let Task::Regression = model.classes.task() {
        if curves.is_some() {
            return Err("--curves: the model predicts numbers, which have no curves".into());
        }
        let (distances, skipped) = pass.distances(by)?;
        (EvaluateResult::Numbers(distances), skipped)
    } else {
        let (evaluation, skipped) = pass.tally(by, job::memory(args.rows.max_memory) / 2)?;
        pass.remark(&evaluation);
        let result = if model.classes.is_binary() {
            EvaluateResult::Two(evaluation)
        } else {
            EvaluateResult::Several(evaluation)
        };
        if let Some(path) = curves {
            write_curves(path, &result)?;
        }
        (result, skipped)
    };
    let report = EvaluateReport {
        spec: model.spec.text().to_owned(),
        kernel: model.kernel.to_string(),
        by: used.name(),
        result,
        skipped: job::skipped(&skipped),
        seconds: begun.elapsed().as_secs_f64(),
    };
    let text = if args.json {
        format!("{}\n", evaluate_json(&report))
    } else {
        evaluate_text(&report)
    };
    Ok(stdout().lock().write_all(text.as_bytes())?)
}

/// The model, to be used on rows read this way.
pub(crate) fn load(path: &Path, rows: &RowArgs) -> Result<LoadedModel, Failure> {
    let mut loaded = novikoff_data::model::load(path, job::memory(rows.max_memory))?;
    loaded.model.threads = rows.threads();
    if rows.zero_based && !loaded.model.zero_based {
        return Err(
            "--zero-based: the model was trained on features counted from 1; leave the flag out"
                .into(),
        );
    }
    Ok(loaded)
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "json")
}

fn check_curves(path: &Path, data: &Data) -> Result<(), Failure> {
    let shown = path.display();
    if !is_json(path) && path.extension().is_none_or(|e| e != "csv") {
        return Err(format!("--curves {shown}: must end in .csv or .json").into());
    }
    if data.reads(path) {
        return Err(
            format!("{shown}: is read as data and cannot be written; give another name").into(),
        );
    }
    job::check_writable(path)
}

fn write_curves(path: &Path, result: &EvaluateResult) -> Result<(), Failure> {
    let text = if is_json(path) {
        format!("{}\n", curves_json(result))
    } else {
        curves_csv(result)
    };
    let mut file = NewFile::create(path)?;
    let written = file.write_all(text.as_bytes());
    written.map_err(|error| file.failed(error))?;
    Ok(file.commit()?)
}

/// The only label of a row as a number.
fn number(block: Block<'_>, row: usize) -> Result<f64, String> {
    let mut labels = block.labels(row);
    let label = match (labels.len(), labels.next()) {
        (1, Some(label)) => label,
        (0, _) | (_, None) => return Err(LabelError::None.to_string()),
        (count, _) => return Err(LabelError::Several { count }.to_string()),
    };
    label.number().filter(|n| n.is_finite()).ok_or_else(|| {
        let text = String::from_utf8_lossy(label.text());
        let text: String = text.chars().take(40).collect();
        format!("the label `{text}` is not a number, but the model predicts numbers")
    })
}

/// One pass of a model over labelled rows.
pub(crate) struct Pass<'p> {
    pub(crate) model: &'p Model,
    pub(crate) data: &'p Data,
    pub(crate) rows: &'p RowArgs,
    pub(crate) progress: &'p Progress,
}

impl Pass<'_> {
    /// All counts; scores may take `memory` bytes.
    pub(crate) fn tally(
        &self,
        by: Option<Hypothesis>,
        memory: u128,
    ) -> Result<(Evaluation, Skipped), Failure> {
        let mut tally = Tally::new(self.model, by, memory);
        let skipped = self.blocks(|block, place| {
            let added = tally.add(block);
            added.map_err(|(row, error)| format!("{}{error}", place(row)).into())
        })?;
        Ok((tally.finish(), skipped))
    }

    fn distances(&self, by: Option<Hypothesis>) -> Result<(Distances, Skipped), Failure> {
        let mut distances = Distances::default();
        let skipped = self.blocks(|block, place| {
            let mut numbers = Vec::new();
            for row in 0..block.len() {
                let number = number(block, row);
                numbers.push(number.map_err(|what| format!("{}{what}", place(row)))?);
            }
            let all = (0..block.len()).map(|row| block.row(row));
            let each = |row: usize, scores: &[f64]| distances.add(numbers[row], scores[0]);
            self.model.scores_of(all, by, each);
            Ok(())
        })?;
        Ok((distances, skipped))
    }

    /// Hands out the rows block by block, with a function that tells where a row is from.
    fn blocks(
        &self,
        mut each: impl FnMut(Block<'_>, &dyn Fn(usize) -> String) -> Result<(), Failure>,
    ) -> Result<Skipped, Failure> {
        let reading = self.rows.reading_for(self.model);
        let task = self.model.classes.task();
        let bare = Bare::of(Some(task));
        let mut rows = 0;
        let Some(mut reader) = self.data.reader(&reading)? else {
            let limit = job::memory(self.rows.max_memory);
            let held = self.data.load(&reading, limit, bare, self.progress)?;
            for block in held.blocks() {
                each(block, &|row| held.place(rows + row))?;
                rows += block.len();
            }
            return Ok(held.skipped);
        };
        self.progress.begin(reader.total_bytes(), "evaluating");
        while reader.next_block()?.is_some() {
            let kept = match bare {
                Bare::Rows => None,
                _ => labelled(&mut reader),
            };
            let Some((lent, line)) = reader.lent() else {
                continue;
            };
            let block = kept.as_ref().map_or(lent, Kept::view);
            let file = || reader.place(0).file;
            each(block, &|row| {
                format!("{}:{}: ", file(), line + 1 + block.line(row))
            })?;
            rows += block.len();
            if let Some(error) = kept.and_then(|kept| kept.error) {
                return Err(error.into());
            }
            self.progress.at(reader.bytes_read());
        }
        self.progress.end();
        input::tell(&reader, self.progress);
        if reader.unknown() > 0 {
            self.progress.remark(&format!(
                "{} values were left out: the model does not know their features",
                count(reader.unknown())
            ));
        }
        if rows == 0 {
            return Err("the data has no rows, so there is nothing to measure; check that the input is the one you meant".into());
        }
        Ok(reader.skipped().clone())
    }

    /// What is worth saying of the labels.
    pub(crate) fn remark(&self, evaluation: &Evaluation) {
        let (unknown, names) = &evaluation.unknown;
        if *unknown > 0 {
            let (times, names) = (count(*unknown), names.join(", "));
            let occur = if *unknown == 1 { "occurs" } else { "occur" };
            self.progress.remark(&format!(
                "labels the model does not know {occur} {times} times and count as errors, such as {names}"
            ));
        }
        if evaluation
            .labels
            .iter()
            .any(|label| label.ranking.is_none())
        {
            self.progress.remark(
                "break-even points and curves are left out: they need all scores, for which there is not enough memory; raise --max-memory",
            );
        }
    }
}
