//! The baseline against its definition, slow and obvious, over random streams: two labels, many, several per row; from a file and from a pipe.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use serde_json::Value;

/// What is learned from rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Two labels; the later one in order is positive.
    Two,
    /// One of several.
    Many,
    /// Any number of them.
    Several,
}

/// Labels of rows; names are given in their order.
struct Stream {
    names: &'static [&'static str],
    rows: Vec<Vec<usize>>,
}

impl Stream {
    fn random(random: &mut SplitMix64, names: &'static [&'static str], kind: Kind) -> Self {
        let rows = 2 + random.below(40);
        let mut labels: Vec<Vec<usize>> = Vec::new();
        for _ in 0..rows {
            labels.push(match kind {
                Kind::Several => (0..names.len()).filter(|_| random.below(2) == 0).collect(),
                _ => vec![random.below(names.len())],
            });
        }
        // all labels occur
        labels.extend((0..names.len()).map(|label| vec![label]));
        let order = random.order(labels.len());
        let rows = order.into_iter().map(|k| labels[k].clone()).collect();
        Stream { names, rows }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (row, labels) in self.rows.iter().enumerate() {
            let names: Vec<&str> = labels.iter().map(|&label| self.names[label]).collect();
            // nothing before the first blank is no label at all
            let _ = writeln!(text, "{} 1:{}", names.join(","), row + 1);
        }
        text
    }

    /// Errors, and the answer after the last row.
    fn slow(&self, kind: Kind) -> (u64, String) {
        let mut errors = 0;
        for row in 0..self.rows.len() {
            let answer = Self::answer(&self.rows[..row], kind);
            errors += u64::from(answer != self.rows[row]);
        }
        let last = Self::answer(&self.rows, kind);
        let last: Vec<&str> = last.iter().map(|&label| self.names[label]).collect();
        (errors, last.join(","))
    }

    /// The most frequent label so far, ties lowest, before any row +1 or the lowest class; several: labels on more than half of the rows.
    fn answer(before: &[Vec<usize>], kind: Kind) -> Vec<usize> {
        let mut times: BTreeMap<usize, usize> = BTreeMap::new();
        for &label in before.iter().flatten() {
            *times.entry(label).or_default() += 1;
        }
        if kind == Kind::Several {
            let most = times.iter().filter(|(_, n)| 2 * **n > before.len());
            return most.map(|(&label, _)| label).collect();
        }
        let Some(most) = times.values().max() else {
            return vec![usize::from(kind == Kind::Two)];
        };
        let first = times.iter().find(|(_, n)| *n == most);
        first.map(|(&label, _)| label).into_iter().collect()
    }
}

fn found(json: &Value) -> (u64, String) {
    let baseline = &json["baseline"];
    let label = baseline["label"].as_str().expect("a label").to_owned();
    (baseline["errors"].as_u64().expect("a count"), label)
}

#[test]
fn the_baseline_is_that_of_its_definition() {
    let room = Room::new();
    let mut random = SplitMix64(41);
    for round in 0..12 {
        let train = "train s.svm -a perceptron -q --lenient";
        let piped = "train - -a perceptron -q --lenient";
        for (names, kind) in [
            (&["-1", "+1"][..], Kind::Two),
            (&["no", "yes"], Kind::Two),
            (&["2", "10"], Kind::Two),
            (&["-3", "2", "10", "x"], Kind::Many),
            (&["ant", "bee", "cat"], Kind::Many),
            (&["ant", "bee", "cat"], Kind::Several),
        ] {
            let stream = Stream::random(&mut random, names, kind);
            let text = stream.text();
            room.write("s.svm", &text);
            let flag = match kind {
                Kind::Several => " --multilabel",
                _ => "",
            };
            let what = format!("round {round}, {names:?} {kind:?}:\n{text}");
            let file = room.json(&format!("{train}{flag}"));
            assert_eq!(found(&file), stream.slow(kind), "file, {what}");
            // a pipe cannot be looked at first: labels other than -1 and +1 are classes
            let of_pipe = match (kind, names[0]) {
                (Kind::Two, "-1") => Kind::Two,
                (Kind::Two, _) => Kind::Many,
                (kind, _) => kind,
            };
            let pipe = room.json_piped(&format!("{piped}{flag}"), &text);
            assert_eq!(found(&pipe), stream.slow(of_pipe), "pipe, {what}");
            if kind == Kind::Two {
                let labels = format!("{piped} --labels {},{}", names[0], names[1]);
                let pipe = room.json_piped(&labels, &text);
                assert_eq!(found(&pipe), stream.slow(kind), "--labels, {what}");
                let shuffled = room.json(&format!("{train} --shuffle 3 --epochs 2"));
                let (errors, _) = found(&shuffled);
                assert!(errors <= stream.rows.len() as u64);
            }
        }
    }
}
