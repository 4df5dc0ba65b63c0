//! What a certificate is checked against: the rows, the trials from the trace, and U. What is not there is found again by repeating the run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use novikoff::certify::{Comparator as Found, Diary, NoCertificate};
use novikoff::classes::{Counts, Task};
use novikoff::label::LabelName;
use novikoff::model::Model;
use novikoff::parameter::Parameters;
use novikoff::preparation::{Preparation, RowBuffer};
use novikoff::quantity::plural;
use novikoff::remedy::{Complaint, Hint};
use novikoff::run::{EpochOrders, Ledger};
use novikoff::spec::Spec;
use novikoff_check::{Row, Trial, Vector, orders};
use std::sync::Arc;

use super::Check;
use super::claim::Claimed;
use crate::certify::Certifier;
use crate::certify::comparator::{ComparatorContext, ComparatorModel};
use crate::data::Reading;
use crate::events::{Context, Notice, Repeats};
use crate::first_rows::FirstRows;
use crate::fit::{first_id, stretch, survey};
use crate::options::RunOptions;
use crate::rows::HeldRows;
use crate::trace::LONGEST_LINE;
use crate::{Error, Remedy, Setting, StoppedWhile};

/// A trace with this many faults is not read further.
const MANY: usize = 20;

/// How many rows, or lines of a trace, are read between two looks for a request to stop.
const GLANCE: usize = 1000;

/// Where evidence comes from.
pub(super) struct EvidenceSource<'a> {
    pub(super) check: &'a Check,
    pub(super) claimed: &'a Claimed,
    pub(super) run: &'a RunOptions,
    pub(super) spec: &'a Spec,
    pub(super) parameters: &'a Parameters,
    pub(super) preparation: &'a Preparation,
    pub(super) held: &'a HeldRows,
    pub(super) reading: &'a Reading,
    pub(super) context: Context<'a>,
}

/// What was gathered.
pub(super) struct Gathered {
    /// As the learner saw them.
    pub(super) rows: Vec<Row>,
    pub(super) classes: Vec<ClassEvidence>,
    /// What is wrong with the whole.
    pub(super) differences: Vec<String>,
}

impl Gathered {
    /// The trial in which each class appeared: the first on one of its rows.
    pub(super) fn appeared(&self) -> Vec<usize> {
        let first = |class: &ClassEvidence| {
            let mut trials = class.trials.iter();
            trials.position(|trial| class.labels[trial.row] > 0.0)
        };
        self.classes.iter().filter_map(first).collect()
    }
}

/// One binary problem.
pub(super) struct ClassEvidence {
    pub(super) labels: Vec<f64>,
    pub(super) trials: Vec<Trial>,
    pub(super) comparator: Vector,
    /// What is wrong with its part of the trace.
    pub(super) differences: Vec<String>,
}

/// The run, repeated.
struct Repeated {
    model: Model,
    diary: Diary,
    mistakes: u64,
    updates: u64,
    epochs: Vec<Counts>,
}

/// Lines of a trace by class: epoch and row, whether it was a mistake, whether it was an update.
type TraceLines = BTreeMap<String, BTreeMap<(u64, u64), (bool, bool)>>;

impl EvidenceSource<'_> {
    pub(super) fn gather(&self) -> Result<Gathered, Error> {
        let values: usize = self.held.blocks().map(|block| block.values()).sum();
        let trials = u128::from(self.claimed.epochs) * self.held.len() as u128;
        let classes = self.claimed.classes.len().max(1) as u128;
        let needed = 16 * values as u128 + 160 * classes * (self.held.len() as u128 + trials);
        let memory = self.check.rows.memory;
        if needed > memory {
            let [needed, memory] = [needed, memory].map(|bytes| bytes >> 20);
            let what =
                format!("checking takes {needed} MB for the rows, and the limit is {memory} MB");
            return Err(Error::refused(what, Remedy::raise(Setting::MaxMemory)));
        }
        let rows = self.prepared()?;
        let mut differences = Vec::new();
        let mut blocks = self.held.blocks();
        if blocks.any(|block| (0..block.len()).any(|i| block.weight(i) != 1.0)) {
            differences.push(
                "rows have weights other than 1, about which the theorems say nothing".to_owned(),
            );
        }
        let claimed = |path: &Option<String>| {
            let path = path.as_ref().map(PathBuf::from);
            path.filter(|path| path.exists())
        };
        let trace = self.check.trace.clone();
        let lines = match trace.or_else(|| claimed(&self.claimed.trace)) {
            Some(path) => Some(self.lines(&path, &mut differences)?),
            None => None,
        };
        let file = self.check.comparator.clone();
        let comparator = match file.or_else(|| claimed(&self.claimed.file)) {
            Some(path) => Some(ComparatorModel::load(&path, memory)?),
            None => None,
        };
        if comparator.is_none() && self.claimed.is_given {
            let what =
                "the run was compared with a vector that was given, and no file of it is there";
            return Err(Error::refused(what, Remedy::hint(Hint::SaveComparator)));
        }
        let why = if lines.is_none() {
            Some(Repeats::Trace)
        } else if !self.claimed.is_binary {
            Some(Repeats::Classes)
        } else if comparator.is_none() {
            Some(Repeats::Comparator)
        } else {
            None
        };
        let repeated = match why {
            Some(why) => {
                self.context.notice(Notice::CheckRepeats(why));
                Some(self.repeat()?)
            }
            None => None,
        };
        let found = match (&comparator, &repeated) {
            (None, Some(repeated)) => {
                if lines.is_none() || !self.claimed.is_binary {
                    self.context
                        .notice(Notice::CheckRepeats(Repeats::Comparator));
                }
                Some(self.find(repeated)?)
            }
            _ => None,
        };
        if let Some(repeated) = repeated.as_ref().filter(|_| !self.claimed.is_binary) {
            differences.extend(self.about_whole(repeated));
        }
        let classes = self.classes(
            &rows,
            lines.as_ref(),
            comparator.as_ref(),
            repeated.as_ref(),
            found.as_deref(),
        )?;
        Ok(Gathered {
            rows,
            classes,
            differences,
        })
    }

    /// An error once there is a request to stop.
    pub(super) fn look_up(&self) -> Result<(), Error> {
        if self.context.interrupt.is_requested() {
            Err(Error::Stopped(StoppedWhile::Checking))
        } else {
            Ok(())
        }
    }

    /// The rows, as the learner saw them.
    fn prepared(&self) -> Result<Vec<Row>, Error> {
        let mut buffer = RowBuffer::default();
        let mut rows = Vec::with_capacity(self.held.len());
        for block in self.held.blocks() {
            self.look_up()?;
            for i in 0..block.len() {
                let row = self.preparation.apply(block.row(i), &mut buffer);
                rows.push(row.iter().collect());
            }
        }
        Ok(rows)
    }

    /// What the run as a whole did against what is claimed, where there are several classes.
    fn about_whole(&self, repeated: &Repeated) -> Vec<String> {
        let mut differences = Vec::new();
        let whole = [
            ("mistakes", self.claimed.mistakes, repeated.mistakes),
            ("updates", self.claimed.updates, repeated.updates),
        ];
        for (what, claimed, made) in whole.iter().filter(|(_, a, b)| a != b) {
            differences.push(format!("{what}: claimed {claimed}, recomputed {made}"));
        }
        for (epoch, (claimed, made)) in self
            .claimed
            .by_epoch
            .iter()
            .zip(&repeated.epochs)
            .enumerate()
        {
            if *claimed != (made.mistakes, made.updates) {
                differences.push(format!(
                    "epoch {epoch}: claimed {} and {}, recomputed {} and {}",
                    plural(claimed.0, "mistake"),
                    plural(claimed.1, "update"),
                    made.mistakes,
                    made.updates
                ));
            }
        }
        let made = repeated.model.classes().list().len();
        let claimed = self.claimed.classes.len();
        if made != claimed {
            differences.push(format!("classes: claimed {claimed}, the data has {made}"));
        }
        differences
    }

    /// The binary problems.
    fn classes(
        &self,
        rows: &[Row],
        lines: Option<&TraceLines>,
        comparator: Option<&ComparatorModel>,
        repeated: Option<&Repeated>,
        found: Option<&[Found]>,
    ) -> Result<Vec<ClassEvidence>, Error> {
        let mut classes = Vec::new();
        for class in &self.claimed.classes {
            self.look_up()?;
            let place = repeated.map(|r| self.place_of(r, &class.name));
            let place = place.transpose()?;
            let vector = match (comparator, found, place) {
                (Some(comparator), ..) => self.vector(comparator, &class.name)?,
                (None, Some(found), Some(k)) => of_answer(&found[k], rows)?,
                _ => return Err(Error::plain("U is not there")),
            };
            let label = LabelName::typed(&class.name);
            let labels = self.held.labels();
            let is = |positive: bool| if positive { 1.0 } else { -1.0 };
            let labels: Vec<f64> = labels
                .map(|mut all| is(all.any(|raw| label.is(raw))))
                .collect();
            let mut wrong = Vec::new();
            let repeated = repeated.zip(place);
            let trials = self.trials(&class.name, lines, repeated, &labels, &mut wrong);
            if self.claimed.is_binary {
                wrong.extend(self.by_epoch(&trials));
            }
            classes.push(ClassEvidence {
                labels,
                trials,
                comparator: vector,
                differences: wrong,
            });
        }
        Ok(classes)
    }

    /// Counts of each epoch against those claimed.
    fn by_epoch(&self, trials: &[Trial]) -> Vec<String> {
        let epochs = trials.chunks(self.held.len().max(1));
        let counts = epochs.map(|epoch| {
            let count = |wanted: fn(&Trial) -> bool| epoch.iter().filter(|t| wanted(t)).count();
            (count(|t| t.mistake) as u64, count(|t| t.updated) as u64)
        });
        let both = counts.zip(&self.claimed.by_epoch).enumerate();
        let wrong = both.filter(|(_, (made, claimed))| made != *claimed);
        wrong
            .map(|(epoch, (made, claimed))| {
                format!(
                    "epoch {epoch}: claimed {} and {}, recomputed {} and {}",
                    plural(claimed.0, "mistake"),
                    plural(claimed.1, "update"),
                    made.0,
                    made.1
                )
            })
            .collect()
    }

    /// The lines of a trace.
    fn lines(&self, path: &Path, differences: &mut Vec<String>) -> Result<TraceLines, Error> {
        let shown = path.display();
        let file = File::open(path);
        let file =
            file.map_err(|error| Error::plain(format!("{shown}: cannot read it: {error}")))?;
        let (mut file, mut lines) = (BufReader::new(file), TraceLines::new());
        let (mut line, mut number) = (Vec::new(), 0);
        loop {
            line.clear();
            number += 1;
            if number % GLANCE == 0 {
                self.look_up()?;
            }
            let bad = |what: &str| {
                let what = format!("{shown}:{number}: {what}");
                Error::refused(what, "give the trace that the run wrote")
            };
            let read = (&mut file).take(LONGEST_LINE).read_until(b'\n', &mut line);
            if read.map_err(|error| bad(&format!("cannot read it: {error}")))? == 0 {
                return Ok(lines);
            }
            let event: serde_json::Value =
                serde_json::from_slice(&line).map_err(|_| bad("is no line of JSON"))?;
            let class = event["class"].as_str().ok_or_else(|| bad("has no class"))?;
            let (Some(epoch), Some(row)) = (event["epoch"].as_u64(), event["row"].as_u64()) else {
                return Err(bad("has no epoch or no row"));
            };
            let flags = (event["mistake"] == true, event["updated"] == true);
            let rows = self.held.len() as u64;
            if differences.len() >= MANY {
                return Ok(lines);
            }
            if epoch >= u64::from(self.claimed.epochs) || row >= rows {
                differences.push(format!(
                    "trace, line {number}: row {row} of epoch {epoch}, which the run did not have"
                ));
                continue;
            }
            if !self.claimed.classes.iter().any(|c| c.name == class) {
                differences.push(format!(
                    "trace, line {number}: class {class}, which the certificate does not have"
                ));
                continue;
            }
            let of_class = lines.entry(class.to_owned()).or_default();
            if of_class.insert((epoch, row), flags).is_some() {
                differences.push(format!("trace, line {number}: a trial comes twice"));
            }
        }
    }

    /// The trials of a class: from the trace, and before the class appeared, where the trace has none, from the run that was repeated.
    fn trials(
        &self,
        name: &str,
        lines: Option<&TraceLines>,
        repeated: Option<(&Repeated, usize)>,
        labels: &[f64],
        wrong: &mut Vec<String>,
    ) -> Vec<Trial> {
        let (rows, epochs) = (self.held.len(), self.claimed.epochs);
        let order = orders(rows, epochs, self.claimed.shuffle);
        let appears = if self.claimed.is_binary {
            0
        } else {
            let first = order.iter().position(|row| labels[*row] > 0.0);
            first.unwrap_or(order.len())
        };
        let nothing = BTreeMap::new();
        let traced = lines.map(|lines| lines.get(name).unwrap_or(&nothing));
        let trials = order.into_iter().enumerate().map(|(t, row)| {
            let again = |(run, k): (&Repeated, usize)| {
                let page = &run.diary.pages[k];
                (page.mistakes.get(t), page.updates.get(t))
            };
            let line = traced.and_then(|lines| lines.get(&((t / rows) as u64, row as u64)));
            if t < appears && line.is_some() {
                wrong.push(format!("trace: row {row} before the class appeared"));
            }
            let flags = match (traced, repeated) {
                (Some(_), _) if t >= appears => line.copied(),
                (_, repeated) => repeated.map(again),
            };
            let (mistake, updated) = flags.unwrap_or_default();
            Trial {
                row,
                mistake,
                updated,
            }
        });
        trials.collect()
    }

    /// The vector of a class in a model file.
    fn vector(&self, comparator: &ComparatorModel, class: &str) -> Result<Vector, Error> {
        let kernel = self.run.kernel_for(self.spec).value();
        let place = ComparatorContext::before(
            kernel,
            self.preparation.bias,
            self.spec,
            self.parameters,
            &self.held.schema.names,
        );
        let which = match (self.claimed.is_binary, comparator.class(class)) {
            (true, _) if comparator.len() == 1 => 0,
            (false, Some(which)) => which,
            _ => {
                let what = format!("U has no vector for the class {class}");
                return Err(Error::plain(what));
            }
        };
        if comparator.is_linear() {
            let weights = comparator.by_slot(which, place);
            return Ok(Vector::Weights(weights?));
        }
        let sum = comparator.sum(which, place)?;
        let terms = sum.terms().into_iter();
        let terms = terms.map(|(c, row)| (c, row.iter().collect()));
        Ok(Vector::Sum(terms.collect()))
    }

    /// Runs the learner again.
    fn repeat(&self) -> Result<Repeated, Error> {
        let kernel = self.run.kernel_for(self.spec);
        let task = match &self.run.task {
            Some(task) => task.clone(),
            None if self.claimed.is_binary => Task::Binary {
                negative: None,
                positive: LabelName::typed(&self.claimed.classes[0].name),
            },
            None if self.held.begins_with_several_labels() => Task::MultiLabel,
            None => match self.check.data.task(self.held, true, self.reading)? {
                Task::MultiLabel => Task::MultiLabel,
                _ => Task::OneVsRest,
            },
        };
        let (spec, preparation) = (self.spec.clone(), self.preparation.clone());
        let width = Some(self.run.features.unwrap_or(self.held.width()));
        let builder = Model::builder(spec).kernel(kernel).task(task).width(width);
        let mut model = builder
            .preparation(preparation)
            .memory(self.check.rows.memory)
            .threads(self.reading.threads)
            .build_for(FirstRows::of(self.held).view())?;
        survey(&mut model, self.held, 0..self.held.len())?;
        let mut ledger = Ledger::begin(&mut model);
        let mut orders = EpochOrders::new(self.held.len(), self.claimed.shuffle);
        model.number_rows_from(first_id(self.claimed.epochs, model.totals().trials));
        let mut diary = Diary::default();
        for epoch in 0..self.claimed.epochs {
            for some in orders.next_epoch().chunks(GLANCE) {
                self.look_up()?;
                stretch(&mut model, self.held, some, epoch, &mut diary)
                    .map_err(|stopped| self.held.failure(&stopped))?;
            }
            ledger.end_epoch(&mut model);
        }
        model.adopt(Arc::clone(&self.held.schema));
        let total = ledger.total();
        Ok(Repeated {
            model,
            diary,
            mistakes: total.mistakes,
            updates: total.updates,
            epochs: ledger.epochs,
        })
    }

    /// The number of a class in the repeated run.
    fn place_of(&self, repeated: &Repeated, name: &str) -> Result<usize, Error> {
        if self.claimed.is_binary {
            return Ok(0);
        }
        let list = repeated.model.classes().list();
        let place = list.iter().position(|class| class.label.name() == name);
        place.ok_or_else(|| Error::plain(format!("no row of the data has the label {name}")))
    }

    /// U, found again.
    fn find(&self, repeated: &Repeated) -> Result<Vec<Found>, Error> {
        let certifier = Certifier {
            effort: self.check.effort,
            comparator: None,
            save: None,
            threads: self.reading.threads,
            memory: self.check.rows.memory / 2,
            context: self.context.quiet(),
        };
        let answers = certifier.solve(&repeated.model, &repeated.diary, self.held);
        // a search that was stopped has no answer
        self.look_up()?;
        let none = |why: NoCertificate| {
            Error::from(Complaint {
                what: why.to_string(),
                remedy: why.remedy(),
            })
        };
        let mut all = Vec::new();
        for answer in answers.map_err(none)? {
            all.push(answer.map_err(none)?.comparator);
        }
        Ok(all)
    }
}

/// U as a search gives it.
fn of_answer(found: &Found, rows: &[Row]) -> Result<Vector, Error> {
    match found {
        Found::Slots(u) => Ok(Vector::Weights(u.clone())),
        Found::Coefficients(c) => {
            let terms = c.iter().zip(rows).filter(|(c, _)| **c != 0.0);
            Ok(Vector::Sum(terms.map(|(c, x)| (*c, x.clone())).collect()))
        }
        Found::Multiple(_) => Err(Error::plain(
            "U is a multiple of a vector that was not given",
        )),
    }
}
