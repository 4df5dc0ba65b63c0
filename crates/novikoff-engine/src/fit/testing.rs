//! Rows to test on that are read once, after the run.

use novikoff::classes::Task;
use novikoff::evaluation::Baseline;
use novikoff::model::Model;
use novikoff::remark::RowsFor;
use novikoff_report::{BaselineReport, ErrorCount};

use super::CheckedFit;
use crate::data;
use crate::events::Phase;
use crate::familiar::Familiar;
use crate::labels::{FilteredBlock, labelled};
use crate::testing;
use crate::{Error, StoppedWhile};

impl CheckedFit<'_> {
    pub(super) fn test_streamed(
        &self,
        model: &Model,
    ) -> Result<Option<(ErrorCount, BaselineReport)>, Error> {
        let Some(data) = &self.fit.test else {
            return Ok(None);
        };
        let reading = self.fit.rows.reading_for(model, self.context);
        let mut reader = data.reader(&reading)?;
        let mut report = ErrorCount { rows: 0, errors: 0 };
        let multi = matches!(model.classes().task(), Task::MultiLabel);
        let mut familiar = if data.is_same(&self.fit.data) {
            // said before the run
            Familiar::default()
        } else {
            Familiar::new_to(model, RowsFor::Test)
        };
        self.context.begin(Phase::Testing, reader.total_bytes());
        let mut baseline = Baseline::of_test(model.classes());
        while reader.advance()? {
            if self.context.interrupt.is_requested() {
                let saved = self.fit.output.clone();
                return Err(Error::Stopped(StoppedWhile::Testing { saved }));
            }
            let kept = if multi { None } else { labelled(&mut reader) };
            let Some((lent, line)) = reader.lent() else {
                continue;
            };
            familiar.block(lent, &reading.schema, model.width());
            let block = kept.as_ref().map_or(lent, FilteredBlock::view);
            let at = |row| self.context.at(reader.position(row, block.len()));
            match testing::errors(model, block, self.by, &mut baseline, at) {
                Ok(errors) => report.errors += errors,
                Err((row, error)) => {
                    let place = reader.place(block, line, row, report.rows);
                    return Err(Error::at(&place, &error, error.remedy()));
                }
            }
            report.rows += block.len() as u64;
            if let Some(error) = kept.and_then(|kept| kept.error) {
                return Err(error.into());
            }
        }
        self.context.end();
        data::tell(&reader, self.context);
        let saved = self.fit.output.as_ref();
        let saved = saved.map(|path| path.display().to_string());
        let lenient = self.fit.rows.lenient;
        familiar.finish(&reader, saved, lenient, self.context)?;
        testing::check_labels(&baseline, lenient, self.context)?;
        Ok(Some((report, testing::most_frequent(&baseline))))
    }
}
