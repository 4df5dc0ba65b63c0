//! Maps make features of rows in front of learners without a kernel.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;

/// Rows of two features; a circle tells the labels apart.
fn circle(count: usize, seed: u64) -> String {
    let mut random = SplitMix64(seed);
    let mut text = String::new();
    for _ in 0..count {
        let (x, z) = (random.uniform() * 2.0 - 1.0, random.uniform() * 2.0 - 1.0);
        let label = if x * x + z * z > 0.6 { "+1" } else { "-1" };
        // writing to a String cannot fail
        let _ = writeln!(text, "{label} 1:{x:.3} 2:{z:.3}");
    }
    text
}

const MAPS: [&str; 2] = ["rff:dim=64,gamma=2,seed=3", "nystroem:dim=30"];

#[test]
fn a_circle_is_learned_without_a_kernel() {
    let text = circle(1200, 1);
    let room = Room::with(&text);
    room.write("test.svm", circle(500, 2));
    let plain = room.json("train data.svm -a passive-aggressive --bias 1 --test test.svm -q");
    for map in MAPS {
        let words = format!("data.svm -a passive-aggressive --map {map} --test test.svm -o m -q");
        let run = room.json(&format!("train {words}"));
        let (errors, before) = (&run["test"]["errors"], &plain["test"]["errors"]);
        assert!(
            5 * errors.as_u64().expect("a count") < before.as_u64().expect("a count"),
            "{map}: {run}"
        );
        assert_eq!(run["data"]["features"], 2);
        let stored = room.json("inspect m");
        assert_eq!(run["map"], stored["map"], "{map}");
        assert!(stored["map"].as_str().expect("a map").contains("gamma="));
        let evaluated = room.json("evaluate m test.svm -q");
        assert_eq!(evaluated["errors"], *errors);
        let weights = room.run("inspect m --weights").good().stdout;
        assert!(weights.starts_with(&map[..3]), "{weights}");
        // a pipe is the file
        let piped = format!("train - -a passive-aggressive --map {map} --labels -1,+1 -o piped -q");
        room.pipe(&piped, &text).good();
        let [a, b] = ["m", "piped"].map(|model| {
            room.run(&format!("predict {model} test.svm --margins"))
                .good()
                .stdout
        });
        assert_eq!(a, b, "{map}");
    }
}

#[test]
fn half_of_a_stream_saved_and_resumed_is_the_whole() {
    let text = circle(2300, 4);
    let room = Room::with(&text);
    let at = text.match_indices('\n').nth(2099).expect("a line").0 + 1;
    room.write("a.svm", &text[..at]);
    room.write("b.svm", &text[at..]);
    for map in ["rff:dim=20", "nystroem:dim=15,seed=2", "rff:dim=6,gamma=1"] {
        for more in ["", " --bias 1 --normalize 2"] {
            let words = format!("-a averaged --map {map}{more} -q");
            room.run(&format!("train data.svm {words} -o whole")).good();
            room.run(&format!("train a.svm {words} -o half")).good();
            room.run(&format!("train b.svm {words} --resume half -o both"))
                .good();
            assert_eq!(room.bytes("whole"), room.bytes("both"), "{words}");
            // the model knows its map
            room.run("train b.svm --resume half -o both -q").good();
            assert_eq!(room.bytes("whole"), room.bytes("both"), "{words}");
        }
    }
}

#[test]
fn checkpoints_keep_the_map() {
    let text = circle(2600, 5);
    let room = Room::with(&text);
    for map in MAPS {
        let words = format!("train data.svm -a perceptron --map {map} -o m -q");
        room.run(&words).good();
        let whole = room.bytes("m");
        room.run(&format!("{words} --checkpoint 700")).good();
        assert_eq!(whole, room.bytes("m"), "{map}");
        room.run(&format!("{words} --epochs 2 --shuffle 1 --threads 2"))
            .good();
    }
}

/// Rows are normalised, then mapped; the constant feature comes behind the map.
#[test]
fn the_constant_feature_is_behind_the_map() {
    let room = Room::with("-1 1:3 2:4\n+1 1:-3 2:4\n-1 1:30 2:40\n");
    let words = "train data.svm -a perceptron --map rff:dim=4,gamma=1 --labels -1,+1 -q";
    room.run(&format!("{words} --bias 5 --normalize 2 -o m"))
        .good();
    let weights = room.run("inspect m --weights").good().stdout;
    // one mistake, on the first row, whose constant feature is 5 whatever the norm of the row is
    assert!(weights.starts_with("bias\t-5\n"), "{weights}");
    // rows of the same direction are the same
    let margins = room.run("predict m data.svm --margins").good().stdout;
    let margins: Vec<&str> = margins.lines().collect();
    assert_eq!(margins[0], margins[2]);
}

#[test]
fn solved_models_and_comparisons_have_maps() {
    let room = Room::with(&circle(400, 6));
    room.write("test.svm", circle(300, 7));
    for map in MAPS {
        let solve = format!(
            "solve data.svm --loss hinge --lambda 0.001 --map {map} --test test.svm -o m -q"
        );
        let solved = room.json(&solve);
        let errors = &solved["test"]["errors"];
        assert!(errors.as_u64().expect("a count") < 30, "{solved}");
        assert_eq!(room.json("evaluate m test.svm -q")["errors"], *errors);
        let compared = room.json(&format!(
            "compare data.svm perceptron second-order:a=auto p-norm:p=auto --map {map} -q"
        ));
        assert_eq!(compared["runs"].as_array().map(Vec::len), Some(3));
        let tuned = room.json(&format!(
            "tune data.svm -a perceptron:margin=0|0.1 --map {map} -q"
        ));
        let command = tuned["command"].as_str().expect("a command");
        assert!(command.contains("--map"), "{command}");
        let tuned = room.json(&format!(
            "tune data.svm --lambda 0.1,0.01 --map {map} --folds 2 -q"
        ));
        assert_eq!(tuned["runs"].as_array().map(Vec::len), Some(2), "{tuned}");
    }
}

/// The certificate is about the mapped rows.
#[test]
fn certificates_are_about_mapped_rows() {
    let room = Room::with(&circle(300, 8));
    for map in MAPS {
        for learner in ["perceptron", "second-order", "passive-aggressive"] {
            let words = format!("certify data.svm -a {learner} --map {map} -q");
            let run = room.json(&words);
            assert_eq!(run["certificate"]["holds"], true, "{words}: {run}");
            room.write("cert.json", run.to_string());
            let refused = room.run("certify --check cert.json data.svm");
            refused.refused(&["mapped by", "without a map"]);
        }
        let refused = room.run(&format!(
            "certify data.svm -a perceptron --map {map} --save-comparator u"
        ));
        refused.refused(&["--map", "leave out"]);
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let room = Room::with(&circle(100, 9));
    let train = |words: &str| room.run(&format!("train data.svm -a perceptron -q {words}"));
    train("--map rff --kernel rbf").refused(&["rff:dim=512", "gaussian:gamma=1", "--kernel"]);
    train("--map rfff").refused(&["--map", "did you mean `rff`", "rff, nystroem"]);
    train("--map rff:dim=3").refused(&["dim = 3", "an even number"]);
    train("--map nystroem:dim=5000").refused(&["dim = 5000", "from 1 to 2000"]);
    train("--map rff:dim=8 -o m").good();
    train("--map rff:dim=10 --resume m -o m").refused(&["--map", "rff:dim=8", "rff:dim=10"]);
    train("-o plain").good();
    train("--map rff --resume plain -o plain").refused(&["--map", "off"]);
    room.run("solve data.svm --lambda 1 --map rff --kernel rbf -q")
        .refused(&["--kernel"]);
    let refused = room.run("train data.svm -a winnow --map rff -q");
    refused.refused(&["winnow takes no negative values"]);
}

/// A damaged map is an error and no panic.
#[test]
fn damaged_maps_are_refused() {
    let room = Room::with(&circle(100, 10));
    room.run("train data.svm -a perceptron --map nystroem:dim=5 -o m -q")
        .good();
    let whole = room.bytes("m");
    for at in (0..whole.len()).step_by(37) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        room.write("bad", &bytes);
        let done = room.run("predict bad data.svm");
        assert!(!done.stderr.contains("panicked"), "{at}: {}", done.stderr);
    }
}
