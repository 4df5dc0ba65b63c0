#![allow(clippy::unwrap_used)]

use std::iter::zip;

use novikoff::dual::loss::AnyLoss;
use novikoff::dual::named::NamedLoss;
use novikoff::dual::regulariser::Square;
use novikoff::dual::{Aim, GapCertificate, Problem, Settings, solve};
use novikoff::model::{Example, Model};
use novikoff::random::SplitMix64;
use novikoff::rows::Rows;
use novikoff::spec::Spec;

use super::*;

const LAMBDA: f64 = 0.05;
const FEATURES: u32 = 6;

/// Rows of three classes that no vector separates, in blocks of partitions.
struct Shards {
    labels: Vec<String>,
    /// By partition, by block: the rows, and the place of each row's label.
    blocks: Vec<Vec<(Rows, Vec<u32>)>>,
}

impl Shards {
    fn new(classes: u32, partitions: usize, blocks: usize, rows: usize) -> Self {
        let mut random = SplitMix64::new(3);
        let mut all = Vec::new();
        for _ in 0..partitions {
            let mut own = Vec::new();
            for _ in 0..blocks {
                let (mut block, mut codes) = (Rows::new(), Vec::new());
                for i in 0..rows {
                    let mut score = 2.0 * random.uniform() - 1.0;
                    for slot in 1..=FEATURES {
                        let value = (2.0 * random.uniform() - 1.0) as f32;
                        block.push(slot, value);
                        score += f64::from(value) * (f64::from(slot) - 3.0);
                    }
                    block.set_weight((i % 3) as f32);
                    block.end_row(0);
                    let place = (score + 1.5).clamp(0.0, 2.9) as u32;
                    codes.push(place.min(classes - 1));
                }
                own.push((block, codes));
            }
            all.push(own);
        }
        Shards {
            labels: (0..classes).map(|k| format!("c{k}")).collect(),
            blocks: all,
        }
    }

    fn packed(&self) -> Vec<Vec<(Vec<u8>, BlockFacts)>> {
        let pack_block = |(rows, codes): &(Rows, Vec<u32>)| {
            let truth = Truth::Labels(self.labels.clone(), codes.clone());
            pack(rows, FEATURES, &truth)
        };
        let partitions = self.blocks.iter();
        partitions
            .map(|blocks| blocks.iter().map(pack_block).collect())
            .collect()
    }

    fn problem(&self, loss: &str, class_weight: &[f64]) -> PartitionedProblem {
        let packed = self.packed();
        let facts: Vec<BlockFacts> = packed
            .iter()
            .flatten()
            .map(|(_, facts)| facts.clone())
            .collect();
        PartitionedProblem::new(ProblemFacts {
            loss: loss.to_owned(),
            lambda: LAMBDA,
            labels: self.labels.clone(),
            class_weight: class_weight.to_vec(),
            rows: facts.iter().map(|f| f.rows as u64).sum(),
            slots: FEATURES as usize + 1,
            partitions: packed.len() as u64,
            norm_sq: facts.iter().map(|f| f.norm_sq).sum(),
            largest: facts.iter().map(|f| f.largest).fold(0.0, f64::max),
            constant: None,
            free_bias: false,
        })
        .unwrap()
    }

    /// All rows in one place, one class against the rest.
    fn whole(&self, class: usize, class_weight: &[f64]) -> (Vec<Aim>, Rows) {
        let (mut aims, mut rows) = (Vec::new(), Rows::new());
        let positive = if self.labels.len() == 2 { 1 } else { class };
        for (block, codes) in self.blocks.iter().flatten() {
            for (i, &code) in codes.iter().enumerate() {
                rows.copy_row(block.view(), i);
                aims.push(Aim {
                    sign: if code as usize == positive { 1.0 } else { -1.0 },
                    target: 1.0,
                    weight: block.weight(i)
                        * class_weight.get(code as usize).copied().unwrap_or(1.0),
                });
            }
        }
        (aims, rows)
    }
}

/// Rounds until all classes have reached the gap: the certificates, and the bytes of the last point.
fn driven(
    shards: &Shards,
    problem: &PartitionedProblem,
    gap: f64,
) -> (Vec<GapCertificate>, Vec<u8>) {
    let packed = shards.packed();
    let mut states: Vec<Vec<Option<Vec<u8>>>> = packed
        .iter()
        .map(|blocks| vec![None; blocks.len()])
        .collect();
    let classes = problem.problems();
    let work = |passes: u32, seed: u64, sums: bool| Work {
        passes,
        seed,
        active: vec![true; classes],
        sums,
        shares: true,
        ..Work::default()
    };
    let mut walk = |point: &Point, work: Work| {
        let mut answers = Vec::new();
        for (partition, (blocks, states)) in zip(&packed, &mut states).enumerate() {
            let mut round = PartitionRound::new(
                problem.clone(),
                Point::from_bytes(&point.to_bytes()).unwrap(),
                work.clone(),
                partition as u64,
            )
            .unwrap();
            for ((rows, _), state) in zip(blocks, states) {
                *state = Some(round.step(rows, state.as_deref()).unwrap());
            }
            answers.push(round.answer().to_bytes());
        }
        Answer::sum(answers.iter().map(Vec::as_slice)).unwrap()
    };
    // of variables that do not begin with 0 the vector is not 0 either
    let mut point = problem.origin();
    let begun = walk(&point, work(0, 0, false));
    point = problem.next(&point, &begun, true);
    for seed in 0..2000 {
        let answer = walk(&point, work(2, seed, true));
        let found = problem.certificates(&point, &answer, &point.intercepts());
        let found: Vec<GapCertificate> = found.into_iter().flatten().collect();
        assert_eq!(found.len(), classes);
        if found.iter().all(|certificate| certificate.reaches(gap)) {
            return (found, point.to_bytes());
        }
        point = problem.next(&point, &answer, false);
    }
    panic!("2000 rounds did not reach the gap");
}

#[test]
fn partitions_of_blocks_reach_the_objective_of_one_machine() {
    for (classes, loss, class_weight) in [
        (2, "hinge", &[][..]),
        (2, "squared-hinge", &[0.5, 2.0]),
        (2, "logistic", &[]),
        (3, "squared-hinge", &[1.0, 3.0, 0.5]),
        (3, "logistic", &[]),
    ] {
        let shards = Shards::new(classes, 2, 3, 17);
        let problem = shards.problem(loss, class_weight);
        let (found, bits) = driven(&shards, &problem, 1e-7);
        for (class, found) in found.iter().enumerate() {
            let (aims, rows) = shards.whole(class, class_weight);
            let whole = Problem::new(rows.view(), Vec::new(), aims);
            let settings = Settings {
                gap: 1e-9,
                ..Settings::default()
            };
            let any: AnyLoss = NamedLoss::parse(loss).unwrap().loss();
            let one = solve(&whole, any, Square, LAMBDA, None, &settings, &mut |_| true);
            let expected = one.report.certificate;
            assert!(expected.reaches(1e-9));
            let difference = (found.primal - expected.primal).abs();
            assert!(
                difference <= 1e-6 * expected.primal,
                "{loss}, class {class}: {found:?}, {expected:?}"
            );
            assert!(found.dual <= expected.primal * (1.0 + 1e-12));
        }
        // again, and every bit is the same
        let again = driven(&shards, &problem, 1e-7);
        assert_eq!(again.0, found);
        assert_eq!(again.1, bits);
    }
}

#[test]
fn packed_rows_that_were_cut_or_changed_are_noticed() {
    let shards = Shards::new(2, 1, 2, 5);
    let problem = shards.problem("hinge", &[]);
    let packed = shards.packed();
    let (rows, facts) = &packed[0][0];
    assert_eq!((facts.rows, facts.values, facts.width), (5, 30, FEATURES));
    // a driver reads them at the end of the bytes
    let (front, tail) = rows.split_at(rows.len() - 8);
    let length: usize = std::str::from_utf8(tail).unwrap().parse().unwrap();
    let said: serde_json::Value = serde_json::from_slice(&front[front.len() - length..]).unwrap();
    assert_eq!(said, serde_json::to_value(facts).unwrap());
    assert_eq!(facts.labels.iter().map(|(_, count)| count).sum::<u64>(), 5);
    assert_eq!(rows.len() % 8, 0);
    let round = || {
        let work = Work {
            active: vec![true],
            ..Work::default()
        };
        PartitionRound::new(problem.clone(), problem.origin(), work, 0).unwrap()
    };
    let state = round().step(rows, None).unwrap();
    let message = |rows: &[u8], state: Option<&[u8]>| {
        let error = round().step(rows, state).unwrap_err();
        error.to_string()
    };
    for at in 0..rows.len() {
        let mut other = rows.clone();
        other[at] ^= 4;
        assert!(message(&other, None).contains("packed rows are damaged"));
        assert!(message(&rows[..at], None).contains("packed rows are damaged"));
    }
    for len in 0..state.len() {
        let text = message(rows, Some(&state[..len]));
        assert!(text.contains("dual variables are damaged"), "{text}");
    }
    // the variables of one block, and the rows of another
    let text = message(&packed[0][1].0, Some(&state));
    assert!(text.contains("has other rows than before"), "{text}");
}

fn model(spec: &str, labels: &[String]) -> Model {
    mixable(Spec::parse(spec).unwrap(), labels, FEATURES, None, None).unwrap()
}

/// What a pass over the blocks of one partition answers.
fn passed(model: &Model, blocks: &[(Vec<u8>, BlockFacts)]) -> Vec<u8> {
    let mut pass = Pass::from(model);
    for (rows, _) in blocks {
        pass.walk(rows).unwrap();
    }
    pass.answer()
}

fn without_weights(classes: u32, partitions: usize) -> Shards {
    let mut shards = Shards::new(classes, partitions, 2, 40);
    for (rows, _) in shards.blocks.iter_mut().flatten() {
        let mut plain = Rows::new();
        for i in 0..rows.len() {
            for (slot, value) in rows.row(i).iter() {
                plain.push(slot as u32, value as f32);
            }
            plain.end_row(0);
        }
        *rows = plain;
    }
    shards
}

#[test]
fn one_partition_is_the_learner_itself() {
    for (spec, classes) in [
        ("perceptron", 2),
        ("passive-aggressive", 2),
        ("perceptron", 3),
    ] {
        let shards = without_weights(classes, 1);
        let begun = model(spec, &shards.labels);
        let answer = passed(&begun, &shards.packed()[0]);
        let mixed = mixed(&begun, &[&answer], MixBy::Mistakes).unwrap();
        let mut own = begun.clone();
        for (rows, codes) in shards.blocks.iter().flatten() {
            for (i, &code) in codes.iter().enumerate() {
                let label = shards.labels[code as usize].as_str();
                let _ = own.learn(Example::from(rows.row(i)), [label]).unwrap();
            }
        }
        assert_eq!(mixed.mistakes, own.totals().mistakes, "{spec}");
        assert_eq!(mixed.trials, 80);
        assert_eq!(mixed.mu, [1.0]);
        for lane in 0..own.learner().lanes() {
            assert_eq!(
                mixed.model.learner().weights(lane),
                own.learner().weights(lane),
                "{spec}"
            );
        }
    }
}

#[test]
fn weights_are_the_weighted_mean_of_those_of_partitions() {
    let shards = without_weights(2, 3);
    let begun = model("perceptron", &shards.labels);
    let answers: Vec<Vec<u8>> = (shards.packed().iter())
        .map(|blocks| passed(&begun, blocks))
        .collect();
    let answers: Vec<&[u8]> = answers.iter().map(Vec::as_slice).collect();
    for by in [MixBy::Uniform, MixBy::Mistakes] {
        let all = mixed(&begun, &answers, by).unwrap();
        assert!((all.mu.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        let mut expected = vec![0.0; FEATURES as usize + 1];
        for (answer, mu) in zip(&answers, &all.mu) {
            let alone = mixed(&begun, &[answer], by).unwrap();
            if by == MixBy::Mistakes {
                assert_eq!(*mu, alone.mistakes as f64 / all.mistakes as f64);
            } else {
                assert_eq!(*mu, 1.0 / 3.0);
            }
            let weights = alone.model.learner().weights(0);
            zip(&mut expected, weights).for_each(|(sum, w)| *sum += mu * w);
        }
        assert_eq!(all.model.learner().weights(0), expected);
    }
    let one = mixed(&begun, &answers[..1], MixBy::Uniform).unwrap().model;
    let two = mixed(&begun, &answers[1..2], MixBy::Uniform).unwrap().model;
    let both = mean(&[&one, &two]).unwrap();
    let halves = zip(one.learner().weights(0), two.learner().weights(0));
    let halves: Vec<f64> = halves.map(|(a, b)| 0.5 * a + 0.5 * b).collect();
    assert_eq!(both.learner().weights(0), halves);
}

/// The theorem, for vectors that nobody optimised.
#[test]
fn weighted_mistakes_are_within_the_bound_of_any_vector() {
    let shards = without_weights(2, 3);
    let packed = shards.packed();
    let mut random = SplitMix64::new(11);
    for by in [MixBy::Uniform, MixBy::Mistakes] {
        let mut model = model("perceptron", &shards.labels);
        let (mut begun, mut mu) = (Vec::new(), Vec::new());
        let (mut mistakes, mut norm_sq) = (0.0, 0.0);
        for _ in 0..4 {
            begun.push(model.clone());
            let answers: Vec<Vec<u8>> =
                packed.iter().map(|blocks| passed(&model, blocks)).collect();
            let answers: Vec<&[u8]> = answers.iter().map(Vec::as_slice).collect();
            let epoch = mixed(&model, &answers, by).unwrap();
            mistakes += epoch.weighted_mistakes;
            norm_sq += epoch.weighted_norm_sq;
            mu.push(epoch.mu);
            model = epoch.model;
        }
        // the mistakes once more, block by block
        let (mut kept, mut weight) = (Vec::new(), 0.0);
        for (partition, blocks) in packed.iter().enumerate() {
            let mut passes: Vec<Pass> = begun.iter().map(Pass::from).collect();
            for (rows, _) in blocks {
                let shares = mu.iter().map(|epoch| epoch[partition]);
                let mut weighted: Vec<_> = zip(&mut passes, shares).collect();
                kept.extend(mistaken(&mut weighted, rows).unwrap());
            }
        }
        for block in &kept {
            let words = packed::aligned(block);
            let read = packed::Packed::read(&words, block.len()).unwrap();
            weight += (0..read.rows.len())
                .map(|i| read.rows.weight(i))
                .sum::<f64>();
        }
        assert!(
            mistakes <= weight && weight <= mistakes * (1.0 + 1e-6),
            "{mistakes} {weight}"
        );
        for _ in 0..200 {
            let scale = 4.0 * random.uniform();
            let u: Vec<f64> = (0..=FEATURES)
                .map(|slot| scale * (f64::from(slot) - 3.0 + 2.0 * random.uniform()))
                .collect();
            let (mut loss, mut rows) = (0.0, 0_u32);
            for block in &kept {
                let words = packed::aligned(block);
                let read = packed::Packed::read(&words, block.len()).unwrap();
                for i in 0..read.rows.len() {
                    let y = if read.code(i) == Some(1) { 1.0 } else { -1.0 };
                    let margin: f64 = (read.rows.row(i).iter()).map(|(slot, x)| u[slot] * x).sum();
                    loss += read.rows.weight(i) * (1.0 - y * margin).max(0.0);
                    rows += 1;
                }
            }
            let bound = MixingBound::of(&u, loss / f64::from(rows), rows.into(), mistakes, norm_sq);
            assert!(mistakes <= bound.bound(), "{mistakes} {bound:?}");
        }
    }
}

#[test]
fn learners_with_more_than_weights_are_not_mixed() {
    let labels = ["a".to_owned(), "b".to_owned()];
    for spec in ["second-order", "auto", "voted", "adagrad-da"] {
        let Ok(spec) = Spec::parse(spec) else {
            continue;
        };
        let error = mixable(spec, &labels, 2, None, None).err().unwrap();
        assert!(error.to_string().contains("cannot be mixed"), "{error}");
        let remedy = error.remedy().unwrap().to_string();
        assert!(remedy.contains("perceptron"), "{remedy}");
    }
}

#[test]
fn bins_keep_the_order_of_margins_and_bound_the_curve() {
    let mut random = SplitMix64::new(5);
    let (mut bins, mut halves) = (
        MarginBins::default(),
        [(); 2].map(|()| MarginBins::default()),
    );
    let mut rows: Vec<(f64, bool)> = Vec::new();
    for i in 0..400 {
        let margin = (2.0 * random.uniform() - 1.0) * if i % 7 == 0 { 1e-9 } else { 3.0 };
        let has = random.uniform() < 0.3 + 0.1 * margin;
        rows.push((margin, has));
        bins.add(margin, has);
        halves[i % 2].add(margin, has);
    }
    rows.extend([(0.0, true), (-0.0, false)]);
    bins.add(0.0, true);
    bins.add(-0.0, false);
    halves[0].add(0.0, true);
    halves[1].add(-0.0, false);
    let mut sum = MarginBins::default();
    for half in &halves {
        sum.merge(&half.to_bytes()).unwrap();
    }
    assert_eq!(sum, bins);
    let count = |has: bool| rows.iter().filter(|row| row.1 == has).count() as u64;
    assert_eq!(bins.rows(), (count(false), count(true)));
    // thresholds fall, and every point counts the rows at or above its threshold
    let curve = bins.curve();
    assert!(curve.windows(2).all(|pair| pair[0].0 > pair[1].0));
    for (threshold, no, yes) in curve {
        let above = |has: bool| {
            let all = rows.iter().filter(|row| row.1 == has && row.0 >= threshold);
            all.count() as u64
        };
        assert_eq!((no, yes), (above(false), above(true)), "{threshold}");
    }
    let mut won = 0.0;
    for (a, _) in rows.iter().filter(|row| row.1) {
        for (b, _) in rows.iter().filter(|row| !row.1) {
            won += if a > b {
                1.0
            } else {
                0.5 * f64::from(u8::from(a == b))
            };
        }
    }
    let (auc, error) = bins.auc().unwrap();
    let exact = won / (count(false) * count(true)) as f64;
    assert!((auc - exact).abs() <= error + 1e-12 && error < 0.02);
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut seen, mut precision) = (0.0, 0.0);
    for (place, _) in rows.iter().enumerate().filter(|(_, row)| row.1) {
        seen += 1.0;
        precision += seen / (place + 1) as f64;
    }
    let (low, high) = bins.average_precision().unwrap();
    assert!(low <= precision / seen && precision / seen <= high);
}

/// The facts of a block of rows with these labels.
fn facts_of(labels: impl IntoIterator<Item = usize>) -> BlockFacts {
    let (mut rows, mut codes) = (Rows::new(), Vec::new());
    for label in labels {
        rows.push(1, 1.0);
        rows.end_row(0);
        codes.push(label as u32);
    }
    let names = vec!["a".to_owned(), "b".to_owned()];
    pack(&rows, 1, &Truth::Labels(names, codes)).1
}

#[test]
fn partitions_whose_rows_come_sorted_are_noticed() {
    let mixed = || facts_of((0..100).map(|i| i % 2));
    let half = |of: usize| facts_of((0..100).map(|i| i / of % 2));
    assert_eq!((half(50).runs, half(50).ends), (2, Some((0, 1))));
    assert_eq!(sorted_rows(&[(0, mixed()), (1, mixed())]), None);
    // partitions 1 and 3, the second of which has two blocks whose runs go on
    let blocks = [
        (0, mixed()),
        (1, half(50)),
        (3, facts_of([0; 60])),
        (3, half(70)),
    ];
    let Some(SortedRows::Inside {
        partition: 1,
        partitions: 2,
        remark,
    }) = sorted_rows(&blocks)
    else {
        panic!("{:?}", sorted_rows(&blocks));
    };
    assert_eq!(remark.kind(), "sorted");
    let said = "the rows come sorted by label: 2 runs of equal labels in 100 rows, where a random order has about 51";
    assert_eq!(remark.to_string(), said);
    // each partition has one label
    let pure = [(0, facts_of([0; 100])), (1, facts_of([1; 100]))];
    let Some(SortedRows::Across { remark }) = sorted_rows(&pure) else {
        panic!("{:?}", sorted_rows(&pure));
    };
    assert!(remark.to_string().contains("2 runs of equal labels in 200"));
}
