//! `novikoff predict`: labels, margins or probabilities, one line per row.

use std::io::{StdoutLock, Write as _, stdout};

use novikoff::evaluation::ScoreUnit;
use novikoff_engine::data::Data;
use novikoff_engine::predict::{Answers, Decision, Predict};
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
        decision: match (args.threshold, args.cost, args.top) {
            (Some(at), ..) => Decision::Threshold(at),
            (_, Some(costs), _) => Decision::Cost(costs),
            (.., Some(most)) => Decision::Top(most),
            _ => Decision::Own,
        },
        values: match (args.margins, args.probabilities) {
            (true, _) => Some(ScoreUnit::Margin),
            (_, true) => Some(ScoreUnit::Probability),
            _ => None,
        },
        id: args.id.clone(),
        rows: args.rows.leniently(args.lenient),
    };
    let progress = args.rows.progress();
    let mut printer = Printer {
        progress: &progress,
        header: args.print_header,
        is_first: true,
        text: Vec::new(),
        out: stdout().lock(),
    };
    progress.during(|| job.run(Context::new(&progress, &Interrupt::default()), &mut printer))?;
    Ok(())
}

/// Bytes of answers that are held back until a row has a feature that the model knows.
const HELD_BACK: usize = 16 << 20;

struct Printer<'p> {
    progress: &'p Progress,
    header: bool,
    /// The next cell is the first of its line.
    is_first: bool,
    text: Vec<u8>,
    out: StdoutLock<'static>,
}

impl Printer<'_> {
    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.text.push(b'\t');
        }
    }
}

impl Answers for Printer<'_> {
    fn begin(&mut self, columns: &[String]) {
        if self.header {
            for name in columns {
                self.text(name.as_bytes());
            }
            self.end_row();
        }
    }

    fn text(&mut self, text: &[u8]) {
        self.separate();
        if !text.starts_with(b"\"") && !text.iter().any(|b| b"\t\n\r".contains(b)) {
            self.text.extend_from_slice(text);
            return;
        }
        self.text.push(b'"');
        for &byte in text {
            self.text.push(byte);
            if byte == b'"' {
                self.text.push(byte);
            }
        }
        self.text.push(b'"');
    }

    fn number(&mut self, number: f64) {
        self.separate();
        let size = number.abs();
        // writing to a Vec cannot fail
        let _ = if size != 0.0 && !(1e-5..1e16).contains(&size) {
            write!(self.text, "{number:e}")
        } else {
            write!(self.text, "{number}")
        };
    }

    fn end_row(&mut self) {
        self.text.push(b'\n');
        self.is_first = true;
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
