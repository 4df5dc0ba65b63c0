//! `auto`: the default learner, its experts, its certificate and what is saved of it.

use crate::common;

use common::Room;
use common::data::Shape;
use serde_json::Value;

fn binary(rows: usize) -> String {
    Shape {
        rows,
        ..Shape::default()
    }
    .binary()
}

#[test]
fn nobody_has_to_choose_a_learner() {
    let room = Room::with(&binary(600));
    let run = room.json("train data.svm -o m");
    assert_eq!(run["spec"], "auto");
    let experts = run["experts"].as_array().expect("experts");
    assert_eq!(experts.len(), 7);
    let least = experts
        .iter()
        .filter_map(|expert| expert["mistakes"].as_u64())
        .min();
    let (least, mistakes) = (
        least.expect("counts") as f64,
        run["mistakes"].as_f64().expect("a count"),
    );
    assert!(
        mistakes <= 1.05 * least + 3.0 * libm::log(7.0) + 1.0,
        "{mistakes} {least}"
    );
    let weights: f64 = experts
        .iter()
        .filter_map(|expert| expert["weight"].as_f64())
        .sum();
    assert!((weights - 1.0).abs() < 1e-9, "{weights}");
    assert!(run["cost"].as_f64().expect("a cost") <= 8.0);
    assert_eq!(run["validation"]["rows"], 600);
    // a model that goes on has its own spec
    let more = room.json("train data.svm --resume m -o m2");
    assert_eq!(more["spec"], "auto");
    let shown = room.run("inspect m").good().stdout;
    assert!(
        shown.contains("| expert") && shown.contains("arow@bias=1"),
        "{shown}"
    );
    let inspected = common::inspected(&room, "m");
    let course = inspected["course"].as_array().expect("moments");
    assert!(
        course.len() > 10
            && course[3]["weights"]
                .as_array()
                .is_some_and(|w| w.len() == 7)
    );
}

/// Each expert makes the mistakes that it makes alone.
#[test]
fn experts_answer_as_alone() {
    let room = Room::with(&binary(500));
    let specs = [
        "perceptron@bias=1",
        "romma:aggressive@normalize=2",
        "averaged",
        "logistic@bias=0.5",
    ];
    let run = room.json(&format!(
        "train data.svm -a auto({}):cost=1000",
        specs.join(";")
    ));
    for (expert, spec) in run["experts"]
        .as_array()
        .expect("experts")
        .iter()
        .zip(specs)
    {
        assert_eq!(expert["spec"], spec);
        let alone = room.json(&format!("train data.svm -a {spec}"));
        assert_eq!(expert["mistakes"], alone["mistakes"], "{spec}");
    }
}

#[test]
fn what_options_say_is_for_experts_that_say_nothing() {
    let room = Room::with(&binary(300));
    let run = room.json(
        "train data.svm -a auto(perceptron;averaged@bias=off,normalize=off) --bias 2 --normalize 1",
    );
    assert_eq!(
        run["parameters"]["experts"],
        "perceptron@normalize=1,bias=2; averaged"
    );
    let alone = room.json("train data.svm -a perceptron --bias 2 --normalize 1");
    assert_eq!(run["experts"][0]["mistakes"], alone["mistakes"]);
    let alone = room.json("train data.svm -a averaged");
    assert_eq!(run["experts"][1]["mistakes"], alone["mistakes"]);
}

#[test]
fn the_best_expert_can_be_saved_alone() {
    let room = Room::with(&binary(400));
    let spec = "auto(perceptron@normalize=2,bias=1;arow@bias=1;second-order:a=auto)";
    let run = room.json(&format!("train data.svm -a {spec} --use best -o best"));
    let experts = run["experts"].as_array().expect("experts");
    let best = experts
        .iter()
        .min_by_key(|expert| expert["mistakes"].as_u64())
        .expect("one");
    let text = best["spec"].as_str().expect("a spec");
    let _ = room.json(&format!("train data.svm -a {text} -o alone"));
    let answers = |model: &str| {
        room.run(&format!("predict {model} data.svm --margins"))
            .good()
            .stdout
    };
    assert_eq!(answers("best"), answers("alone"));
    let inspected = common::inspected(&room, "best");
    assert_eq!(inspected["spec"], *text);
    assert_eq!(inspected["mistakes"], best["mistakes"]);
    // and it goes on as it would alone
    let both =
        ["best", "alone"].map(|m| room.json(&format!("train data.svm --resume {m} -o {m}2")));
    assert_eq!(both[0]["mistakes"], both[1]["mistakes"]);
}

fn checked(room: &Room, options: &str) -> Value {
    let text = room
        .run(&format!("certify data.svm --json {options}"))
        .good()
        .stdout;
    room.write("cert.json", &text);
    let done = room.run("certify --check cert.json data.svm");
    let said = format!("{}{}", done.stdout, done.stderr);
    assert_eq!(done.code, Some(0), "{options}: {said}");
    assert!(said.contains("agrees"), "{options}: {said}");
    let run: Value = serde_json::from_str(&text).expect("JSON");
    let certificate = run["certificate"].clone();
    let terms = &certificate["terms"];
    let sum =
        terms["expert"].as_f64().expect("a term") + terms["experts"].as_f64().expect("a term");
    let bound = certificate["bound"].as_f64().expect("a bound");
    assert!((sum - bound).abs() <= 1e-9 * bound, "{sum} {bound}");
    assert!(run["mistakes"].as_f64().expect("a count") <= bound);
    assert_eq!(certificate["holds"], true);
    // another bound, or another number of mistakes, is found out
    let is_found_out = |forged: &Value, what: &str| {
        room.write("cert.json", forged.to_string());
        let refused = room.run("certify --check cert.json data.svm");
        assert_eq!(
            refused.code,
            Some(1),
            "{options} {what}: {}",
            refused.stdout
        );
    };
    for key in ["bound", "mistakes"] {
        let mut forged = run.clone();
        forged["certificate"][key] =
            (1 + certificate[key].as_f64().expect("a number") as u64).into();
        is_found_out(&forged, key);
    }
    if let Some(composed) = certificate["composed"].as_f64() {
        let mut forged = run.clone();
        forged["certificate"]["composed"] = (0.9 * composed).into();
        is_found_out(&forged, "composed");
        // the bound of the expert is recomputed too, and not only what follows from it
        let factor = terms["expert"].as_f64().expect("a term")
            / certificate["ingredients"]["mistakes"]
                .as_f64()
                .expect("a count");
        let own = certificate["expert"]["bound"].as_f64().expect("a bound");
        forged["certificate"]["expert"]["bound"] = (0.9 * own).into();
        forged["certificate"]["composed"] = (composed - 0.1 * own * factor).into();
        is_found_out(&forged, "the bound of the expert");
        // and only an expert that ran to the end will do
        let mut forged = run.clone();
        forged["certificate"]["expert"]["spec"] = "perceptron:margin=7".into();
        is_found_out(&forged, "another expert");
    }
    certificate
}

/// The default set of experts, whatever the threads.
#[test]
fn threads_change_nothing() {
    let many = Shape {
        rows: 700,
        ..Shape::default()
    };
    for (text, options) in [
        (many.binary(), ""),
        (many.many(5, 30), ""),
        (many.multi(4, 30), ""),
        (many.binary(), "--kernel gaussian:gamma=0.1"),
    ] {
        let room = Room::with(&text);
        let run = room.json(&format!("train data.svm {options} --threads 1 -o one"));
        let other = room.json(&format!("train data.svm {options} --threads 3 -o three"));
        assert_eq!(run, other, "{options}");
        assert!(room.bytes("one") == room.bytes("three"), "{options}");
        let answers = |model: &str, threads: u32| {
            room.run(&format!(
                "predict {model} data.svm --margins --threads {threads}"
            ))
            .good()
            .stdout
        };
        assert_eq!(answers("one", 1), answers("three", 3), "{options}");
    }
}

/// Every expert of the default set makes the mistakes that it makes alone, with two labels and with several.
#[test]
fn the_experts_of_the_default_set_answer_as_alone() {
    let shape = Shape {
        rows: 300,
        ..Shape::default()
    };
    // of several classes, a learner alone may find out later that a class which had not appeared would have been its answer
    for (text, more) in [(shape.binary(), 0), (shape.many(4, 1), 3)] {
        let room = Room::with(&text);
        let run = room.json("train data.svm -a auto:cost=1000");
        let experts = run["experts"].as_array().expect("experts");
        for expert in experts {
            let spec = expert["spec"].as_str().expect("a spec");
            let alone = room.json(&format!("train data.svm -a {spec}"));
            let [here, there] =
                [expert, &alone].map(|run| run["mistakes"].as_u64().expect("a count"));
            assert!(here.abs_diff(there) <= more, "{spec}: {here} {there}");
            assert_eq!(expert["retired"], Value::Null, "{spec}");
        }
    }
}

/// In a comparison of all learners it is what it is alone: its experts have their constant feature.
#[test]
fn it_is_the_same_in_a_comparison() {
    let room = Room::with(&binary(300));
    let alone = room.json("train data.svm");
    for words in ["compare data.svm", "compare data.svm auto perceptron"] {
        let compared = room.json(words);
        let mut runs = compared["runs"].as_array().expect("runs").iter();
        let same = runs.find(|run| run["spec"] == "auto").expect("auto");
        for key in ["mistakes", "updates", "experts", "cost"] {
            assert_eq!(same[key], alone[key], "{words}: {key}");
        }
    }
}

/// One or two columns: a vote costs more than a row, and the experts stay.
#[test]
fn narrow_tables_keep_their_experts() {
    for columns in [1, 2, 4] {
        let shape = Shape {
            rows: 300,
            ..Shape::default()
        };
        let rows = shape.binary();
        let rows = rows.lines().enumerate().map(|(t, line)| {
            let label = line.split(' ').next().unwrap_or_default();
            let values = (1..=columns).map(|j| format!(" {j}:{}", (t * (7 + j)) % 11));
            format!("{label}{}", values.collect::<String>())
        });
        let room = Room::with(&common::lines(rows));
        let run = room.json("train data.svm");
        let experts = run["experts"].as_array().expect("experts");
        let early = |expert: &&Value| expert["retired"].as_u64().is_some_and(|row| row < 20);
        let early = experts.iter().filter(early).count();
        assert!(
            early <= 1,
            "{columns}: {early} were retired at once: {experts:?}"
        );
        assert!(
            run["cost"].as_f64().is_some_and(|cost| cost <= 8.0),
            "{}",
            run["cost"]
        );
    }
}

#[test]
fn certificates_are_recomputed() {
    let room = Room::with(&binary(300));
    let certificate = checked(&room, "");
    assert_eq!(certificate["theorem"], "WM");
    let composed = certificate["composed"].as_f64().expect("a bound");
    let expert = &certificate["expert"];
    assert!(composed >= expert["bound"].as_f64().expect("a bound"));
    assert!(expert["spec"].as_str().is_some() && expert["theorem"] != "WM");
    checked(
        &room,
        "--epochs 2 --shuffle 3 -a auto(perceptron;averaged@bias=1;passive-aggressive):beta=0.7",
    );
    checked(
        &room,
        "-a auto(perceptron;shifting;passive-aggressive@bias=1):beta=0.5,share=0.02,cost=3",
    );
    checked(&room, "-a auto(perceptron;logistic@bias=1):cost=2");
    let many = Shape {
        rows: 200,
        ..Shape::default()
    };
    let room = Room::with(&many.many(5, 30));
    let certificate = checked(
        &room,
        "-a auto(perceptron;averaged@normalize=2;passive-aggressive)",
    );
    assert!(certificate["composed"].as_f64().is_some());
    let room = Room::with(&many.multi(4, 30));
    checked(
        &room,
        "-a auto(perceptron;arow@normalize=2,bias=1;passive-aggressive)",
    );
}

#[test]
fn a_page_shows_weights_over_time() {
    let room = Room::with(&binary(200));
    room.run("train data.svm --certify --report page.html")
        .good();
    let page = room.text("page.html");
    assert!(
        page.contains("Weights of the experts")
            && page.contains("Experts, whose weighted majority answers")
    );
    assert!(page.contains("WM"));
}

#[test]
fn tune_tries_the_experts() {
    let room = Room::with(&binary(200));
    let tuned = room.json("tune data.svm");
    let tried = tuned["runs"].as_array().map_or(0, Vec::len);
    assert!(tried > 10, "{tuned}");
}

#[test]
fn what_does_not_go_together() {
    let room = Room::with(&binary(60));
    for (words, said) in [
        (
            "train data.svm -a auto(perceptron;auto)",
            "no experts of their own",
        ),
        (
            "train data.svm -a auto:share=0.1",
            "share goes with a fixed beta only",
        ),
        (
            "train data.svm -a auto(perceptron;arow) --kernel gaussian",
            "one of its experts has no form with a kernel",
        ),
        ("train data.svm -a auto --use averaged", "averaged"),
        ("train data.svm -a perceptron --use best", "best"),
        (
            "certify data.svm --save-comparator u",
            "is compared with its experts",
        ),
    ] {
        let done = room.run(words);
        assert_eq!(done.code, Some(2), "{words}: {}", done.stdout);
        assert!(done.stderr.contains(said), "{words}: {}", done.stderr);
    }
    // the default set has experts with a kernel
    let run = room.json("train data.svm --kernel gaussian:gamma=0.1 -o k");
    assert_eq!(run["experts"].as_array().map(Vec::len), Some(3));
    let again = room.json("train data.svm --resume k -o k2");
    assert_eq!(again["experts"].as_array().map(Vec::len), Some(3));
}
