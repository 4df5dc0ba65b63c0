//! `certify` and `--certify`: what is printed, what is required, and where there is nothing to certify.

use crate::common;

use std::fmt::Write as _;

use common::remarks::kinds;
use common::{Room, keys};
use serde_json::Value;

const ROWS: &str = "\
+1 1:2 2:0.5\n-1 1:-1 2:1\n+1 1:1.5 2:-1\n-1 1:-2 2:-0.5\n+1 1:0.3 2:2\n-1 1:-0.2 2:-2\n+1 1:1 2:1\n-1 1:-1.5\n";

/// Three labels; one appears late.
const LATE: &str = "\
10 1:1\n20 2:1\n10 1:2 2:0.1\n20 1:0.2 2:1\n30 3:1\n10 1:1 3:0.1\n30 2:0.3 3:2\n20 2:2\n";

fn number(json: &Value, key: &str) -> f64 {
    json[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no {key} in {json}"))
}

#[test]
fn the_object_of_the_contract() {
    let room = Room::with(ROWS);
    let run = room.json("certify data.svm -a second-order:a=1");
    let c = &run["certificate"];
    for key in [
        "theorem",
        "name",
        "scope",
        "mistakes",
        "bound",
        "holds",
        "terms",
        "comparator",
    ] {
        assert!(keys(c).contains(&key), "{key} in {c}");
    }
    assert_eq!(
        (&c["theorem"], &c["scope"]),
        (&"T8".into(), &"all trials".into())
    );
    assert_eq!(c["mistakes"], run["mistakes"]);
    assert_eq!(c["holds"], true);
    let terms = c["terms"].as_object().expect("terms");
    let sum: f64 = terms.values().filter_map(Value::as_f64).sum();
    assert!((sum - number(c, "bound")).abs() < 1e-9, "{c}");
    assert!(number(&c["comparator"], "norm") > 0.0);
    assert!(keys(c).iter().all(|key| *key != "counts"));
    // the same from train and compare
    assert_eq!(
        room.json("train data.svm -a second-order:a=1 --certify")["certificate"],
        *c
    );
    let compared = room.json("compare data.svm second-order:a=1 perceptron --certify");
    assert_eq!(compared["runs"][0]["certificate"], *c);
    assert_eq!(compared["runs"][1]["certificate"]["holds"], true);
    // only where it was asked for
    let plain = room.json("train data.svm -a second-order:a=1");
    assert!(!keys(&plain).contains(&"certificate"));
}

#[test]
fn updates_where_the_theorem_counts_those() {
    let room = Room::with(ROWS);
    let run = room.json("certify data.svm -a perceptron:margin=1");
    let c = &run["certificate"];
    assert_eq!(
        (&c["theorem"], &c["counts"]),
        (&"T3".into(), &"updates".into())
    );
    assert_eq!(c["updates"], run["updates"]);
    assert_eq!(c["mistakes"], run["mistakes"]);
}

#[test]
fn a_part_that_is_taken_off() {
    let room = Room::with(ROWS);
    let run = room.json("certify data.svm -a arow:form=full --epochs 2");
    let (c, terms) = (&run["certificate"], &run["certificate"]["terms"]);
    let right = number(&run, "updates") - number(&run, "mistakes");
    assert!(
        right > 0.0 && number(terms, "right_answers") == -right,
        "{run}"
    );
    let sum = number(terms, "hinge") + number(terms, "spectral") - right;
    assert!((sum - number(c, "bound")).abs() < 1e-9, "{run}");
    let text = room.run("certify data.svm -a arow:form=full --epochs 2");
    let text = text.good().stdout;
    assert!(
        text.contains(&format!(" - {right:.1} (right answers)")),
        "{text}"
    );
}

#[test]
fn null_with_a_reason() {
    let room = Room::with(ROWS);
    let run = room.json("certify data.svm -a random-budget");
    assert_eq!(run["certificate"], Value::Null);
    assert!(
        run["reason"]
            .as_str()
            .is_some_and(|why| why.contains("no theorem")),
        "{run}"
    );
    assert_eq!(run["verdict"], "none");
    let text = room.run("certify data.svm -a random-budget").good().stdout;
    assert!(
        text.contains("bound      none: random-budget has no theorem"),
        "{text}"
    );
}

#[test]
fn required() {
    let room = Room::with(ROWS);
    room.run("train data.svm -a perceptron --require-certificate")
        .good();
    let done = room.run("train data.svm -a random-budget --require-certificate --json");
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    // the result is there all the same
    assert_eq!(done.json()["certificate"], Value::Null);
    assert!(
        done.stderr.contains("random-budget: no certificate: "),
        "{}",
        done.stderr
    );
    let done = room.run("compare data.svm perceptron random-budget --require-certificate");
    assert_eq!(done.code, Some(1), "{}", done.stderr);
}

#[test]
fn several_classes() {
    let room = Room::with(LATE);
    for data in ["data.svm", "-"] {
        let words = format!("certify {data} -a perceptron --epochs 2");
        let run = room.json_piped(&words, LATE);
        let classes = run["classes"].as_array().expect("classes");
        assert_eq!(classes.len(), 3, "{run}");
        let bounds: f64 = classes
            .iter()
            .map(|c| number(&c["certificate"], "bound"))
            .sum();
        let c = &run["certificate"];
        assert!((bounds - number(c, "bound")).abs() < 1e-9, "{run}");
        assert_eq!(c["mistakes"], run["mistakes"]);
        assert_eq!(c["holds"], true);
        for class in classes {
            // the class that appeared late counts from the beginning
            assert_eq!(class["certificate"]["mistakes"], class["mistakes"], "{run}");
            assert_eq!(class["certificate"]["holds"], true);
        }
    }
}

#[test]
fn a_vector_from_elsewhere() {
    let room = Room::with(ROWS);
    room.run("solve data.svm --loss hinge --reg l2 --lambda 0.05 -o u.model")
        .good();
    let run = room.json("train data.svm -a perceptron --comparator u.model");
    let c = &run["certificate"];
    assert_eq!(c["comparator"]["origin"], "given, at its best scale");
    assert!(!keys(&c["comparator"]).contains(&"solves"), "{c}");
    let text = room.run("train data.svm -a perceptron --comparator u.model");
    let text = text.good().stdout;
    let said = "given, at its best scale; the distance to the least bound is not known";
    assert!(text.contains(said), "{text}");
    let best = room.json("train data.svm -a perceptron --certify");
    let (given, best) = (number(c, "bound"), number(&best["certificate"], "bound"));
    assert!(given >= best * 0.99 && c["holds"] == true, "{given} {best}");
    room.run("solve data.svm --loss hinge --reg l2 --lambda 0.05 --kernel poly -o k.model")
        .good();
    room.run("train data.svm -a perceptron --comparator k.model")
        .refused(&["--comparator k.model", "the kernel poly"]);
    room.run("train data.svm -a perceptron --kernel poly --comparator u.model")
        .refused(&["--comparator u.model", "the kernel linear"]);
}

#[test]
fn features_by_name() {
    let room = Room::new();
    room.write(
        "one.vw",
        "1 | height:2 width:0.5\n-1 | width:1 height:-1\n1 | height:1\n-1 | height:-2\n",
    );
    room.write(
        "two.vw",
        "1 | width:0.5 height:2\n-1 | width:1 height:-1\n1 | height:1\n-1 | height:-2\n",
    );
    room.run("solve one.vw --loss hinge --reg l2 --lambda 0.1 -o u.model")
        .good();
    let bound = |file: &str| {
        let run = room.json(&format!("train {file} -a perceptron --comparator u.model"));
        number(&run["certificate"], "bound")
    };
    // slots differ, names do not
    assert!((bound("one.vw") - bound("two.vw")).abs() < 1e-9);
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let room = Room::with(LATE);
    let words = |threads: u32| format!("compare data.svm --certify --threads {threads}");
    assert_eq!(room.json(&words(1)), room.json(&words(2)));
}

#[test]
fn what_cannot_be_certified() {
    let room = Room::with(ROWS);
    room.run("train data.svm -a perceptron -o m.model").good();
    room.run("train data.svm --resume m.model --certify")
        .refused(&["--certify", "--resume"]);
    room.run("train data.svm -a perceptron --comparator none.model")
        .refused(&["none.model"]);
    room.write("weights.vw", "1 2.0 | a:1\n-1 | b:1\n");
    let run = room.json("certify weights.vw -a perceptron");
    assert!(
        run["reason"]
            .as_str()
            .is_some_and(|why| why.contains("weights other than 1")),
        "{run}"
    );
}

/// Rows for which the selective perceptron asks for few labels: by its seed a run does better or worse than is expected.
fn coins() -> String {
    let mut rows = String::from("-1 1:1\n");
    for _ in 0..200 {
        rows.push_str("+1 1:0.9 2:0.436\n");
    }
    rows
}

/// One run of a learner that draws coins may do worse than is expected of it: no fault.
#[test]
fn what_is_expected_is_no_promise() {
    let room = Room::with(&coins());
    let mut beyond = 0;
    for seed in 0..SEEDS {
        let words =
            format!("certify data.svm -a selective:b=0.1,seed={seed} --require-certificate");
        let run = room.json(&words);
        let c = &run["certificate"];
        assert_eq!(
            (&c["expected"], &c["verdict"]),
            (&true.into(), &"expected".into())
        );
        let worse = number(c, "mistakes") > number(c, "bound");
        assert_eq!(c["holds"], if worse { Value::Null } else { true.into() });
        let text = room.run(&words).good().stdout;
        assert!(
            text.contains("in expectation over the learner's coins at most"),
            "{text}"
        );
        assert!(!text.contains("<=") && !text.contains("error in"), "{text}");
        beyond += u32::from(worse);
    }
    assert!(
        0 < beyond && beyond < SEEDS,
        "{beyond} of {SEEDS} are beyond"
    );
}

const SEEDS: u32 = 6;

/// A bound of at least the number of trials is said to be so, once on stderr, even where only results are wanted.
#[test]
fn a_vacuous_bound() {
    let room = Room::with("+1 1:1\n-1 1:1\n-1 1:1\n+1 1:1\n");
    let run = room.json("certify data.svm -a perceptron -q");
    let c = &run["certificate"];
    assert_eq!(
        (&c["vacuous"], &c["verdict"]),
        (&true.into(), &"holds".into()),
        "{run}"
    );
    assert_eq!(kinds(&run), ["baseline", "no-constant", "vacuous"]);
    let done = room.run("certify data.svm -a perceptron -q").good();
    let remark = run["remarks"][2]["text"].as_str().expect("a text");
    assert!(
        done.stderr.ends_with(&format!("{remark}\n")),
        "{}",
        done.stderr
    );
    assert_eq!(done.stderr.lines().count(), 3);
    assert!(remark.contains("--normalize 2"), "the remedy: {remark}");
    assert!(
        done.stdout
            .contains("vacuous    the bound is at least the number of trials (4)"),
        "{}",
        done.stdout
    );
    // of several learners one line
    let done = room
        .run("compare data.svm perceptron averaged --certify -q")
        .good();
    let said = format!("perceptron, averaged: {remark}\n");
    assert!(done.stderr.ends_with(&said), "{}", done.stderr);
    assert_eq!(done.stderr.lines().count(), 3, "each remark once");
    assert!(done.stdout.contains("(vacuous)"), "{}", done.stdout);
    // a bound that says something is not
    room.write("good.svm", ROWS);
    let run = room.json("certify good.svm -a perceptron");
    assert!(
        run["certificate"].get("vacuous").is_none() && kinds(&run).is_empty(),
        "{run}"
    );
}

/// AROW with U = 0 says that right answers are no mistakes, which nobody has to prove.
#[test]
fn a_tautology_is_called_vacuous() {
    let room = Room::with(&("+1 1:0.1\n".repeat(10) + "-1 1:0.1\n-1 1:0.1\n"));
    let run = room.json("certify data.svm -a arow:form=full");
    let c = &run["certificate"];
    assert_eq!(c["comparator"]["norm"], 0.0, "{run}");
    assert_eq!(c["terms"]["right_answers"], -10.0, "{run}");
    assert!(number(c, "bound") < 3.0, "far below the 12 trials: {run}");
    assert_eq!(c["vacuous"], true, "{run}");
    assert!(kinds(&run).contains(&"vacuous"), "{run}");
}

/// Where the margin is small or none, a remark names noise control to ROMMA without it.
#[test]
fn noise_control_is_named() {
    let text = |run: &Value| {
        let list = run["remarks"].as_array().cloned().unwrap_or_default();
        let found = list.iter().find(|r| r["kind"] == "noise-control");
        found.map(|r| r["text"].as_str().expect("a text").to_owned())
    };
    let room = Room::with("+1 1:1\n-1 1:1\n+1 1:2\n");
    let run = room.json("certify data.svm -a romma:aggressive");
    assert_eq!(run["certificate"], Value::Null);
    let said = text(&run).expect("a remark");
    assert!(
        said.contains("separates") && said.contains("romma:aggressive,noise=1"),
        "{said}"
    );
    assert!(text(&room.json("certify data.svm -a romma:noise=1")).is_none());
    assert!(text(&room.json("certify data.svm -a perceptron")).is_none());
    // nearly the same rows with different labels
    room.write(
        "near.svm",
        "+1 1:1 2:0.01\n-1 1:1 2:-0.01\n+1 1:1 2:0.01\n-1 1:1 2:-0.01\n",
    );
    for learner in ["romma", "max-margin"] {
        let run = room.json(&format!("certify near.svm -a {learner}"));
        let c = &run["certificate"];
        assert!(number(c, "bound") >= 10.0 * number(c, "mistakes"), "{run}");
        let said = text(&run).expect("a remark");
        assert!(
            said.contains("so small") && said.contains(&format!("{learner}:noise=1")),
            "{said}"
        );
    }
    // a bound far above the mistakes still says something
    let run = room.json("certify separable:margin=0.1,rows=300,seed=2 -a romma");
    let c = &run["certificate"];
    assert!(number(c, "bound") >= 10.0 * number(c, "mistakes"), "{run}");
    assert!(text(&run).is_none(), "{run}");
    // and noise control can make it larger
    let rows = "separable:margin=0.2,rows=300,seed=1";
    let plain = room.json(&format!("certify {rows} -a romma"));
    let noisy = room.json(&format!("certify {rows} -a romma:noise=1 --normalize 2"));
    let bound = |run: &Value| number(&run["certificate"], "bound");
    assert!(bound(&noisy) > bound(&plain), "{noisy}");
    // classes one against the rest; one is not separable
    room.write(
        "three.svm",
        "10 1:1\n20 2:1\n30 3:1\n10 1:1\n20 1:1\n30 3:2\n",
    );
    assert!(text(&room.json("certify three.svm -a romma")).is_some());
    room.write("good.svm", "+1 1:1\n-1 1:-1\n+1 1:2\n");
    assert!(text(&room.json("certify good.svm -a romma")).is_none());
}

#[test]
fn a_gap_that_is_no_number_is_not_reached() {
    let room = Room::with("+1 1:1 2:-0.5\n-1 1:-1 2:0.3\n+1 1:0.2\n-1 2:-1\n");
    let solved = room.json("solve data.svm --loss likelihood --reg elastic --lambda 0.1");
    // P is infinite at weights of the wrong sign
    assert_eq!(
        (&solved["primal"], &solved["gap"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(solved["stop"], "stalled", "{solved}");
}

/// A path begins each problem with the variables of the one before: after as many passes the dual objective is higher.
#[test]
fn paths_of_other_regularisers() {
    let room = Room::with(ROWS);
    for reg in ["elastic", "p-norm:p=1.2", "entropy:signed"] {
        let words = format!("solve data.svm --loss squared --reg {reg} --max-passes 200 --lambda");
        let cold = room.json(&format!("{words} 1e-3"));
        let warm = &room.json(&format!("{words} 0.1,1e-3"))["runs"][1];
        assert_eq!(cold["passes"], warm["passes"], "{reg}: {warm}");
        assert!(
            number(warm, "dual") > number(&cold, "dual"),
            "{reg}: {warm}"
        );
    }
}

/// Rows of more than a megabyte.
fn many_rows() -> String {
    let mut text = String::new();
    let mut seed: u32 = 1;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        i64::from(seed >> 20) - 2048
    };
    for _ in 0..1500 {
        let values: Vec<i64> = (0..100).map(|_| next()).collect();
        let sum: i64 = values.iter().take(50).sum::<i64>() + 3 * next();
        text.push_str(if sum > 0 { "+1" } else { "-1" });
        for (j, value) in values.iter().enumerate() {
            let value = *value as f64 / 1024.0;
            write!(text, " {}:{value}", j + 1).expect("room");
        }
        text.push('\n');
    }
    text
}

/// A stream is certified as a file is: its rows kept in memory, or in a temporary file where they take too much.
#[test]
fn streams() {
    let rows = many_rows();
    let room = Room::with(&rows);
    let of_file = room.json("certify data.svm -a perceptron");
    assert_eq!(of_file["certificate"]["holds"], true);
    for words in [
        "certify - -a perceptron",
        "certify - -a perceptron --max-memory 1",
        "train - -a perceptron --certify --max-memory 1 --spool-mb 2",
        "certify data.svm -a perceptron --max-memory 1",
    ] {
        let run = room.json_piped(words, &rows);
        assert_eq!(run["certificate"], of_file["certificate"], "{words}");
    }
    let run = room.json_piped("certify - -a perceptron --spool-mb 1", &rows);
    assert_eq!(run["certificate"], Value::Null);
    let why = run["reason"].as_str().expect("a reason");
    assert!(
        why.contains("more than 1 MB") && why.contains("--comparator"),
        "{why}"
    );
    assert_eq!(run["mistakes"], of_file["mistakes"]);
    assert_eq!(room.files(), ["data.svm"]);
}

/// A given vector needs no second look: nothing is kept of the stream but what the vector says.
#[test]
fn streams_beside_a_given_vector() {
    let rows = many_rows();
    let room = Room::with(&rows);
    room.run("solve data.svm --loss hinge --reg l2 --lambda 0.01 -o u.model")
        .good();
    for learner in ["perceptron", "averaged", "romma:noise=1 --normalize 2"] {
        let tail = format!("-a {learner} --comparator u.model --spool-mb 0");
        let of_file = room.json(&format!("train data.svm {tail}"));
        let of_stream = room.json_piped(&format!("train - {tail}"), &rows);
        let [file, stream] = [&of_file, &of_stream].map(|run| number(&run["certificate"], "bound"));
        assert!(
            (file - stream).abs() <= 1e-9 * file,
            "{learner}: {file} {stream}"
        );
        assert_eq!(of_stream["certificate"]["holds"], true);
    }
    // where the theorem looks at the rows themselves, they are kept
    let tail = "-a second-order --comparator u.model";
    let of_file = room.json(&format!("train data.svm {tail}"));
    let of_stream = room.json_piped(&format!("train - {tail}"), &rows);
    assert_eq!(of_stream["certificate"], of_file["certificate"]);
    let run = room.json_piped(&format!("train - {tail} --spool-mb 0"), &rows);
    assert!(
        run["reason"]
            .as_str()
            .is_some_and(|why| why.contains("--spool-mb"))
    );
}

/// Classes that appear late, features that have names, and a comparator that knows both.
#[test]
fn named_features_and_late_classes_of_a_stream() {
    let text = "10 | height:2 width:0.5\n20 | width:1 deep:-1\n10 | height:1\n30 | deep:2 tall:1\n20 | width:2\n30 | tall:1\n";
    let room = Room::new();
    room.write("one.vw", text);
    room.run("solve one.vw --loss hinge --reg l2 --lambda 0.1 -o u.model")
        .good();
    let file = room.json("train one.vw -a perceptron --comparator u.model");
    let words = "train - --format vw -a perceptron --comparator u.model";
    let stream = room.json_piped(words, text);
    let bounds = |run: &Value| -> Vec<f64> {
        let classes = run["classes"].as_array().expect("classes").iter();
        classes
            .map(|class| number(&class["certificate"], "bound"))
            .collect()
    };
    assert_eq!((bounds(&file).len(), bounds(&stream).len()), (3, 3));
    for (a, b) in bounds(&file).iter().zip(bounds(&stream)) {
        assert!((a - b).abs() < 1e-9, "{file} {stream}");
    }
    let compared = room.json("compare one.vw perceptron --comparator u.model");
    assert_eq!(compared["runs"][0]["certificate"], file["certificate"]);
    // hashed, names stay what they are while they fit
    let hashed = |data: &str| format!("train {data} --format vw --hash 12 -a perceptron");
    let words = format!("{} --comparator u.model", hashed("-"));
    let by_hash = room.json_piped(&words, text);
    assert_eq!(bounds(&by_hash).len(), 3);
    for (a, b) in bounds(&file).iter().zip(bounds(&by_hash)) {
        assert!((a - b).abs() < 1e-9, "{file} {by_hash}");
    }
    room.run(&format!("{} -o h.model", hashed("one.vw"))).good();
    let words = format!("{} --comparator h.model", hashed("one.vw"));
    assert_eq!(bounds(&room.json(&words)).len(), 3);
    let run = room.json("train one.vw -a perceptron --comparator h.model");
    let why = run["reason"].as_str().expect("a reason");
    assert!(why.contains("--hash 12"), "{why}");
}

/// Where the rows cannot be kept, the run continues, and says so.
#[test]
fn a_stream_that_cannot_be_kept() {
    let room = Room::new();
    let words = "train - -a perceptron --certify --max-memory 1 --json -o m.model";
    let mut command = room.command(words);
    command.env("TMPDIR", room.path("nowhere"));
    let done = Room::pipe_to(command, words, many_rows()).good();
    let run = done.json();
    assert_eq!(run["certificate"], Value::Null);
    let why = run["reason"].as_str().expect("a reason");
    assert!(why.contains("could not be kept"), "{why}");
    assert_eq!(room.files(), ["m.model"]);
}

/// A class that appears when much of the stream is gone: all rows before are not its.
#[test]
fn a_late_class_of_a_long_stream() {
    let mut rows = String::new();
    for i in 0..80_000 {
        let (label, a, b) = if i % 3 == 0 { (10, 1, 2) } else { (20, 2, 1) };
        let (label, late) = if i % 7 == 0 && i > 78_000 {
            (30, 3)
        } else {
            (label, 0)
        };
        writeln!(rows, "{label} 1:{a} 2:{b} 3:{late} 4:{}", i % 11).expect("room");
    }
    let room = Room::with(&rows);
    room.run("solve data.svm --loss hinge --reg l2 --lambda 0.01 --gap 0.1 -o u.model")
        .good();
    let tail = "-a perceptron --comparator u.model";
    let file = room.json(&format!("train data.svm {tail}"));
    let stream = room.json_piped(&format!("train - {tail}"), &rows);
    assert_eq!(file["classes"].as_array().map(Vec::len), Some(3));
    assert_eq!(stream["classes"], file["classes"]);
}

/// Rows so long that the dual form of second-order raises its a: the last feature is the label.
fn long_rows(rows: u32, features: u32) -> String {
    let mut state = 1_u64;
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let mut text = String::new();
    for _ in 0..rows {
        let y = if uniform() < 0.5 { -1 } else { 1 };
        let _ = write!(text, "{y:+}"); // writing to a String cannot fail
        for j in 1..=features {
            let sum: f64 = (0..12).map(|_| uniform()).sum();
            let _ = write!(text, " {j}:{:.0}", (sum - 6.0) * 1e5);
        }
        let _ = writeln!(text, " {}:{y}", features + 1);
    }
    text
}

/// The certificate has the a that the learner really used.
#[test]
fn a_raised_by_the_dual_form() {
    let room = Room::with(&long_rows(1500, 20));
    let selective = "certify data.svm -a selective(second-order:a=1,form=dual):b=1";
    let run = room.json(selective);
    let reason = run["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("the dual form raised its a"), "{run}");
    let run = room.json("certify data.svm -a selective(second-order:a=1,form=primal):b=1");
    assert_eq!(run["certificate"]["verdict"], "expected", "{run}");
    room.run(
        "solve data.svm --loss hinge --lambda 1e-9 --kernel poly:degree=1,coef0=0 -o u.model -q",
    )
    .good();
    for words in [
        "-a second-order:a=1,form=dual",
        "-a second-order:a=1,form=primal",
        "-a second-order:a=1",
        "-a second-order:a=1 --kernel poly:degree=1,coef0=0 --comparator u.model",
    ] {
        let run = room.json(&format!("certify data.svm {words}"));
        let c = &run["certificate"];
        assert_eq!(c["holds"], true, "{words}: {c}");
        if words.contains("--kernel") {
            continue; // what rounding leaves of |U| makes the claim larger than what is recomputed
        }
        room.write("said.json", run.to_string());
        // eigenvalues as small as their rounding may differ; the bound does not
        let checked = room.run("certify data.svm --check said.json").stdout;
        let (_, again) = checked.split_once("recomputed ").expect("a bound");
        let again = again.split([':', ';']).next().expect("a number");
        let again: f64 = again.parse().expect("a number");
        let bound = number(c, "bound");
        assert!((again - bound).abs() <= 1e-6 * bound, "{words}: {checked}");
    }
}

/// Many sparse rows: the search goes along the path of solutions pass by pass.
#[test]
fn sparse_rows_have_the_same_certificate_on_any_threads() {
    let room = Room::new();
    room.run("generate text:rows=3000,seed=5 -o t.svm").good();
    let bound = |depth: &str| {
        let certificate = |threads: u32| {
            let certify = format!("train t.svm -a perceptron {depth} --threads {threads} -q");
            room.json(&certify)["certificate"].clone()
        };
        let one = certificate(1);
        assert_eq!(one, certificate(3), "{depth}");
        assert_eq!(one["holds"], true, "{one}");
        let number = |value: &Value| value.as_f64().expect("a number");
        let (mistakes, bound) = (number(&one["mistakes"]), number(&one["bound"]));
        let terms: f64 = one["terms"]
            .as_object()
            .expect("terms")
            .values()
            .map(number)
            .sum();
        assert!(bound >= mistakes && bound >= terms - 1e-6 * terms, "{one}");
        bound
    };
    let (quick, full) = (bound("--certify quick"), bound("--certify"));
    assert!(
        quick <= 1.1 * full && full <= 1.001 * quick,
        "{quick} {full}"
    );
}
