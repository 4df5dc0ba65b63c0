//! `novikoff calibrate`: probabilities for a model, fitted on rows it was not trained on.

use novikoff::calibration::CalibrationMethod;
use novikoff_engine::calibrate::Calibrate;
use novikoff_engine::data::Data;
use novikoff_engine::{Context, Interrupt};

use crate::args::{CalibrateArgs, MethodWord};
use crate::error::Failure;
use crate::job;

pub(crate) fn calibrate(args: &CalibrateArgs) -> Result<(), Failure> {
    let job = Calibrate {
        model: args.model.clone(),
        data: Data::named(&args.data)?,
        method: match args.method {
            MethodWord::Platt => CalibrationMethod::Platt,
            MethodWord::Isotonic => CalibrationMethod::Isotonic,
        },
        by: args.by.map(job::hypothesis),
        output: args.output.clone(),
        rows: args.rows.leniently(args.lenient),
    };
    let progress = args.rows.progress();
    progress.during(|| job.run(Context::new(&progress, &Interrupt::default())))?;
    Ok(())
}
