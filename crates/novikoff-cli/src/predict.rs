//! `novikoff predict`: labels or margins, one line a row.

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
    let by = job::hypothesis(args.by, model.learner.hypotheses(), model.spec.name())?;
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
        margins: args.margins,
        by,
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

struct Printer<'a> {
    model: &'a Model,
    margins: bool,
    by: Option<Hypothesis>,
    text: Vec<u8>,
}

impl Printer<'_> {
    fn lines(&mut self, rows: Block<'_>) -> &[u8] {
        let (model, margins, text) = (self.model, self.margins, &mut self.text);
        text.clear();
        let all = (0..rows.len()).map(|row| rows.row(row));
        model.scores_of(all, self.by, |_, scores| {
            if margins {
                for (column, &class) in model.classes.order().iter().enumerate() {
                    if column > 0 {
                        text.push(b'\t');
                    }
                    // writing to a Vec cannot fail
                    let _ = write!(text, "{}", scores[class]);
                }
            } else {
                model.predict(scores, text);
            }
            text.push(b'\n');
        });
        &self.text
    }
}
