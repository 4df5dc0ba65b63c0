//! `--report` and `--plots`: what is written is what the run did. How it looks is tested in `tests/browser`.

use crate::common;

use common::Room;
use serde_json::Value;

/// The data for the script of a page.
fn data(page: &str) -> Value {
    let data = page.split("id=\"data\">").nth(1).expect("data");
    let data = data.split("</script>").next().expect("an end");
    serde_json::from_str(data).expect("JSON")
}

/// The values of the first chart of a name.
fn series(data: &Value, name: &str) -> Value {
    let charts = data["charts"].as_object().expect("charts");
    let chart = charts.values().find(|chart| chart["name"] == name);
    let chart = chart.unwrap_or_else(|| panic!("a chart {name}"));
    data["series"][chart["series"].as_u64().expect("a number") as usize].clone()
}

/// The last value of the curve of a name.
fn last(series: &Value, name: &str) -> u64 {
    let list = series.as_array().expect("a list");
    let curve = list.iter().find(|s| s["name"] == name);
    let y = curve.unwrap_or_else(|| panic!("a curve {name}"))["y"]
        .as_array()
        .expect("values")
        .clone();
    y.last().and_then(Value::as_f64).expect("a value") as u64
}

#[test]
fn curves_end_where_the_run_does() {
    let room = Room::new();
    for words in [
        "train digits -a perceptron --positive 0",
        "train digits -a second-order --epochs 3 --shuffle 4 --positive 3",
        "train digits -a averaged",
        "train digits -a perceptron --kernel poly:degree=2 --positive 8",
        "train digits -a perceptron --permutations 2 --positive 8",
    ] {
        let json = room.json(&format!("{words} --report page.html"));
        let data = data(&room.text("page.html"));
        let mistakes = series(&data, "mistakes");
        assert_eq!(
            Some(last(&mistakes, "mistakes")),
            json["mistakes"].as_u64(),
            "{words}"
        );
        let trials = mistakes[0]["x"].as_array().expect("trials").clone();
        let made = 1797 * json["epochs"].as_array().expect("epochs").len() as u64;
        assert_eq!(
            trials.last().and_then(Value::as_f64),
            Some(made as f64),
            "{words}"
        );
        assert!(
            trials.len() > 250 && trials.len() <= 601,
            "{words}: {}",
            trials.len()
        );
        let support = series(&data, "support");
        if words.contains("kernel") {
            let stored = last(&support, "stored rows");
            assert!(
                stored > 0 && stored <= json["updates"].as_u64().expect("updates"),
                "{words}"
            );
        } else {
            assert_eq!(
                Some(last(&support, "updates so far")),
                json["updates"].as_u64(),
                "{words}"
            );
        }
    }
}

#[test]
fn the_confusion_matrix_counts_the_mistakes() {
    let room = Room::new();
    for words in [
        "train digits -a perceptron --positive 0",
        "train digits -a romma",
    ] {
        let json = room.json(&format!("{words} --report page.html"));
        let cells = series(&data(&room.text("page.html")), "confusion");
        let count = |cell: &Value| -> u64 {
            let label = cell[4].as_str().expect("a label");
            let number = label.split(' ').next().expect("a number").replace(',', "");
            number.parse().expect("a number")
        };
        let sum = |layer: &Value| {
            layer["boxes"]
                .as_array()
                .expect("boxes")
                .iter()
                .map(count)
                .sum::<u64>()
        };
        let (wrong, right) = (sum(&cells[0]), sum(&cells[1]));
        assert_eq!(wrong + right, 1797, "{words}");
        // trials that a later class made wrong are right in the matrix
        assert!(
            wrong <= json["mistakes"].as_u64().expect("mistakes"),
            "{words}"
        );
        if words.contains("positive") {
            assert_eq!(Some(wrong), json["mistakes"].as_u64());
        }
    }
}

#[test]
fn names_from_data_stay_text() {
    let room = Room::new();
    let rows =
        "name</script><script>alert(1)</script>,b,label\n1,2,<b>x</b>\n2,-1,y\n-1,3,<b>x</b>\n";
    room.write("data.csv", rows);
    room.run("train data.csv --label label -a perceptron --report page.html --plots plots")
        .good();
    let page = room.text("page.html");
    assert_eq!(page.matches("<script").count(), 2);
    assert!(!page.contains("<b>x"));
    let drawn = room.text("plots/features.svg");
    assert!(drawn.contains("name&lt;/script&gt;"), "{drawn}");
}

#[test]
fn a_comparison_has_a_section_and_plots_for_each() {
    let room = Room::new();
    let words =
        "compare digits --positive 0 perceptron romma --report page.html --plots plots --threads";
    let done = room.run(&format!("{words} 2")).good();
    assert!(
        done.stderr.contains("report written to page.html"),
        "{}",
        done.stderr
    );
    let page = room.text("page.html");
    assert_eq!(page.matches("<details class=\"run\"").count(), 2);
    let drawn = room.bytes("plots/overview.png");
    for name in [
        "overview-log.svg",
        "01-perceptron-ranking.svg",
        "02-romma-features.png",
    ] {
        assert!(!room.bytes(&format!("plots/{name}")).is_empty(), "{name}");
    }
    room.run(&format!("{words} 1")).good();
    assert_eq!(drawn, room.bytes("plots/overview.png"));
    let values = |page: &str| data(page).to_string();
    assert_eq!(values(&page), values(&room.text("page.html")));
}

/// Bounds of every kind on one page: of an expectation, vacuous, none, and one that holds.
#[test]
fn a_page_says_what_a_bound_is() {
    let room = Room::with("+1 1:1\n-1 1:1\n-1 1:1\n+1 1:1\n");
    let words = "compare data.svm selective perceptron random-budget --certify --report page.html";
    let done = room.run(words).good();
    let page = room.text("page.html");
    assert!(page.contains("<aside class=\"certificate expected vacuous\">"));
    assert!(page.contains("in expectation over the learner's coins at most"));
    assert!(page.contains("<aside class=\"certificate holds vacuous\">"));
    assert!(page.contains("<aside class=\"certificate none\">"));
    assert!(!page.contains("error in the program") && !page.contains("proved"));
    // mistakes set the axis of the chart, not bounds that say nothing
    let data = data(&page);
    let charts = data["charts"].as_object().expect("charts");
    let overview = charts.values().find(|chart| chart["name"] == "overview");
    let high = overview.expect("an overview")["y"]["high"].as_f64();
    assert!(high < Some(4.0), "{high:?}");
    // the table of the command says the same
    for cell in [
        "in expectation (vacuous) |",
        " 4.0 (vacuous) |",
        "no bound for random-budget",
    ] {
        assert!(done.stdout.contains(cell), "{cell}: {}", done.stdout);
    }
    let words = "train digits -a perceptron --positive 0 --certify --report page.html";
    let run = room.json(words);
    assert_eq!(run["certificate"]["verdict"], "holds");
    let page = room.text("page.html");
    assert!(page.contains("<aside class=\"certificate holds\">") && !page.contains("vacuous:"));
}

#[test]
fn a_run_that_goes_on_is_drawn_from_where_it_stood() {
    let room = Room::new();
    let whole = room
        .run("train digits -a perceptron --positive 0 --epochs 2 --report whole.html")
        .good();
    assert!(whole.stderr.contains("whole.html"));
    let curve = series(&data(&room.text("whole.html")), "mistakes");
    assert_eq!(curve[0]["x"][0], 0.0);
    // a finished model that learns more begins its own run
    room.run("train digits -a perceptron --positive 0 -o model")
        .good();
    let json = room.json("train digits --resume model --report more.html");
    let curve = series(&data(&room.text("more.html")), "mistakes");
    assert_eq!(curve[0]["x"][0], 0.0);
    assert_eq!(Some(last(&curve, "mistakes")), json["mistakes"].as_u64());
}

#[test]
fn a_run_that_was_cut_short_is_drawn_as_if_it_had_not_been() {
    let room = Room::new();
    let row = |i: u32| {
        format!(
            "{} {}:1 {}:0.5\n",
            if i * i % 7 < 3 { "+1" } else { "-1" },
            1 + i % 5,
            7 + i % 3
        )
    };
    let good: String = (0..1000).map(row).collect();
    let bad = format!(
        "{}+1 1:x 7:0.5\n{}",
        (0..700).map(row).collect::<String>(),
        (701..1000).map(row).collect::<String>()
    );
    room.write("data.svm", bad);
    let words = "train data.svm -a perceptron --labels -1,+1 --checkpoint 100 -o model";
    assert_eq!(room.run(words).code, Some(2));
    room.write("data.svm", &good);
    let done = room
        .run(&format!("{words} --resume model --report page.html --json"))
        .good();
    let curve = series(&data(&room.text("page.html")), "mistakes");
    assert_eq!(
        Some(last(&curve, "mistakes")),
        done.json()["mistakes"].as_u64()
    );
    room.run("train data.svm -a perceptron --labels -1,+1 --report whole.html")
        .good();
    let whole = series(&data(&room.text("whole.html")), "mistakes");
    assert_eq!(curve, whole);
    assert_eq!(curve[0]["x"][0], 0.0);
}

#[test]
fn what_cannot_be_written_is_said_before_the_run() {
    let room = Room::with("+1 1:1\n-1 2:1\n");
    for (words, said) in [
        (
            "train data.svm -a perceptron --report data.svm",
            "is read as data",
        ),
        (
            "compare data.svm perceptron --report data.svm",
            "is read as data",
        ),
        (
            "train data.svm -a perceptron --report none/page.html",
            "directory",
        ),
        ("train data.svm -a perceptron --report -", "give it a name"),
        (
            "train data.svm -a perceptron --plots data.svm",
            "cannot be a directory",
        ),
        (
            "train data.svm -a perceptron -o m --report m",
            "give two names",
        ),
    ] {
        let done = room.run(words);
        assert_eq!(done.code, Some(2), "{words}");
        assert!(done.stderr.contains(said), "{words}: {}", done.stderr);
    }
    assert_eq!(room.files(), ["data.svm"]);
    // one trial is enough for a page
    room.write("one.svm", "+1 1:1\n");
    room.run("train one.svm -a perceptron --report page.html --plots plots")
        .good();
}
