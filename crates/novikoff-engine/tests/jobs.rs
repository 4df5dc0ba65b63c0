//! Jobs from outside, as a door uses them: any source of rows, typed events, a token that stops them.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use novikoff::certify::Effort;
use novikoff::classes::Task;
use novikoff::learner::Hypothesis;
use novikoff::names::Names;
use novikoff::rows::Rows;
use novikoff::spec::Spec;
use novikoff_data::digits::digits;
use novikoff_engine::certify::CertifyOptions;
use novikoff_engine::check::Check;
use novikoff_engine::compare::Compare;
use novikoff_engine::data::{BlockSource, Data, MemoryRows};
use novikoff_engine::door_rows::{DoorRows, LearnedRows};
use novikoff_engine::events::{Event, Listener, Notice, Quiet, Repeats};
use novikoff_engine::fit::{Fit, Fitted};
use novikoff_engine::options::{RowOptions, RunOptions};
use novikoff_engine::{Context, Error, Interrupt, Remedy, Setting, StoppedWhile};
use novikoff_report::run_json;

fn rows() -> RowOptions {
    RowOptions {
        memory: 1 << 28,
        threads: 2,
        ..RowOptions::default()
    }
}

fn fit(data: Data, spec: &str) -> Fit {
    Fit {
        data,
        spec: Some(Spec::parse(spec).unwrap()),
        resume: None,
        output: None,
        checkpoint: None,
        trace: None,
        test: None,
        run: RunOptions {
            bias: Some(Some(1.0)),
            ..RunOptions::default()
        },
        rows: rows(),
        certify: None,
        charts: false,
    }
}

fn run(job: &Fit) -> Result<Fitted, Error> {
    job.run(Context::new(&Quiet, &Interrupt::default()))
}

/// The digits in blocks of a hundred, with the constant feature that the job asks for.
struct Hundreds(Rows, usize);

impl BlockSource for Hundreds {
    fn next_rows(&mut self, out: &mut Rows) -> Result<bool, String> {
        let all = self.0.view();
        let rows = (self.1..all.len()).take(100);
        rows.for_each(|row| out.copy_row(all, row));
        self.1 += out.len();
        Ok(!out.is_empty())
    }
}

fn memory() -> Data {
    let rows = digits(None);
    Data::Memory(Arc::new(MemoryRows {
        rows,
        ..MemoryRows::default()
    }))
}

fn svmlight(path: &Path) {
    let mut out = Vec::new();
    novikoff_engine::convert::generate("digits", &mut out).unwrap();
    std::fs::write(path, out).unwrap();
}

/// The digits as a door would have them; from some row on they are not sound.
struct Door {
    rows: Rows,
    bad_from: usize,
}

impl DoorRows for Door {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn values(&self) -> usize {
        self.rows.values()
    }

    fn fill(
        &self,
        rows: &mut dyn Iterator<Item = usize>,
        bias: Option<f32>,
        out: &mut Rows,
    ) -> Result<(), String> {
        for row in rows {
            if row >= self.bad_from {
                return Err(format!("row {row} is not sound"));
            }
            if let Some(bias) = bias {
                out.push(0, bias);
            }
            out.copy_row(self.rows.view(), row);
        }
        Ok(())
    }
}

/// Rows that are lent part by part are those that are held: in order and shuffled, for one pass and several, for any number of threads.
#[test]
fn rows_that_are_lent_are_those_that_are_held() {
    let mut rows = Rows::new();
    // as many values as are worth a second thread
    for _ in 0..3 {
        rows.append(digits(None).view(), 0);
    }
    assert!(rows.values() > 100_000);
    let door = |bad_from| Door {
        rows: rows.clone(),
        bad_from,
    };
    let names = Names::new();
    let lend = |job: &Fit, door: &Door| {
        let lent = LearnedRows {
            rows: door,
            constant: Some(1.0),
            names: &names,
        };
        let interrupt = Interrupt::default();
        job.run_lent(lent, None, Context::new(&Quiet, &interrupt))
    };
    let held = Data::Memory(Arc::new(MemoryRows {
        rows: rows.clone(),
        ..MemoryRows::default()
    }));
    for (spec, epochs, shuffle) in [
        ("perceptron", 1, None),
        ("arow", 1, Some(5)),
        ("logistic", 2, Some(5)),
        ("whitened", 1, None),
    ] {
        for threads in [1, 2] {
            let mut job = fit(held.clone(), spec);
            (job.run.epochs, job.run.shuffle) = (Some(epochs), shuffle);
            job.run.task = Some(Task::OneVsRest);
            job.rows.threads = threads;
            let expected = run(&job).unwrap();
            job.data = Data::Memory(Arc::default());
            let got = lend(&job, &door(usize::MAX)).unwrap();
            assert_eq!(got.report.epochs, expected.report.epochs, "{spec}");
            let bytes = |fitted: &Fitted| {
                novikoff_data::model::to_bytes(fitted.model.as_ref().unwrap()).unwrap()
            };
            assert!(bytes(&got) == bytes(&expected), "{spec}, {threads} threads");
            let error = lend(&job, &door(4000)).err().unwrap();
            assert!(error.to_string().contains("is not sound"), "{error}");
        }
    }
}

/// One job over four kinds of sources gives the same mistakes and the same model bytes.
#[test]
fn the_source_does_not_matter() {
    let here = tempfile::tempdir().unwrap();
    let file = here.path().join("digits.svm");
    svmlight(&file);
    for spec in ["perceptron", "second-order", "romma:aggressive"] {
        let sources = [
            Data::Files(vec![file.clone()]),
            Data::Digits,
            memory(),
            Data::once(Box::new(Hundreds(digits(Some(1.0)), 0))),
        ];
        let mut seen = Vec::new();
        for (k, data) in sources.into_iter().enumerate() {
            let output = here.path().join(format!("{k}.model"));
            let job = Fit {
                output: Some(output.clone()),
                ..fit(data, spec)
            };
            let report = run(&job).unwrap().report;
            seen.push((report.total(), std::fs::read(&output).unwrap()));
        }
        assert!(seen[0].0.mistakes > 0);
        for (k, other) in seen.iter().enumerate() {
            assert_eq!(other.0, seen[0].0, "{spec}, source {k}");
            assert!(
                other.1 == seen[0].1,
                "{spec}, source {k}: other model bytes"
            );
        }
    }
}

/// Rows in memory are visited as often as asked for, and a source that comes once is held.
#[test]
fn several_epochs() {
    let with_epochs = |data: Data| {
        let mut job = fit(data, "perceptron");
        (job.run.epochs, job.run.shuffle) = (Some(3), Some(7));
        run(&job).unwrap().report.epochs
    };
    let whole = with_epochs(memory());
    assert_eq!(whole.len(), 3);
    let source = Box::new(Hundreds(digits(Some(1.0)), 0));
    assert_eq!(with_epochs(Data::once(source)), whole);
}

/// Certificates of rows in memory and of rows that come once are those of the file.
#[test]
fn certificates_of_any_source() {
    let here = tempfile::tempdir().unwrap();
    let file = here.path().join("digits.svm");
    svmlight(&file);
    let bound = |data: Data| {
        let job = Fit {
            certify: Some(CertifyOptions {
                effort: Effort::Quick,
                comparator: None,
                save: None,
                spool: 1 << 30,
            }),
            ..fit(data, "perceptron")
        };
        let report = run(&job).unwrap().report;
        match report.certificate {
            Some(novikoff_report::Certified::Bound(bound)) => bound.bound,
            other => panic!("{other:?}"),
        }
    };
    let whole = bound(Data::Files(vec![file]));
    assert!(whole > 0.0);
    assert_eq!(bound(memory()).to_bits(), whole.to_bits());
    let source = Box::new(Hundreds(digits(Some(1.0)), 0));
    assert_eq!(bound(Data::once(source)).to_bits(), whole.to_bits());
}

#[derive(Default)]
struct Recorder {
    moments: Mutex<Vec<(u64, u64)>>,
    notices: Mutex<Vec<String>>,
    begun: AtomicU64,
    ended: AtomicU64,
}

impl Listener for Recorder {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Begin { .. } => {
                self.begun.fetch_add(1, Ordering::Relaxed);
            }
            Event::End => {
                self.ended.fetch_add(1, Ordering::Relaxed);
            }
            Event::Moment {
                trials, mistakes, ..
            } => {
                self.moments.lock().unwrap().push((trials, mistakes));
            }
            Event::Notice(notice) => {
                let name = match notice {
                    Notice::ModelSaved { path } => path.display().to_string(),
                    other => format!("{other:?}"),
                };
                self.notices.lock().unwrap().push(name);
            }
            _ => {}
        }
    }
}

#[test]
fn events_are_typed() {
    let here = tempfile::tempdir().unwrap();
    let output = here.path().join("my.model");
    let recorder = Recorder::default();
    let job = Fit {
        output: Some(output.clone()),
        ..fit(memory(), "perceptron")
    };
    let interrupt = Interrupt::default();
    let fitted = job.run(Context::new(&recorder, &interrupt)).unwrap();
    let total = fitted.report.total();
    let moments = recorder.moments.lock().unwrap();
    assert_eq!(moments.last(), Some(&(1797, total.mistakes)));
    assert_eq!(moments[0].0, 1000);
    let notices = recorder.notices.lock().unwrap();
    assert_eq!(*notices, [output.display().to_string()]);
    let phases = recorder.begun.load(Ordering::Relaxed);
    assert!(phases > 0);
    assert_eq!(phases, recorder.ended.load(Ordering::Relaxed));
    assert_eq!(fitted.model.unwrap().totals().trials, 1797);
}

/// Asks for a stop as soon as a check repeats something.
struct Impatient(Interrupt, Repeats);

impl Listener for Impatient {
    fn event(&self, event: Event<'_>) {
        if let Event::Notice(Notice::CheckRepeats(why)) = event
            && why == self.1
        {
            self.0.request();
        }
    }
}

/// A check that repeats the run, or looks for U again, stops on the way.
#[test]
fn a_token_stops_a_check() {
    let here = tempfile::tempdir().unwrap();
    let certificate = here.path().join("certificate.json");
    let certify = CertifyOptions {
        effort: Effort::Quick,
        comparator: None,
        save: None,
        spool: 1 << 30,
    };
    let job = Fit {
        certify: Some(certify),
        ..fit(memory(), "perceptron")
    };
    let report = run(&job).unwrap().report;
    std::fs::write(&certificate, run_json(&report).to_string()).unwrap();
    let check = Check {
        certificate,
        data: memory(),
        trace: None,
        comparator: None,
        effort: Effort::Quick,
        run: RunOptions::default(),
        rows: rows(),
    };
    let checked = check.run(Context::new(&Quiet, &Interrupt::default()));
    assert!(checked.unwrap().agrees());
    for why in [Repeats::Trace, Repeats::Comparator] {
        let impatient = Impatient(Interrupt::default(), why);
        match check.run(Context::new(&impatient, &impatient.0)) {
            Err(Error::Stopped(StoppedWhile::Checking)) => {}
            Err(other) => panic!("{why:?}: {other:?}"),
            Ok(_) => panic!("{why:?}: the check went on"),
        }
    }
}

/// A token that was used before the run stops it, and says what was saved.
#[test]
fn a_token_stops_the_run() {
    let here = tempfile::tempdir().unwrap();
    let output = here.path().join("stopped.model");
    let interrupt = Interrupt::default();
    interrupt.request();
    let job = Fit {
        output: Some(output.clone()),
        ..fit(memory(), "perceptron")
    };
    let stopped = job.run(Context::new(&Quiet, &interrupt));
    match stopped.map(|fitted| fitted.report.total()) {
        Err(Error::Stopped(StoppedWhile::Learning { trials, saved })) => {
            assert!(trials < 1797, "{trials}");
            assert_eq!(saved, Some(output.clone()));
        }
        other => panic!("{other:?}"),
    }
    // another job with a token of its own is not stopped, and resumes from there
    let job = Fit {
        resume: Some(output.clone()),
        spec: None,
        ..job
    };
    let whole = run(&fit(memory(), "perceptron")).unwrap().report.total();
    assert_eq!(run(&job).unwrap().report.total(), whole);
}

/// Errors carry facts and the kind of their remedy, and no words of flags.
#[test]
fn errors_carry_facts() {
    let here = tempfile::tempdir().unwrap();
    let output = here.path().join("p.model");
    let job = Fit {
        output: Some(output.clone()),
        ..fit(memory(), "perceptron")
    };
    run(&job).unwrap();
    let error = |job: &Fit| run(job).map(|fitted| fitted.report.total()).unwrap_err();
    let mut other = Fit {
        resume: Some(output.clone()),
        spec: None,
        ..job.clone()
    };
    other.run.bias = Some(None);
    match error(&other) {
        Error::Differs {
            model,
            setting,
            is,
            got,
        } => {
            assert_eq!((model, setting), (Some(output), Setting::Bias));
            assert_eq!((&*is, &*got), ("1", "off"));
        }
        other => panic!("{other:?}"),
    }
    let empty = fit(Data::Memory(Arc::default()), "perceptron");
    let remedy = error(&empty).remedy();
    let expected = "check that the input is the one you meant";
    assert_eq!(remedy, Some(Remedy::clause(expected)));
}

#[test]
fn a_source_comes_once() {
    let source = Box::new(Hundreds(digits(Some(1.0)), 0));
    let job = fit(Data::once(source), "perceptron");
    run(&job).unwrap();
    let again = run(&job).map(|fitted| fitted.report.total()).unwrap_err();
    assert!(again.to_string().contains("comes once"), "{again}");
}

#[test]
fn comparing_is_fitting_several() {
    let job = Compare {
        data: memory(),
        specs: ["perceptron", "arow"]
            .map(|s| Spec::parse(s).unwrap())
            .to_vec(),
        test: Some(Data::Digits),
        run: RunOptions {
            bias: Some(Some(1.0)),
            ..RunOptions::default()
        },
        rows: rows(),
        certify: None,
        charts: false,
    };
    let compared = job
        .run(Context::new(&Quiet, &Interrupt::default()))
        .unwrap();
    assert_eq!(compared.comparison.data.rows, 1797);
    for (report, spec) in compared.comparison.runs.iter().zip(["perceptron", "arow"]) {
        let alone = run(&fit(memory(), spec)).unwrap().report;
        assert_eq!(report.total(), alone.total(), "{spec}");
        assert_eq!(report.test.unwrap().rows, 1797);
    }
}

/// Learners with normalisations and biases of their own share one stream, and each does what it does alone.
#[test]
fn several_preparations_on_one_stream() {
    let specs = [
        "perceptron",
        "perceptron@bias=1",
        "perceptron@bias=0.25,normalize=2",
        "arow@normalize=inf",
        "romma:noise=1@bias=3",
        "second-order@bias=off,normalize=1",
    ];
    let certify = Some(CertifyOptions {
        effort: Effort::Quick,
        comparator: None,
        save: None,
        spool: 1 << 30,
    });
    let job = Compare {
        data: memory(),
        specs: specs.map(|s| Spec::parse(s).unwrap()).to_vec(),
        test: Some(Data::Digits),
        run: RunOptions::default(),
        rows: rows(),
        certify: certify.clone(),
        charts: false,
    };
    let compared = job
        .run(Context::new(&Quiet, &Interrupt::default()))
        .unwrap();
    let bound = |report: &novikoff_report::RunReport| match &report.certificate {
        Some(novikoff_report::Certified::Bound(bound)) => bound.bound,
        other => panic!("{other:?}"),
    };
    for (report, spec) in compared.comparison.runs.iter().zip(specs) {
        let alone = Fit {
            run: RunOptions::default(),
            test: Some(Data::Digits),
            certify: certify.clone(),
            ..fit(memory(), spec)
        };
        let alone = run(&alone).unwrap().report;
        assert_eq!(report.total(), alone.total(), "{spec}");
        let errors = |r: &novikoff_report::RunReport| r.test.unwrap().errors;
        assert_eq!(errors(report), errors(&alone), "{spec}");
        if !spec.starts_with("arow") {
            let (shared, own) = (bound(report), bound(&alone));
            assert!(
                (shared - own).abs() <= 1e-6 * own,
                "{spec}: {shared}, {own}"
            );
        }
    }
    // what a spec says of its rows is what the options would say
    let mut options = fit(memory(), "perceptron");
    (options.run.bias, options.run.normalize) = (Some(Some(0.25)), Some(Some(2.0)));
    let said = run(&options).unwrap().report.total();
    assert_eq!(compared.comparison.runs[2].total(), said);
}

/// Asks for a stop after this many trials.
struct StopsAt(Interrupt, u64);

impl Listener for StopsAt {
    fn event(&self, event: Event<'_>) {
        if let Event::Moment { trials, .. } = event
            && trials == self.1
        {
            self.0.request();
        }
    }
}

/// A run that was stopped and resumed reports what a run that never stopped does: baseline, remarks, and moments that agree with the report.
#[test]
fn a_resumed_run_counts_on() {
    let here = tempfile::tempdir().unwrap();
    let output = here.path().join("m");
    for (shuffle, epochs) in [(None, 1), (Some(5), 1), (Some(5), 2), (None, 3)] {
        let mut job = fit(memory(), "perceptron");
        (job.run.shuffle, job.run.epochs) = (shuffle, Some(epochs));
        let whole = run(&job).unwrap().report;
        job.output = Some(output.clone());
        let halfway = StopsAt(Interrupt::default(), 1000);
        let stopped = job.run(Context::new(&halfway, &halfway.0));
        assert!(matches!(stopped, Err(Error::Stopped(_))), "{shuffle:?}");
        job.resume = Some(output.clone());
        let recorder = Recorder::default();
        let resumed = job.run(Context::new(&recorder, &Interrupt::default()));
        let resumed = resumed.unwrap().report;
        assert_eq!(resumed.baseline, whole.baseline);
        assert_eq!(resumed.remarks, whole.remarks);
        assert_eq!(resumed.total(), whole.total());
        let moments = recorder.moments.lock().unwrap();
        let trials = 1797 * u64::from(epochs);
        assert_eq!(moments.last(), Some(&(trials, whole.total().mistakes)));
        std::fs::remove_file(&output).unwrap();
    }
}

/// Errors that are found out when a class appears are in the moments as they are in the report.
#[test]
fn moments_agree_with_the_report() {
    // the lowest class comes last, and wins the tie that the first row's class won
    let mut list = Rows::new();
    for row in 0..2500_u32 {
        let class = if row < 2400 { 1 + row % 2 } else { 0 };
        list.push_label(f64::from(class), class.to_string().as_bytes());
        list.push(1 + class, if row % 3 == 0 { -1.0 } else { 1.0 });
        list.push(4, 1.0);
        list.end_row(0);
    }
    let rows = MemoryRows {
        rows: list,
        ..MemoryRows::default()
    };
    let recorder = Recorder::default();
    let job = fit(Data::Memory(Arc::new(rows)), "perceptron");
    let fitted = job.run(Context::new(&recorder, &Interrupt::default()));
    let report = fitted.unwrap().report;
    let moments = recorder.moments.lock().unwrap();
    assert_eq!(moments.last(), Some(&(2500, report.total().mistakes)));
}

/// A run that was stopped, in its first epoch or a later one, counts the errors of its deployed predictor as if it had not been stopped.
#[test]
fn a_resumed_run_validates_as_if_it_had_never_stopped() {
    let here = tempfile::tempdir().unwrap();
    let [file, stopped, whole] = ["digits.svm", "stopped", "whole"].map(|n| here.path().join(n));
    svmlight(&file);
    let timeless = |fitted: &Fitted| {
        let mut json = run_json(&fitted.report);
        json["seconds"] = 0.0.into();
        json
    };
    for (spec, by, epochs) in [
        ("perceptron", None, 1),
        ("averaged", None, 2),
        ("averaged", Some(Hypothesis::Final), 2),
        ("passive-aggressive", Some(Hypothesis::Averaged), 1),
        ("shifting", Some(Hypothesis::Averaged), 2),
    ] {
        let mut job = fit(Data::Files(vec![file.clone()]), spec);
        (job.run.by, job.run.epochs) = (by, Some(epochs));
        job.output = Some(whole.clone());
        let done = run(&job).unwrap();
        let counted = &timeless(&done)["validation"];
        assert_eq!(counted["rows"], 1797, "{spec}");
        assert_ne!(counted["errors"], 0, "{spec}");
        for at in [1000, 2000].into_iter().take(epochs as usize) {
            job.output = Some(stopped.clone());
            let impatient = StopsAt(Interrupt::default(), at);
            let halt = job.run(Context::new(&impatient, &impatient.0)).err();
            let halted = matches!(halt, Some(Error::Stopped(StoppedWhile::Learning { .. })));
            assert!(halted, "{spec}: {halt:?}");
            for again in [by, None] {
                let mut rest = job.clone();
                (rest.resume, rest.output) = (Some(stopped.clone()), Some(here.path().join("m")));
                rest.run.by = again;
                let resumed = run(&rest).unwrap();
                assert_eq!(timeless(&resumed), timeless(&done), "{spec}, {at}");
                let [one, two] = ["m", "whole"].map(|n| std::fs::read(here.path().join(n)));
                assert!(one.unwrap() == two.unwrap(), "{spec}, {at}");
            }
            if by == Some(Hypothesis::Final) {
                let mut other = job.clone();
                other.resume = Some(stopped.clone());
                other.run.by = Some(Hypothesis::Averaged);
                let refused = run(&other).err();
                let differs = matches!(
                    refused,
                    Some(Error::Differs {
                        setting: Setting::Use,
                        ..
                    })
                );
                assert!(differs, "{refused:?}");
            }
        }
    }
}
