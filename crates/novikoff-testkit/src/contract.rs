//! Rows, storage, classes: what a learner promises of single trials and answers.

use novikoff::Row;
use novikoff::learner::Hypothesis;

use crate::harness::{
    assert_finite, assert_same_state, cases, run, same_trials, score, state_bits, survey, trial,
};
use crate::stream::{Kind, Sample};
use crate::subject::{OneClass, Score, Subject};

/// A score is an answer, and leaves the learner as it was.
pub fn scoring_changes_nothing(subject: &Subject) {
    for seed in 0..cases(3) {
        let stream = subject.stream(Kind::Growing, seed, 200);
        let mut learner = subject.learner_for(&stream);
        run(&mut *learner, &stream.samples[..100]);
        let before = state_bits(&*learner);
        // the later rows have features not met so far
        let first = stream
            .samples
            .iter()
            .map(|s| score(&*learner, s.row(), learner.hypotheses()[0]));
        let first: Vec<f64> = first.collect();
        let _ = (learner.weights(0), learner.zero_margin());
        assert_eq!(before, state_bits(&*learner), "{subject}");
        for (sample, first) in stream.samples.iter().zip(first) {
            let again = score(&*learner, sample.row(), learner.hypotheses()[0]);
            assert_eq!(again.to_bits(), first.to_bits(), "{subject}");
        }
    }
}

/// The deployed score is that of the weights ([`Score`]), and features that never occurred have the fresh weight.
pub fn deployed_scores_are_the_weights_times_the_row(subject: &Subject) {
    let p = match subject.peculiar.score {
        Score::Linear => None,
        Score::OverNorm(p) => Some(p),
        Score::Other => return,
    };
    for seed in 0..cases(3) {
        let stream = subject.stream(Kind::Sparse, seed, 300);
        let mut learner = subject.learner_for(&stream);
        run(&mut *learner, &stream.samples);
        let weights = learner.weights(0);
        for sample in &stream.samples {
            let mut wide = sample.clone();
            wide.index.extend([stream.width + 7, 3_000_000_000]);
            wide.value.extend([2.0, 0.25]);
            let rest = subject.peculiar.fresh_weight;
            let weight = |j: usize| weights.get(j).copied().unwrap_or(rest);
            let terms = || wide.row().iter().map(|(j, x)| weight(j) * x);
            let over = p.map_or(1.0, |p| wide.row().norm(p));
            let zero = learner.zero_margin();
            let want = terms().sum::<f64>() / over + zero;
            let size = terms().map(f64::abs).sum::<f64>() / over + zero.abs();
            let got = score(&*learner, wide.row(), learner.hypotheses()[0]);
            // an average is a difference of sums over all trials
            assert!(
                (got - want).abs() <= 1e-11 * size.max(1.0),
                "{subject}: {got}, not {want}"
            );
        }
    }
}

/// A predictor that is a sum over slots says so, and the sum is its score.
pub fn formulas_are_the_scores(subject: &Subject) {
    let stream = subject.stream(Kind::Sparse, 3, 300);
    let mut learner = subject.learner_for(&stream);
    for round in 0..2 {
        for &by in learner.hypotheses() {
            let Some(formula) = learner.linear_score(0, by) else {
                let is_vote = by == Hypothesis::Voted || subject.peculiar.score == Score::Other;
                assert!(
                    is_vote,
                    "{subject}: no formula of the {} predictor",
                    by.name()
                );
                continue;
            };
            for sample in &stream.samples {
                let x = sample.row().before(formula.weights.len());
                let terms = || x.iter().map(|(j, v)| formula.weights[j] * v);
                let over = formula.norm.map_or(1.0, |p| x.norm(p));
                let want = terms().sum::<f64>() / over + formula.intercept;
                let size = terms().map(f64::abs).sum::<f64>() / over + formula.intercept.abs();
                let got = score(&*learner, x, by);
                assert!(
                    x.is_zero() || (got - want).abs() <= 1e-11 * size.max(1.0),
                    "{subject} round {round}, {}: {got}, not {want}",
                    by.name()
                );
            }
        }
        run(&mut *learner, &stream.samples);
    }
}

/// A row without values scores as one of zeros: the threshold, or 0.
pub fn an_empty_row_scores_as_a_zero_row(subject: &Subject) {
    let stream = subject.stream(Kind::Sparse, 1, 100);
    let mut learner = subject.learner_for(&stream);
    for round in 0..2 {
        let zero = learner.zero_margin();
        assert_eq!(zero != 0.0, subject.can().has_threshold, "{subject}");
        for row in [
            Row::sparse(&[], &[]),
            Row::dense(&[]),
            Row::dense(&[0.0, -0.0]),
        ] {
            let by = match subject.peculiar.score {
                Score::Other => Hypothesis::Final,
                _ => learner.hypotheses()[0],
            };
            assert_eq!(score(&*learner, row, by), zero, "{subject} round {round}");
        }
        run(&mut *learner, &stream.samples);
    }
}

/// Stored zeros make a learner's memory longer and change nothing else.
pub fn width_and_stored_zeros_do_not_matter(subject: &Subject) {
    for seed in 0..cases(3) {
        let narrow = subject.stream(Kind::Growing, seed, 200);
        let mut wide = narrow.clone();
        let top = narrow.width + 100;
        for sample in &mut wide.samples {
            sample.index.push(top);
            sample.value.push(0.0);
        }
        let mut a = subject.learner_for(&narrow);
        let mut b = subject.learner(narrow.width);
        survey(&mut *b, &wide.samples);
        let (a, b) = (run(&mut *a, &narrow.samples), run(&mut *b, &wide.samples));
        // eigenvectors of a larger matrix are rounded differently
        let tolerance = if subject.can().needs_all_rows {
            1e-9
        } else {
            1e-12
        };
        same_trials(&a, &b, tolerance, subject);
    }
}

/// Dense, adjacent and sparse storage of the same rows give the same trials.
pub fn storage_does_not_matter(subject: &Subject) {
    for seed in 0..cases(3) {
        let mut stream = subject.stream(Kind::Sparse, seed, 300);
        for sample in &mut stream.samples {
            // slot 0 is out of reach of dense rows
            if sample.index[0] == 0 {
                sample.index[0] = 1;
                if sample.index.get(1) == Some(&1) {
                    sample.index.remove(1);
                    sample.value.remove(1);
                }
            }
        }
        let full = |s: &Sample| -> Vec<f32> {
            let mut x = vec![0.0; stream.width as usize];
            s.index
                .iter()
                .zip(&s.value)
                .for_each(|(j, v)| x[*j as usize - 1] = *v);
            x
        };
        let rows: Vec<Vec<f32>> = stream.samples.iter().map(full).collect();
        let slots: Vec<u32> = (1..=stream.width).collect();
        let pairs = || rows.iter().zip(&stream.samples);
        let dense = pairs()
            .map(|(x, s)| Row::dense(x).scaled(s.scale))
            .collect();
        let adjacent = pairs()
            .map(|(x, s)| Row::sparse(&slots, x).scaled(s.scale))
            .collect();
        let sparse = stream.samples.iter().map(Sample::row).collect();
        let [a, b, c] = [dense, adjacent, sparse].map(|rows: Vec<Row<'_>>| {
            let mut learner = subject.learner(stream.width);
            if learner.surveys() {
                for row in &rows {
                    learner.survey(*row).unwrap();
                }
                learner.surveyed();
            }
            let trials = rows.iter().zip(&stream.samples);
            let trials = trials.map(|(row, s)| trial(&mut *learner, *row, s.positive).unwrap());
            (trials.collect::<Vec<_>>(), learner)
        });
        assert_same_state(&*a.1, &*b.1, subject);
        same_trials(&a.0, &b.0, 0.0, subject);
        same_trials(&a.0, &c.0, 1e-10, subject);
    }
}

/// Rows with the constant feature, all of one class: the learner ends up saying that class.
pub fn one_class_only(subject: &Subject) {
    for positive in [true, false] {
        let mut stream = subject.stream(Kind::Integer, 4, 60);
        for sample in &mut stream.samples {
            if sample.index[0] != 0 {
                sample.index.insert(0, 0);
                sample.value.insert(0, 1.0);
            }
            sample.value[0] = 3.0;
            sample.positive = positive;
            if let Some(p) = subject.norm() {
                sample.divide_by_norm(p);
            }
        }
        let mut learner = subject.learner_for(&stream);
        let mut updates = 0;
        for _ in 0..100 {
            updates = run(&mut *learner, &stream.samples)
                .iter()
                .filter(|t| t.1)
                .count();
        }
        assert_finite(&*learner, &stream.samples, subject);
        match subject.peculiar.one_class {
            OneClass::LearnedByMargin => {
                for (margin, _) in run(&mut *learner, &stream.samples) {
                    assert_eq!(margin >= 0.0, positive, "{subject}: {margin}");
                }
                continue;
            }
            OneClass::PositiveOnly if !positive => continue,
            OneClass::PositiveOnly | OneClass::Learned => {}
        }
        for sample in &stream.samples {
            let got = score(&*learner, sample.row(), learner.hypotheses()[0]);
            assert_eq!(
                got >= 0.0,
                positive,
                "{subject}: {got}, {updates} updates in the last epoch"
            );
        }
    }
}

/// One row again and again, with one label or both in turn: numbers stay finite.
pub fn a_row_ten_thousand_times(subject: &Subject) {
    for alternating in [false, true] {
        let stream = subject.stream(Kind::Integer, 5, 20);
        let mut learner = subject.learner_for(&stream);
        let mut sample = stream.samples[3].clone();
        let times = if subject.peculiar.is_slow {
            700
        } else {
            10_000
        };
        for t in 0..times {
            sample.positive = alternating && t % 2 == 0;
            let (margin, _) = trial(&mut *learner, sample.row(), sample.positive).unwrap();
            assert!(margin.is_finite(), "{subject}");
        }
        assert_finite(&*learner, &stream.samples, subject);
        if !alternating {
            assert!(
                score(&*learner, sample.row(), learner.hypotheses()[0]) < 0.0,
                "{subject}"
            );
        }
    }
}

/// Two runs over one stream end in the same bytes.
pub fn the_same_stream_gives_the_same_bytes(subject: &Subject) {
    let stream = subject.stream(Kind::Swings, 2, 400);
    let [a, b] = [(); 2].map(|()| {
        let mut learner = subject.learner_for(&stream);
        run(&mut *learner, &stream.samples);
        learner
    });
    assert_same_state(&*a, &*b, subject);
}

/// A learner that must see all rows first says so in the catalogue, and sees them once.
pub fn whoever_surveys_says_so(subject: &Subject) {
    let mut learner = subject.learner(10);
    assert_eq!(learner.surveys(), subject.can().needs_all_rows, "{subject}");
    survey(&mut *learner, &[Sample::new(vec![1], vec![1.0], true)]);
    assert!(!learner.surveys(), "{subject}");
}
