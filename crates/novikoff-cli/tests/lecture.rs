//! The commands of `docs/lecture.md`: all of them run, and the learner that is said to win does.

use crate::common;

use common::Room;
use serde_json::Value;

const PAGE: &str = include_str!("../../../docs/lecture.md");

/// The commands of the page, without `novikoff` and without quotes.
fn commands() -> Vec<String> {
    let lines = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("novikoff "));
    lines.map(|line| line.replace('\'', "")).collect()
}

/// The only command of the page with all these parts.
fn command(parts: &[&str]) -> String {
    let all = commands();
    let mut found = all
        .iter()
        .filter(|c| parts.iter().all(|part| c.contains(part)));
    let command = found
        .next()
        .unwrap_or_else(|| panic!("no command with {parts:?}"));
    assert!(found.next().is_none(), "several with {parts:?}");
    command.clone()
}

fn mistakes(json: &Value, spec: &str) -> u64 {
    let runs = json["runs"].as_array().expect("runs");
    let run = runs.iter().find(|run| run["spec"] == spec);
    let run = run.unwrap_or_else(|| panic!("a run of {spec}"));
    run["mistakes"].as_u64().expect("a number")
}

/// A number that the page states.
#[track_caller]
fn stated(number: u64, around: &str) {
    let text = PAGE.replace('\n', " ");
    let said = around.replace('#', &number.to_string());
    assert!(text.contains(&said), "the page does not say `{said}`");
}

#[test]
fn p_norm_wins_where_few_features_matter() {
    let room = Room::new();
    let few = room.json(&command(&["compare sparse-target", "relevant=5"]));
    let (p_norm, plain) = (
        mistakes(&few, "p-norm:p=auto"),
        mistakes(&few, "perceptron"),
    );
    assert!(4 * p_norm < plain, "{p_norm}, {plain}");
    stated(p_norm, ": # mistakes against 355");
    let all = room.json(&command(&["compare sparse-target", "relevant=1000"]));
    let (p_norm, plain) = (
        mistakes(&all, "p-norm:p=auto"),
        mistakes(&all, "perceptron"),
    );
    assert!(plain < p_norm, "{p_norm}, {plain}");
    stated(plain, "784 against #:");
}

#[test]
fn rows_of_another_seed_share_the_target() {
    let room = Room::new();
    let words = command(&["train sparse-target"]);
    let shared = room.json(&words)["test"]["errors"]
        .as_u64()
        .expect("errors");
    let own = room.json(&words.replace(",target=1", ""))["test"]["errors"].as_u64();
    assert!(10 * shared < own.expect("errors"), "{shared}, {own:?}");
}

#[test]
fn second_order_wins_on_the_rotated_ellipse() {
    let room = Room::new();
    let words = command(&["direction=2"]);
    let turned = room.json(&words);
    let [second, plain, diagonal] =
        ["second-order", "perceptron", "arow"].map(|spec| mistakes(&turned, spec));
    assert!(3 * second < plain && 3 * second < diagonal);
    stated(plain, "disturbs it: # mistakes");
    stated(second, "out: # mistakes");
    stated(diagonal, "and # here");
    let straight = room.json(&words.replace(",angle=30", ""));
    assert!(mistakes(&straight, "arow") < mistakes(&straight, "second-order"));
    stated(mistakes(&straight, "arow"), "It makes # mistakes");
    let long = room.json(&command(&["direction=1"]));
    let (second, plain) = (
        mistakes(&long, "second-order"),
        mistakes(&long, "perceptron"),
    );
    assert!(plain < second);
    stated(plain, "with # mistakes against 82");
    stated(second, "18 mistakes against #:");
}

#[test]
fn a_sweep_stays_below_novikoffs_line() {
    let room = Room::new();
    let words = command(&["margin=0.3|0.1"]);
    let done = room.run(&format!("{words} --json")).good();
    let json: Value = serde_json::from_str(&done.stdout).expect("JSON");
    let points = json["sweep"].as_array().expect("data sets").clone();
    assert_eq!(points.len(), 4);
    let mut before = 0.0;
    for (point, least) in points.iter().zip([0.3, 0.1, 0.03, 0.01]) {
        let (margin, novikoff) = (&point["margin"], &point["novikoff"]);
        let (margin, novikoff) = (margin.as_f64().expect("a margin"), novikoff.as_f64());
        let novikoff = novikoff.expect("a bound");
        assert!(margin >= least && margin < 1.5 * least, "{margin}, {least}");
        assert!(novikoff > before && novikoff <= 1.0 / (least * least));
        before = novikoff;
        let comparison = &point["comparison"];
        assert!(mistakes(comparison, "perceptron") as f64 <= novikoff);
        for run in comparison["runs"].as_array().expect("runs") {
            assert_eq!(run["separated"], true);
            assert_eq!(run["certificate"]["holds"], true);
        }
    }
    let page = room.text("margins.html");
    assert!(page.contains("Mistakes on 4 data sets"));
    assert!(page.contains("\"name\":\"sweep\""));
    assert!(page.contains("<th scope=\"row\">separable:margin=0.03,rows=2000</th>"));
    // as text
    let text = room.run(&words).good().stdout;
    assert!(
        text.contains("(R/margin)^2") && text.contains("separable:margin=0.01,rows=2000"),
        "{text}"
    );
    let (few, plots) = (
        "compare separable:margin=0.3|0.1 perceptron",
        "--plots plots -q",
    );
    room.run(&format!("{few} {plots}")).good();
    assert!(room.bytes("plots/sweep.png").starts_with(b"\x89PNG"));
    room.run("compare separable:seed=0..1000+900 perceptron")
        .refused(&["900 data sets", "the most is 100"]);
    room.run("compare separable:margin=0.3|2 perceptron")
        .refused(&["margin = 2"]);
}

#[test]
fn the_page_of_two_features_has_every_mistake() {
    let room = Room::new();
    let words = command(&["train separable"]);
    let json = room.json(&words);
    assert_eq!(json["separated"], true);
    let made = json["mistakes"].as_u64().expect("a number");
    let epochs = json["epochs"].as_array().expect("epochs").clone();
    assert_eq!(epochs.last().expect("an epoch")["mistakes"], 0);
    stated(made, "makes # mistakes in");
    stated(epochs.len() as u64, "mistakes in # passes");
    // the certificate can be repeated: it names the passes that were made
    assert_eq!(
        json["options"]["epochs"].as_u64(),
        Some(epochs.len() as u64)
    );
    let page = room.text("perceptron.html");
    let data = page.split("id=\"data\">").nth(1).expect("data");
    let data = data.split("</script>").next().expect("an end");
    let data: Value = serde_json::from_str(data).expect("JSON");
    let planes = data["planes"].as_object().expect("planes");
    assert_eq!(planes.len(), 1);
    let steps = planes.values().next().expect("one")["steps"]
        .as_array()
        .expect("steps");
    assert_eq!(steps.len() as u64, made + 1, "each mistake, and the end");
    assert!(page.contains("the line separates the rows; its margin"));
    // the line, and two at the distance of the margin
    assert_eq!(
        steps.last().expect("one")["lines"].as_array().map(Vec::len),
        Some(3)
    );
    assert!(page.contains("<math display=\"block\">"));
    // other rows have no such picture
    for other in [
        "train separable:d=3 -a perceptron",
        "train separable -a perceptron --kernel gaussian",
        "train separable -a voted --use voted",
    ] {
        room.run(&format!("{other} -q --report other.html")).good();
        let there = room.text("other.html").contains("class=\"plane\"");
        assert_eq!(there, other.contains("voted"), "{other}");
    }
}

#[test]
fn all_other_commands_run() {
    let room = Room::new();
    let words = command(&["compare digits --positive"]);
    room.run(&format!("{words} -q")).good();
    let page = room.text("learners.html");
    for said in [
        "1 max-margin",
        "falls in places",
        "harmonic mean",
        "(vacuous)",
    ] {
        assert!(page.contains(said), "{said}");
    }
    let few = command(&["three.html"]);
    room.run(&format!("{few} -q")).good();
    assert!(room.text("three.html").contains("passive-aggressive"));
    let sweep = room.run(&command(&["reproduce block-novikoff"])).good();
    assert!(sweep.stdout.contains("holds"), "{}", sweep.stdout);
    assert_eq!(commands().len(), 10, "each is in one of these tests");
}
