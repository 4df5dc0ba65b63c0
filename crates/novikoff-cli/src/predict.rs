//! `novikoff predict`: labels, margins or probabilities, one line a row.

use std::io::{Write as _, stdout};

use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::rows::Block;
use novikoff::source::Source as _;

use crate::args::PredictArgs;
use crate::error::Failure;
use crate::input::{self, Data};
use crate::job;
use crate::labelled::Bare;
use crate::progress::Progress;

pub(crate) fn predict(args: &PredictArgs) -> Result<(), Failure> {
    let data = Data::named(&args.data)?;
    let mut model =
        novikoff_data::model::load(&args.model, job::memory(args.rows.max_memory))?.model;
    model.threads = args.rows.threads();
    let mut by = job::hypothesis(args.by, model.learner.hypotheses(), model.spec.name())?;
    if args.probabilities {
        by = Some(calibrated(&model, by, args)?);
    }
    if args.rows.zero_based && !model.zero_based {
        return Err(
            "--zero-based: the model was trained on features counted from 1; leave the flag out"
                .into(),
        );
    }
    let mut reading = args.rows.reading_for(&model);
    reading.options.unlabelled = true;
    let progress = Progress::new(args.rows.quiet).verbose(args.rows.verbose);
    let mut printer = Printer {
        model: &model,
        form: match (args.margins, args.probabilities) {
            (true, _) => Form::Margins,
            (_, true) => Form::Probabilities,
            _ => Form::Labels,
        },
        by,
        probabilities: Vec::new(),
        text: Vec::new(),
    };
    let mut out = stdout().lock();
    let Some(mut reader) = data.reader(&reading)? else {
        let held = data.load(
            &reading,
            job::memory(args.rows.max_memory),
            Bare::Rows,
            &progress,
        )?;
        for block in held.blocks() {
            out.write_all(printer.lines(block))?;
        }
        return Ok(());
    };
    // nothing is drawn over the predictions themselves
    progress.begin(reader.total_bytes(), "predicting");
    while let Some(block) = reader.next_block()? {
        out.write_all(printer.lines(block))?;
        out.flush()?;
        progress.at(reader.bytes_read());
    }
    progress.end();
    input::tell(&reader, &progress);
    if reader.unknown() > 0 {
        let unknown = novikoff_report::count(reader.unknown());
        progress.remark(&format!(
            "{unknown} values were left out: the model does not know their features"
        ));
    }
    Ok(())
}

/// The predictor whose margins the model turns into probabilities.
fn calibrated(
    model: &Model,
    by: Option<Hypothesis>,
    args: &PredictArgs,
) -> Result<Hypothesis, Failure> {
    let Some(calibration) = &model.calibration else {
        let path = args.model.display();
        return Err(format!("--probabilities: {path} has margins only; `novikoff calibrate {path} HELD-OUT-DATA -o MODEL2` makes a model that has them").into());
    };
    let own = calibration.hypothesis;
    if by.is_some_and(|by| by != own) {
        let own = own.name();
        return Err(format!("--probabilities: the model was calibrated for its {own} predictor; leave --use out, or calibrate again with --use").into());
    }
    Ok(own)
}

/// What is printed of a row.
#[derive(Clone, Copy)]
enum Form {
    Labels,
    Margins,
    Probabilities,
}

struct Printer<'a> {
    model: &'a Model,
    form: Form,
    by: Option<Hypothesis>,
    probabilities: Vec<f64>,
    text: Vec<u8>,
}

impl Printer<'_> {
    fn lines(&mut self, rows: Block<'_>) -> &[u8] {
        let (model, form, text) = (self.model, self.form, &mut self.text);
        let probabilities = &mut self.probabilities;
        text.clear();
        let all = (0..rows.len()).map(|row| rows.row(row));
        model.scores_of(all, self.by, |_, scores| {
            match form {
                Form::Labels => model.predict(scores, text),
                Form::Margins => in_order(model, scores, text),
                Form::Probabilities => {
                    model.probabilities(scores, probabilities);
                    if model.classes.is_binary() {
                        // writing to a Vec cannot fail
                        let _ = write!(text, "{}\t", 1.0 - probabilities[0]);
                    }
                    in_order(model, probabilities, text);
                }
            }
            text.push(b'\n');
        });
        &self.text
    }
}

/// A column a class, in class order.
fn in_order(model: &Model, values: &[f64], text: &mut Vec<u8>) {
    for (column, &class) in model.classes.order().iter().enumerate() {
        if column > 0 {
            text.push(b'\t');
        }
        // writing to a Vec cannot fail
        let _ = write!(text, "{}", values[class]);
    }
}
