//! A finished run over a stream, to be certified.

use novikoff::certify::{
    CertifiedRun, Diary, Effort, Finished, GivenComparator, NoCertificate, certify,
};
use novikoff::dual::{Aim, Problem};
use novikoff::kernel::Kernel;
use novikoff::model::Model;
use novikoff::rows::Rows;
use novikoff::run;
use novikoff::spec::Spec;

use super::stream::Stream;

/// A run with all that a certificate needs.
pub(crate) struct Ended {
    model: Model,
    diary: Diary,
    rows: Rows,
    aims: Vec<Aim>,
}

impl Ended {
    /// One epoch of a learner over a stream.
    pub(crate) fn of(spec: &str, kernel: &str, stream: &Stream) -> Self {
        let (mut rows, mut aims) = (Rows::new(), Vec::new());
        for s in &stream.samples {
            for (&j, &v) in s.index.iter().zip(&s.value) {
                rows.push(j, v);
            }
            let text: &[u8] = if s.positive { b"+1" } else { b"-1" };
            rows.push_label(s.y(), text);
            rows.end_row(0);
            aims.push(Aim {
                sign: s.y(),
                target: 1.0,
                weight: 1.0,
            });
        }
        let (kernel, spec) = (Kernel::parse(kernel).unwrap(), Spec::parse(spec).unwrap());
        let builder = Model::builder(spec).kernel(kernel).width(stream.width);
        // the problem has the rows as they are
        let mut model = builder.normalize(None).build().unwrap();
        if model.learner().surveys() {
            for i in 0..rows.len() {
                model.survey(rows.row(i)).unwrap();
            }
            model.end_survey();
        }
        let mut diary = Diary::default();
        let all = 0..rows.len();
        run::block(
            &mut model,
            rows.view(),
            all,
            run::Position::default(),
            &mut diary,
        )
        .unwrap();
        Ended {
            model,
            diary,
            rows,
            aims,
        }
    }

    pub(crate) fn certify(
        &self,
        effort: Effort,
        given: Option<&[f64]>,
    ) -> Result<CertifiedRun, NoCertificate> {
        let problem = Problem::new(self.rows.view(), Vec::new(), self.aims.clone());
        let run = Finished {
            spec: self.model.spec(),
            parameters: self.model.parameters(),
            kernel: self.model.kernel(),
            rows: &problem,
            order: &self.diary.order,
            page: &self.diary.pages[0],
            appeared: &self.diary.appeared,
            given: given.map(GivenComparator::Slots),
            summaries: None,
            goes_on: &|| true,
            stop: &|| false,
            progress: &|_| (),
            threads: 1,
            memory: 1 << 30,
        };
        certify(&run, effort)
    }
}
