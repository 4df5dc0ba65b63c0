//! `novikoff predict`: labels, margins or probabilities, one line per row.

use std::io::{StdoutLock, Write as _, stdout};

use novikoff::model::Model;
use novikoff_engine::data::Data;
use novikoff_engine::predict::{Answers, Predict};
use novikoff_engine::{Context, Error, Interrupt};

use crate::args::PredictArgs;
use crate::error::Failure;
use crate::job;
use crate::progress::Progress;

pub(crate) fn predict(args: &PredictArgs) -> Result<(), Failure> {
    let job = Predict {
        model: args.model.clone(),
        data: Data::named(&args.data)?,
        by: args.by.map(job::hypothesis),
        probabilities: args.probabilities,
        rows: args.rows.leniently(args.lenient),
    };
    let progress = args.rows.progress();
    let mut printer = Printer {
        progress: &progress,
        form: match (args.margins, args.probabilities) {
            (true, _) => RowOutput::Margins,
            (_, true) => RowOutput::Probabilities,
            _ => RowOutput::Labels,
        },
        probabilities: Vec::new(),
        text: Vec::new(),
        out: stdout().lock(),
    };
    progress.during(|| job.run(Context::new(&progress, &Interrupt::default()), &mut printer))?;
    Ok(())
}

/// Bytes of answers that are held back until a row has a feature that the model knows.
const HELD_BACK: usize = 16 << 20;

/// What is printed of a row.
#[derive(Clone, Copy)]
enum RowOutput {
    Labels,
    Margins,
    Probabilities,
}

struct Printer<'p> {
    progress: &'p Progress,
    form: RowOutput,
    probabilities: Vec<f64>,
    text: Vec<u8>,
    out: StdoutLock<'static>,
}

impl Answers for Printer<'_> {
    fn row(&mut self, model: &Model, scores: &[f64]) {
        let (text, probabilities) = (&mut self.text, &mut self.probabilities);
        match self.form {
            RowOutput::Labels => model.predict(scores, text),
            RowOutput::Margins => in_order(model, scores, text),
            RowOutput::Probabilities => {
                model.probabilities(scores, probabilities);
                if model.classes().is_binary() {
                    // writing to a Vec cannot fail
                    let _ = write!(text, "{}\t", 1.0 - probabilities[0]);
                }
                in_order(model, probabilities, text);
            }
        }
        text.push(b'\n');
    }

    fn end_block(&mut self, settled: bool) -> Result<(), Error> {
        if !settled && self.text.len() < HELD_BACK {
            return Ok(());
        }
        let (progress, out, text) = (self.progress, &mut self.out, &self.text);
        let written = progress.aside(|| out.write_all(text).and_then(|()| out.flush()));
        self.text.clear();
        written.map_err(Error::Output)
    }
}

/// One column per class, in class order.
fn in_order(model: &Model, values: &[f64], text: &mut Vec<u8>) {
    for (column, &class) in model.classes().order().iter().enumerate() {
        if column > 0 {
            text.push(b'\t');
        }
        // writing to a Vec cannot fail
        let _ = write!(text, "{}", values[class]);
    }
}
