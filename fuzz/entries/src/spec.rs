//! Specs of learners and kernels: the first line is the spec and maybe a kernel, the rest svmlight text to learn
//! from.

use novikoff::classes::Task;
use novikoff::grammar::{Expression, OffOr};
use novikoff::kernel::Kernel;
use novikoff::learner::Learner;
use novikoff::model::Model;
use novikoff::parameter::Parameter;
use novikoff::rows::Rows;
use novikoff::spec::Spec;
use novikoff::state::State;
use novikoff_data::container::{from_bytes, to_bytes};
use novikoff_data::svmlight::{ReadOptions, parse_block};

use crate::draw;

/// What the learner's state may take: few features, so that pairs of them are few too.
const MEMORY: u128 = 1 << 15;

/// A spec and rows: it is read back the same, its values are allowed, and what it names learns.
pub fn spec(data: &[u8]) {
    let end = data.iter().position(|&b| b == b'\n');
    let (line, text) = data.split_at(end.unwrap_or(data.len()));
    let Ok(line) = str::from_utf8(line) else {
        return;
    };
    // what is read as a spec or a grid prints as what is read the same
    if let Ok(whole) = Expression::parse_grid(line) {
        let printed = whole.to_string();
        let again = Expression::parse_grid(&printed).expect("it was printed");
        assert_eq!(again.to_string(), printed);
    }
    let (line, kernel) = line.split_once(' ').unwrap_or((line, "linear"));
    let kernel = match Kernel::parse(kernel) {
        Ok(kernel) => kernel,
        Err(error) => {
            assert!(!error.to_string().contains(char::is_control));
            return;
        }
    };
    assert_eq!(Kernel::parse(&kernel.to_string()), Ok(kernel));
    let spec = match Spec::parse(line) {
        Ok(spec) => spec,
        Err(error) => {
            assert!(!error.to_string().contains(char::is_control));
            return;
        }
    };
    assert_eq!(spec.to_string(), line);
    let again = Spec::parse(&spec.to_string()).expect("it was accepted before");
    assert!(spec.same(&again));
    let width = Some(1 + draw(data) % 1000);
    assert!(spec.needs_width() || spec.parameters(None).is_ok());
    let parameters = spec.parameters(width).expect("the width is known");
    for (key, (name, value)) in spec.entry().keys.iter().zip(parameters.iter()) {
        assert_eq!(key.name, name);
        let typed = match value {
            Parameter::Real(number) => {
                assert!(number.is_finite(), "{name}");
                number.to_string()
            }
            Parameter::Word(word) => word.clone(),
        };
        assert!(key.allows(&typed), "{name} = {typed}");
    }
    let task = match draw(line.as_bytes()) % 3 {
        0 => Task::plus_minus(),
        1 => Task::OneVsRest,
        _ => Task::MultiLabel,
    };
    let said = spec.preparation().and_then(|said| said.normalize);
    let builder = Model::builder(spec).kernel(kernel).task(task).width(width);
    let builder = builder.normalize(said.and_then(OffOr::value));
    let Ok(mut model) = builder.memory(MEMORY).build() else {
        assert!(kernel != Kernel::LINEAR, "the width is known");
        return;
    };
    let mut rows = Rows::new();
    // the rows before the first bad line will do
    let _ = parse_block(text, &ReadOptions::default(), &mut rows);
    learn(&mut model, &rows);
}

fn learn(model: &mut Model, rows: &Rows) {
    if model.learner().surveys() {
        for i in 0..rows.len() {
            if model.survey(rows.row(i)).is_err() {
                return;
            }
        }
        model.end_survey();
    }
    for i in 0..rows.len() {
        let before = model.totals();
        match model.learn(rows.row(i), rows.labels(i)) {
            Ok(outcome) => {
                assert_eq!(outcome.model().totals().trials, before.trials + 1);
                assert!(outcome.events().all(|event| event.margin.is_finite()));
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let lanes = model.learner().lanes();
    for lane in 0..lanes {
        let weights = model.learner().weights(lane);
        assert!(!weights.iter().any(|w| w.is_nan()), "{weights:?}");
    }
    let file = stored(model.learner());
    let mut state = from_bytes(&file).expect("just written").state;
    let again = model
        .spec()
        .learner(model.parameters(), model.kernel(), MEMORY);
    let mut again = again.expect("it was accepted before");
    if let Err(error) = again.load(lanes, &mut state) {
        panic!("saved, but not loaded: {error}");
    }
    assert!(stored(&*again) == file, "saved again as other bytes");
    let (mut ours, mut theirs) = (vec![0.0; lanes], vec![0.0; lanes]);
    for i in (0..rows.len()).filter(|&i| !rows.row(i).is_zero()) {
        for &by in model.learner().hypotheses() {
            model.learner().scores(rows.row(i), by, &mut ours);
            again.scores(rows.row(i), by, &mut theirs);
            let same = ours
                .iter()
                .zip(&theirs)
                .all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same, "{ours:?} and {theirs:?}");
        }
    }
}

fn stored(learner: &dyn Learner) -> Vec<u8> {
    let mut state = State::new();
    learner.save(&mut state);
    to_bytes(b"", &state).expect("short names")
}
