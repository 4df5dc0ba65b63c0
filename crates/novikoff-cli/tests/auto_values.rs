//! Values that are `auto` are resolved once, from the first rows of the data, and never change.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use serde_json::Value;

/// Rows whose lengths differ between the first 2,000 and the others, with labels that a circle tells apart.
fn rows(count: usize) -> String {
    let mut random = SplitMix64(3);
    let mut text = String::new();
    for row in 0..count {
        let (x, z) = (random.uniform() * 2.0 - 1.0, random.uniform() * 2.0 - 1.0);
        let label = if x * x + z * z > 0.6 { "+1" } else { "-1" };
        let size = if row < 2000 { 3.0 } else { 30.0 };
        // writing to a String cannot fail
        let _ = writeln!(text, "{label} 1:{:.3} 2:{:.3}", size * x, size * z);
    }
    text
}

/// The values of the first rows of a text, as they are stored.
fn values(text: &str, count: usize) -> Vec<[f64; 2]> {
    let number = |word: &str| -> f64 {
        let (_, value) = word.split_once(':').expect("a pair");
        f64::from(value.parse::<f32>().expect("a number"))
    };
    let row = |line: &str| {
        let mut words = line.split(' ').skip(1).map(number);
        [words.next().expect("x"), words.next().expect("z")]
    };
    text.lines().take(count).map(row).collect()
}

fn near(found: &Value, want: f64) {
    let found = found.as_f64().expect("a number");
    assert!((found - want).abs() <= 1e-9 * want, "{found} {want}");
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    numbers.sum::<f64>() / count
}

#[test]
fn values_are_those_of_the_first_rows_whatever_their_order() {
    let text = rows(2600);
    let room = Room::with(&text);
    let first = values(&text, 2000);
    let square = |x: &[f64; 2]| x[0] * x[0] + x[1] * x[1];
    let mean_square = mean(first.iter().map(square));
    let longest = first.iter().map(square).fold(0.0, f64::max);
    let centre = [0, 1].map(|j| mean(first.iter().map(|x| x[j])));
    let distance = 2.0 * (mean_square - square(&centre));
    for (words, key, want) in [
        ("-a second-order:a=auto", "a", mean_square / 10.0),
        ("-a selective:b=auto", "b", longest / 2.0),
        ("-a selective(second-order:a=auto)", "a", mean_square / 10.0),
        ("-a projectron:eta=auto", "eta", mean_square.sqrt() / 10.0),
        (
            "-a perceptron --kernel rbf:gamma=auto",
            "gamma",
            1.0 / distance,
        ),
        // the constant feature is part of a row, and in the space of the kernel all rows have the same length
        (
            "-a second-order:a=auto --bias 2",
            "a",
            (mean_square + 4.0) / 10.0,
        ),
        ("-a second-order:a=auto --normalize 2", "a", 0.1),
        (
            "-a second-order:a=auto --kernel gaussian:gamma=auto",
            "a",
            0.1,
        ),
    ] {
        let run = room.json(&format!("train data.svm {words} -q"));
        near(&run["parameters"][key], want);
        let piped = room.json_piped(&format!("train - {words} --labels -1,+1 -q"), &text);
        assert_eq!(run["parameters"], piped["parameters"], "{words}");
        assert_eq!(run["mistakes"], piped["mistakes"], "{words}");
        for more in ["--shuffle 5", "--epochs 2", "--permutations 2 --shuffle 1"] {
            let other = room.json(&format!("train data.svm {words} {more} -q"));
            assert_eq!(run["parameters"], other["parameters"], "{words} {more}");
        }
    }
    let run = room.json("train data.svm -a perceptron --kernel rbf:gamma=auto -q");
    let gamma = run["parameters"]["gamma"].as_f64().expect("a number");
    assert_eq!(run["kernel"], format!("gaussian:gamma={gamma}"));
    assert_eq!(run["spec"], "perceptron");
}

#[test]
fn half_of_a_stream_saved_and_resumed_is_the_whole() {
    let text = rows(2400);
    let room = Room::with(&text);
    let at = text.match_indices('\n').nth(2099).expect("a line").0 + 1;
    room.write("a.svm", &text[..at]);
    room.write("b.svm", &text[at..]);
    for words in [
        "-a second-order:a=auto",
        "-a perceptron --kernel rbf:gamma=auto",
        "-a projectron:eta=auto --kernel gaussian:gamma=auto",
    ] {
        room.run(&format!("train data.svm {words} -o whole -q"))
            .good();
        room.run(&format!("train a.svm {words} -o half -q")).good();
        room.run(&format!("train b.svm {words} --resume half -o both -q"))
            .good();
        assert_eq!(room.bytes("whole"), room.bytes("both"), "{words}");
        room.run("train b.svm --resume half -o both -q").good();
        assert_eq!(room.bytes("whole"), room.bytes("both"), "{words}");
    }
}

#[test]
fn what_was_resolved_is_stored_and_cannot_be_changed() {
    let room = Room::with(&rows(100));
    room.run("train data.svm -a perceptron --kernel rbf:gamma=auto -o auto -q")
        .good();
    room.run("train data.svm -a perceptron --kernel gaussian:gamma=1 -o one -q")
        .good();
    let inspected = room.json("inspect auto");
    let kernel = inspected["kernel"].as_str().expect("a kernel").to_owned();
    assert!(inspected["parameters"]["gamma"].is_f64(), "{inspected}");
    for (model, asked) in [
        ("auto", "gaussian:gamma=auto"),
        ("auto", &kernel),
        ("one", "rbf"),
        ("one", "rbf:gamma=1"),
    ] {
        room.run(&format!(
            "train data.svm --resume {model} --kernel {asked} -o x -q"
        ))
        .good();
    }
    for (model, asked) in [
        ("auto", "rbf:gamma=1"),
        ("one", "gaussian:gamma=auto"),
        ("auto", "rbf:gamma=auto,cosine"),
    ] {
        let refused = room.run(&format!(
            "train data.svm --resume {model} --kernel {asked} -o x -q"
        ));
        refused.refused(&["--kernel", "gaussian:gamma"]);
    }
    let refused = room.run("train data.svm -a second-order:a=auto --resume one -o x -q");
    refused.refused(&["second-order:a=auto"]);
}

#[test]
fn every_job_takes_auto() {
    let room = Room::with(&rows(300));
    let compared = room.json("compare data.svm second-order:a=auto selective:b=auto perceptron -q");
    assert!(
        compared["runs"][0]["parameters"]["a"].is_f64(),
        "{compared}"
    );
    let compared = room.json("compare data.svm perceptron averaged --kernel rbf:gamma=auto -q");
    let gammas = [0, 1].map(|k| compared["runs"][k]["parameters"]["gamma"].clone());
    assert!(gammas[0].is_f64() && gammas[0] == gammas[1], "{compared}");
    let solved =
        room.json("solve data.svm --loss hinge --lambda 0.01 --kernel rbf:gamma=auto -o m -q");
    assert_eq!(solved["parameters"]["gamma"], gammas[0], "{solved}");
    assert_eq!(room.json("inspect m")["parameters"]["gamma"], gammas[0]);
    let certified = room.json("certify data.svm -a second-order:a=auto --certify quick -q");
    assert_eq!(certified["certificate"]["holds"], true);
    let tuned =
        room.json("tune data.svm -a second-order:a=auto|1 --kernel linear|gaussian:gamma=auto -q");
    assert_eq!(tuned["runs"].as_array().map(Vec::len), Some(4), "{tuned}");
    let tuned = room.json(
        "tune data.svm --loss hinge --lambda 0.1 --kernel gaussian:gamma=auto|1 --folds 2 -q",
    );
    assert_eq!(tuned["runs"].as_array().map(Vec::len), Some(2), "{tuned}");
}

/// Digits as they are, 0, 3 and 8 against the rest: with a=1 the second-order perceptron loses to the perceptron.
#[test]
fn second_order_auto_does_not_lose_on_raw_digits() {
    let room = Room::new();
    for (digit, want) in [(0, 23), (3, 45), (8, 97)] {
        let words = format!("--positive {digit} -q");
        let auto = room
            .counts(&format!("train digits -a second-order:a=auto {words}"))
            .0;
        let perceptron = room
            .counts(&format!("train digits -a perceptron {words}"))
            .0;
        assert!(auto < perceptron, "{digit}: {auto} {perceptron}");
        assert_eq!(auto, want, "{digit}");
    }
}

#[test]
fn kernels_that_tell_no_rows_apart_are_remarked_on() {
    let kinds = |json: &Value| -> Vec<String> {
        let list = json["remarks"].as_array().expect("remarks");
        list.iter()
            .map(|r| r["kind"].as_str().expect("a kind").to_owned())
            .collect()
    };
    let mut random = SplitMix64(8);
    let mut text = String::new();
    for row in 0..60 {
        let _ = write!(text, "{}", ["-1", "+1"][row % 2]);
        for j in 1..20 {
            let _ = write!(text, " {j}:{:.3}", 5.0 * random.uniform());
        }
        text.push('\n');
    }
    let room = Room::with(&text);
    for (kernel, value) in [("rbf", "nearly 0"), ("gaussian:gamma=1e-9", "nearly 1")] {
        for job in [
            "train data.svm -a perceptron",
            "train - -a perceptron",
            "train data.svm -a perceptron --permutations 2",
            "solve data.svm --lambda 0.1",
        ] {
            let done = room
                .pipe(&format!("{job} --kernel {kernel} -q --json"), &text)
                .good();
            assert!(
                kinds(&done.json()).contains(&"kernel-values".to_owned()),
                "{job}"
            );
            let said =
                done.stderr.contains(value) && done.stderr.contains("--kernel gaussian:gamma=auto");
            assert!(said, "{job}: {}", done.stderr);
        }
        let compared = room.json(&format!(
            "compare data.svm perceptron romma --kernel {kernel} -q"
        ));
        assert!(kinds(&compared["runs"][1]).contains(&"kernel-values".to_owned()));
    }
    for kernel in ["rbf:gamma=auto", "linear", "poly"] {
        let json = room.json(&format!(
            "train data.svm -a perceptron --kernel {kernel} -q"
        ));
        assert!(
            !kinds(&json).contains(&"kernel-values".to_owned()),
            "{kernel}"
        );
    }
}
