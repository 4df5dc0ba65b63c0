//! A sweep: the same learners on several data sets, as a rule one generator with several values of a key.

use novikoff::certify::Effort;
use novikoff_report::{Certified, RunReport, Separation, SweepPoint};

use crate::Error;
use crate::certify::CertifyOptions;
use crate::compare::{Compare, Compared};
use crate::data::Data;
use crate::events::{Context, LeftOut};
use novikoff::spec::Spec;

/// A job: each of some learners on each of several data sets.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The data sets, by name.
    pub sets: Vec<NamedData>,
    /// What is done with each: a comparison, whose own data is not read. Certificates are made in any case.
    pub each: Compare,
}

/// A data set and its name.
#[derive(Clone, Debug)]
pub struct NamedData {
    /// The name.
    pub name: String,
    /// The rows.
    pub data: Data,
}

/// What a sweep came to.
pub struct Swept {
    /// One comparison per data set, in their order.
    pub points: Vec<SweepPoint>,
    /// Learners of the default list that were not run on a data set, and why.
    pub left_out: Vec<Vec<(Spec, LeftOut)>>,
    /// How many learners were not run because the sweep was asked to stop.
    pub stopped: usize,
}

impl Sweep {
    /// Runs all learners on all data sets.
    pub fn run(&self, context: Context<'_>) -> Result<Swept, Error> {
        let mut swept = Swept {
            points: Vec::new(),
            left_out: Vec::new(),
            stopped: 0,
        };
        for NamedData { name, data } in &self.sets {
            let certify = self.each.certify.clone().unwrap_or(CertifyOptions {
                effort: Effort::Full,
                comparator: None,
                save: None,
                spool: 0,
            });
            let job = Compare {
                data: data.clone(),
                certify: Some(certify),
                ..self.each.clone()
            };
            let Compared {
                comparison,
                left_out,
                stopped,
            } = job.run(context)?;
            swept.points.push(SweepPoint {
                data: name.clone(),
                separation: separation(&comparison.runs),
                comparison,
            });
            swept.left_out.push(left_out);
            swept.stopped += stopped;
            if swept.stopped > 0 {
                break;
            }
        }
        Ok(swept)
    }
}

/// The largest margin that a certificate found, and `(R/margin)^2`.
fn separation(runs: &[RunReport]) -> Option<Separation> {
    let certified = runs.iter().filter_map(|run| match &run.certificate {
        Some(Certified::Bound(c)) => Some(c),
        _ => None,
    });
    // the margin of ALMA is one of other norms
    let certified = certified.filter(|c| c.theorem != "9.3");
    let found = certified.filter_map(|c| c.separable);
    found
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(margin, novikoff)| Separation { margin, novikoff })
}
