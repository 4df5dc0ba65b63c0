//! Tests after each epoch, several orders and several divisions of the rows: what they count is what single runs count.

use crate::common;

use common::Room;
use common::data::Shape;
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn room() -> Room {
    let room = Room::new();
    for (name, rows, skip) in [("train.svm", 300, 0), ("test.svm", 100, 300)] {
        let spec =
            format!("sparse-target:n=20,relevant=5,noise=0.1,margin=0.01,rows={rows},skip={skip}");
        room.run(&format!("generate {spec} -o {name}")).good();
    }
    room.write("many.svm", Shape::default().many(4, 3));
    room
}

/// After each of three epochs the test is that of a run that ends there, for streams and files, with and without a kernel.
#[test]
fn tests_after_each_epoch_are_those_of_shorter_runs() {
    let room = room();
    for words in [
        "-a perceptron",
        "-a averaged --shuffle 4",
        "-a voted --kernel poly:degree=2",
        "-a second-order --kernel gaussian:gamma=2",
        "-a passive-aggressive --use averaged",
    ] {
        let run = |epochs: usize, more: &str| {
            room.json(&format!(
                "train train.svm {words} --epochs {epochs} --test test.svm {more}"
            ))
        };
        let whole = run(3, "--test-every-epoch");
        for epochs in 1..=3 {
            let alone = run(epochs, "");
            let after = &whole["epochs"][epochs - 1];
            assert_eq!(after["test"]["errors"], alone["test"]["errors"], "{words}");
            assert_eq!(after["mistakes"], alone["epochs"][epochs - 1]["mistakes"]);
            assert_eq!(after["support"], alone["epochs"][epochs - 1]["support"]);
            assert_eq!(
                after["support"].is_u64(),
                words.contains("--kernel"),
                "{words}"
            );
        }
        assert_eq!(
            whole["test"]["errors"],
            whole["epochs"][2]["test"]["errors"]
        );
        assert!(whole["test"]["baseline"].is_object(), "{words}");
        let text = room.text("train.svm");
        let piped = room.json_piped(
            &format!("train - {words} --epochs 3 --test test.svm --test-every-epoch"),
            &text,
        );
        assert_eq!(piped["epochs"], whole["epochs"], "{words}");
    }
}

/// One run of `voted` is the run of the perceptron too: its final weights are those.
#[test]
fn voted_and_perceptron_are_one_run() {
    let room = room();
    let more = "--kernel poly:degree=2 --epochs 2 --test test.svm --test-every-epoch";
    let [voted, perceptron] =
        ["voted", "perceptron"].map(|spec| room.json(&format!("train train.svm -a {spec} {more}")));
    for epoch in 0..2 {
        let (voted, perceptron) = (&voted["epochs"][epoch], &perceptron["epochs"][epoch]);
        assert_eq!(voted["tests"]["final"], perceptron["test"]);
        assert_eq!(voted["tests"]["voted"], voted["test"]);
        assert_eq!(voted["mistakes"], perceptron["mistakes"]);
        assert!(perceptron["tests"].is_null());
    }
    let text = room
        .run(&format!("train train.svm -a voted {more} -q"))
        .good();
    for heading in [
        "epoch",
        "support",
        "test error",
        "voted",
        "averaged",
        "final",
    ] {
        assert!(text.stdout.contains(heading), "{}", text.stdout);
    }
}

#[test]
fn a_comparison_tests_every_learner_after_each_epoch() {
    let room = room();
    let more = "--epochs 2 --test test.svm --test-every-epoch";
    let compared = room.json(&format!("compare train.svm perceptron averaged {more}"));
    for (k, spec) in ["perceptron", "averaged"].into_iter().enumerate() {
        let alone = room.json(&format!("train train.svm -a {spec} {more}"));
        assert_eq!(compared["runs"][k]["epochs"], alone["epochs"], "{spec}");
    }
    let text = room
        .run(&format!("compare train.svm perceptron averaged {more} -q"))
        .good();
    assert!(text.stdout.contains("| epoch |"), "{}", text.stdout);
}

/// Mistakes of the binary problems are the sum of those of the classes, epoch by epoch.
#[test]
fn binary_mistakes_are_those_of_all_classes() {
    let room = room();
    let run = room.json("train many.svm -a perceptron --epochs 3 --permutations 3 --test many.svm --test-every-epoch");
    let classes = run["classes"].as_array().expect("classes");
    let sum =
        |of: &dyn Fn(&Value) -> &Value| classes.iter().map(|class| number(of(class))).sum::<f64>();
    assert_eq!(
        number(&run["binary_mistakes"]),
        sum(&|class| &class["mistakes"])
    );
    for epoch in 0..3 {
        let all = sum(&|class| &class["epochs"][epoch]["mistakes"]);
        assert_eq!(number(&run["epochs"][epoch]["binary_mistakes"]), all);
    }
    assert!(number(&run["binary_mistakes"]) > number(&run["mistakes"]));
}

/// Every order is kept with its epochs and classes, and the means are those of single runs.
#[test]
fn orders_keep_epochs_and_classes() {
    let room = room();
    let all = room.json("train many.svm -a perceptron --epochs 2 --permutations 3 --shuffle 5 --test many.svm --test-every-epoch");
    let orders = &all["permutations"];
    let mut values = Vec::new();
    for (k, seed) in (5..8).enumerate() {
        let alone = room.json(&format!("train many.svm -a perceptron --epochs 2 --shuffle {seed} --test many.svm --test-every-epoch"));
        let order = &orders["runs"][k];
        assert_eq!(order["shuffle"], seed);
        for key in ["mistakes", "updates", "binary_mistakes", "epochs"] {
            assert_eq!(order[key], alone[key], "{key}");
        }
        assert_eq!(order["test"]["errors"], alone["test"]["errors"]);
        for (of_order, class) in order["classes"]
            .as_array()
            .expect("classes")
            .iter()
            .zip(alone["classes"].as_array().expect("classes"))
        {
            for key in ["class", "mistakes", "updates"] {
                assert_eq!(of_order[key], class[key]);
            }
        }
        let first = number(&alone["epochs"][0]["binary_mistakes"]);
        values.push((
            first,
            first + number(&alone["epochs"][1]["binary_mistakes"]),
        ));
    }
    let spread = |of: &dyn Fn(&(f64, f64)) -> f64, got: &Value| {
        let values: Vec<f64> = values.iter().map(of).collect();
        let mean = values.iter().sum::<f64>() / 3.0;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        for (key, want) in [
            ("mean", mean),
            ("sd", (squares / 2.0).sqrt()),
            ("population_sd", (squares / 3.0).sqrt()),
        ] {
            assert!((number(&got[key]) - want).abs() < 1e-9, "{key}: {got}");
        }
    };
    spread(&|v| v.0, &orders["epochs"][0]["binary_mistakes"]);
    spread(&|v| v.1, &orders["epochs"][1]["so_far"]["binary_mistakes"]);
    spread(&|v| v.1, &orders["binary_mistakes"]);
    assert_eq!(orders["epochs"][1]["orders"], 3);
    assert_eq!(orders["test_error"], orders["epochs"][1]["test_error"]);
    assert_eq!(
        orders["classes"].as_array().map(Vec::len),
        all["classes"].as_array().map(Vec::len)
    );
}

/// The first division by hand: shuffled by SplitMix64, the first part learned from in the order of the next shuffle.
#[test]
fn a_division_is_its_definition() {
    let room = room();
    let text = room.text("train.svm");
    let lines: Vec<&str> = text.lines().collect();
    let mut generator = novikoff::random::SplitMix64::new(9);
    let mut order: Vec<usize> = (0..300).collect();
    generator.shuffle(&mut order);
    let (mut train, mut test) = (order[..100].to_vec(), order[100..].to_vec());
    train.sort_unstable();
    test.sort_unstable();
    let mut visits: Vec<usize> = (0..100).collect();
    generator.shuffle(&mut visits);
    let text_of = |rows: &mut dyn Iterator<Item = usize>| {
        let chosen: Vec<&str> = rows.map(|i| lines[i]).collect();
        chosen.join("\n") + "\n"
    };
    room.write("a.svm", text_of(&mut visits.iter().map(|&i| train[i])));
    room.write("b.svm", text_of(&mut test.iter().copied()));
    let by_hand = room.json("train a.svm -a perceptron --test b.svm");
    let splits = room.json("train train.svm -a perceptron --splits 2 --fraction 1/3 --shuffle 9");
    let first = &splits["splits"]["runs"][0];
    assert_eq!(first["mistakes"], by_hand["mistakes"]);
    assert_eq!(first["test"]["errors"], by_hand["test"]["errors"]);
    assert_eq!(splits["splits"]["train"], 100);
    assert_eq!(splits["splits"]["test"], 200);
    assert_eq!(splits["data"]["rows"], 100);
    assert_eq!(splits["splits"]["count"], 2);
    assert!(splits["permutations"].is_null());
    let same = room.json("train train.svm -a perceptron --splits 2 --fraction 0.3333 --shuffle 9");
    assert_eq!(same["splits"]["runs"], splits["splits"]["runs"]);
    let compared =
        room.json("compare train.svm perceptron averaged --splits 2 --fraction 1/3 --shuffle 9");
    assert_eq!(compared["runs"][0]["splits"], splits["splits"]);
    let text = room
        .run("train train.svm -a perceptron --splits 5 -q")
        .good()
        .stdout;
    assert!(
        text.contains("splits     5, 200 to learn from and 100 rows to test on in each"),
        "{text}"
    );
}

/// The page of a run names what was repeated, and has the tests of all epochs.
#[test]
fn pages_name_divisions_and_tests() {
    let room = room();
    room.run("train train.svm -a perceptron --splits 3 --test-every-epoch --epochs 2 --report page.html -q")
        .good();
    let page = room.text("page.html");
    for part in [
        "3, 200 to learn from and 100 rows to test on in each",
        "the first of 3 divisions",
        "test errors by epoch",
    ] {
        assert!(page.contains(part), "no `{part}`");
    }
}

#[test]
fn labels_can_be_divided_by_themselves() {
    let room = Room::new();
    let line = |i: usize| {
        format!(
            "{} 1:{} 2:1\n",
            if i.is_multiple_of(10) { "+1" } else { "-1" },
            i % 7
        )
    };
    room.write("rare.svm", (0..200).map(line).collect::<String>());
    let run = room.json("train rare.svm -a averaged --splits 4 --stratified --fraction 0.5");
    assert_eq!(
        (&run["splits"]["train"], &run["splits"]["stratified"]),
        (&100.into(), &true.into())
    );
    let run = room
        .json("train rare.svm -a averaged --splits 4 --fraction 0.5 --test-every-epoch --epochs 2");
    assert!(run["splits"]["epochs"][1]["test_error"]["mean"].is_f64());
}

/// A tie is a mistake of the papers, whatever the label.
#[test]
fn another_rule_for_ties() {
    let room = Room::new();
    // w = 0 at first: all three rows are ties for a perceptron that does not move
    room.write("ties.svm", "+1 1:1\n-1 2:1\n+1 3:1\n");
    for (tie, mistakes) in [("positive", 1), ("negative", 2), ("mistake", 3)] {
        for spec in [
            "perceptron",
            "second-order",
            "higher-order",
            "romma",
            "voted",
        ] {
            let run = room.json(&format!("train ties.svm -a {spec} --tie {tie}"));
            assert_eq!(run["mistakes"], mistakes, "{spec}, {tie}");
            assert_eq!(run["updates"], mistakes, "{spec}, {tie}");
        }
    }
    let help = room.run("train --help").good().stdout;
    assert!(!help.contains("--tie"));
}

/// The sparse schedule leaves some updates without a change of the matrix; the harmonic one none.
#[test]
fn updates_of_the_matrix_are_counted() {
    let room = room();
    let mut all = Vec::new();
    for more in ["", "--kernel poly:degree=2", ":p=4", ",form=primal"] {
        let (keys, words) = if more.starts_with('-') {
            ("", more)
        } else {
            (more, "")
        };
        for schedule in ["harmonic", "sparse"] {
            let spec = match keys {
                ":p=4" => format!("higher-order:p=4,schedule={schedule}"),
                keys => format!("higher-order:schedule={schedule}{keys}"),
            };
            let run = room.json(&format!("train train.svm -a {spec} {words} --epochs 2"));
            let (matrix, updates) = (number(&run["matrix_updates"]), number(&run["updates"]));
            let by_epoch = |k: usize| number(&run["epochs"][k]["matrix_updates"]);
            assert_eq!(by_epoch(0) + by_epoch(1), matrix, "{spec}");
            if schedule == "harmonic" {
                assert_eq!(matrix, updates, "{spec}");
            } else {
                assert!(
                    matrix < updates && matrix > 0.0,
                    "{spec}: {matrix} of {updates}"
                );
            }
            all.push(matrix);
        }
    }
    // dual and primal forms count the same
    assert_eq!(all[1], all[7]);
    assert!(room.json("train train.svm -a perceptron")["matrix_updates"].is_null());
    // a class that appears later has the updates of those that have not appeared, in both counts
    let run = room.json("train many.svm -a higher-order --epochs 2");
    assert_eq!(run["matrix_updates"], run["updates"]);
}

/// A file without rows is said to be one, whatever share of them was asked for.
#[test]
fn a_file_without_rows_cannot_be_divided() {
    let room = Room::new();
    room.write("empty.svm", "");
    for words in ["train empty.svm -a perceptron", "compare empty.svm"] {
        let done = room.run(&format!("{words} --splits 2"));
        done.refused(&["no rows"]);
        assert!(!done.stderr.contains("--fraction"), "{}", done.stderr);
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let room = room();
    for (words, said) in [
        (
            "train train.svm -a perceptron --test-every-epoch",
            "--test-every-epoch: there are no rows to test on after each epoch; use --test FILE",
        ),
        (
            "compare train.svm perceptron --test-every-epoch",
            "--test-every-epoch: there are no rows to test on after each epoch",
        ),
        (
            "train train.svm -a perceptron --splits 3 --test test.svm",
            "--splits: each division of the rows has an order and rows to test on of its own, and no certificate; leave --test out",
        ),
        (
            "train train.svm -a perceptron --splits 3 --permutations 2",
            "leave --permutations out",
        ),
        (
            "compare train.svm perceptron --splits 3 --certify",
            "leave --certify out",
        ),
        (
            "train train.svm -a perceptron --splits 3 -o model",
            "--splits: several orders or divisions of the rows repeat a run",
        ),
        (
            "train train.svm -a perceptron --splits 3 --fraction 3/2",
            "must be a number above 0 and below 1, or a fraction, as in 0.7 or 2/3",
        ),
        ("train train.svm -a perceptron --splits 0", "--splits"),
        (
            "train train.svm -a perceptron --splits 3 --fraction 0.001",
            "--fraction: of 300 rows the share 0.001 leaves none to learn from; give another share",
        ),
        ("train train.svm -a perceptron --fraction 0.5", "--splits"),
        ("train train.svm -a perceptron --stratified", "--splits"),
        (
            "train train.svm -a perceptron --tie mistake -o model",
            "--tie: another rule for ties is kept in no model, and no certificate is about it; leave -o out",
        ),
        (
            "compare train.svm perceptron --tie mistake --certify",
            "leave --certify out",
        ),
        (
            "train train.svm -a auto --tie mistake",
            "--tie: the learners of auto decide ties by themselves; leave --tie out",
        ),
        (
            "tune train.svm -a perceptron --tie mistake",
            "leave --tie out",
        ),
        ("train train.svm -a perceptron --tie never", "--tie"),
        (
            "train train.svm -a romma:start=one",
            "start = one: must be zero|phi0; the default is zero",
        ),
    ] {
        room.run(words).refused(&[said]);
    }
    assert!(!room.path("model").exists());
}

/// From phi(0) it is another run with a kernel, saved and resumed as any other, and the reason for no certificate is said.
#[test]
fn romma_from_phi0() {
    let room = room();
    let kernel = "--kernel poly:degree=2";
    for spec in ["romma:noise=1", "max-margin:noise=1"] {
        let [zero, phi0] = ["zero", "phi0"]
            .map(|start| room.json(&format!("train train.svm -a {spec},start={start} {kernel}")));
        assert_ne!(zero["mistakes"], phi0["mistakes"], "{spec}");
        let text = room.text("train.svm");
        let (first, second) =
            text.split_at(text.match_indices('\n').nth(149).expect("lines").0 + 1);
        room.write("1.svm", first);
        room.write("2.svm", second);
        room.run(&format!(
            "train 1.svm -a {spec},start=phi0 {kernel} -o half -q"
        ))
        .good();
        let rest = room.json("train 2.svm --resume half -o whole");
        assert_eq!(rest["total"]["mistakes"], phi0["mistakes"], "{spec}");
        let withheld = room.json(&format!(
            "train train.svm -a {spec},start=phi0 {kernel} --certify"
        ));
        assert!(withheld["certificate"].is_null());
        let reason = withheld["reason"].as_str().expect("a reason");
        assert!(
            reason.contains("U.phi(0) >= K(0, 0)") && reason.contains("use start=zero"),
            "{reason}"
        );
        let linear = room.json(&format!("train train.svm -a {spec},start=phi0 --certify"));
        assert!(
            linear["certificate"].is_object(),
            "{spec}: without a kernel it begins at 0"
        );
    }
}
