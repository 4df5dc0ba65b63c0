//! A text from a file stays in its place: the elements of a page do not depend on it, and every place shows it as it is.

use novikoff::parameter::{Parameter, Parameters};
use serde_json::Value;

use super::*;
use crate::plane::{PlaneLine, PlanePicture, PlanePoint, PlaneStep};
use crate::plot::tests::run;
use crate::report::{ClassReport, Comparison};
use crate::sweep::Separation;

/// None is longer than the shortest label of a chart.
const HOSTILE: [&str; 10] = [
    "<script>",
    "</script><b>",
    "<!--<script>",
    "--><b>",
    "]]></svg><b>",
    "\"><img src=x>",
    "\" onload=\"x",
    "' onload='x",
    "&lt;&amp;&#60;",
    "\u{2028}\u{2029}\u{0}\n",
];

/// A run with a text in every place that files or options can fill.
fn filled(text: &str, bound: Certified, mut run: RunReport) -> RunReport {
    let owned = || text.to_owned();
    run.spec = owned();
    run.kernel = owned();
    run.parameters = Parameters::from_list(vec![(owned(), Parameter::Word(owned()))]);
    run.classes = Some(vec![ClassReport {
        class: owned(),
        epochs: Vec::new(),
        certificate: Some(bound.clone()),
    }]);
    run.certificate = Some(bound);
    let picture = run.picture.as_mut().expect("a picture");
    picture.confusion.as_mut().expect("a matrix").labels[0] = owned();
    picture.features[0].class = owned();
    picture.features[0].weights[0].0 = owned();
    picture.plane = Some(plane(text));
    run
}

/// Two points and two lines, with a text for every name.
fn plane(text: &str) -> PlanePicture {
    let point = |x: f64, positive: bool| PlanePoint {
        at: (x, -x),
        positive: Some(positive),
    };
    let step = |row: Option<usize>| PlaneStep {
        trials: 2,
        mistakes: 1,
        updates: 1,
        row,
        line: PlaneLine {
            x: 1.0,
            y: -1.0,
            constant: 0.25,
        },
    };
    PlanePicture {
        features: [text, text].map(str::to_owned),
        labels: [text, text].map(str::to_owned),
        points: vec![point(1.0, true), point(-2.0, false)],
        others: 3,
        steps: vec![step(Some(1)), step(None)],
        changes: 5,
    }
}

/// A page about two data sets.
fn sweep_page(text: &str, run: &RunReport) -> String {
    let point = |novikoff: f64| SweepPoint {
        data: text.to_owned(),
        separation: Some(Separation {
            margin: 0.1,
            novikoff,
        }),
        comparison: Comparison {
            data: run.data,
            runs: vec![run.clone()],
            remarks: Vec::new(),
            left_out: Vec::new(),
        },
    };
    html(&HtmlPage {
        data: text,
        command: text,
        version: "0.0.0",
        settings: &[],
        runs: &[],
        remarks: &[],
        sweep: &[point(100.0), point(1000.0)],
    })
    .expect("a page")
}

/// One run, several runs and several classes, and several data sets.
fn pages(text: &str) -> Vec<String> {
    let mut c = of(309, 871.2, false);
    for place in [&mut c.name, &mut c.scope, &mut c.terms[0].0] {
        text.clone_into(place);
    }
    text.clone_into(&mut c.ingredients[0].0);
    if let Some(comparator) = &mut c.comparator {
        text.clone_into(&mut comparator.origin);
        comparator.solves = 0;
    }
    let one = filled(text, Certified::Bound(Box::new(c)), run(|t| t));
    let not = Certified::Not(NotCertified {
        why: NoCertificate::Infinite,
        said: text.to_owned(),
    });
    let mut many = filled(text, not, run(|t| 2 * t));
    let features = &mut many.picture.as_mut().expect("a picture").features;
    features.push(features[0].clone());
    let sweep = sweep_page(text, &many);
    let runs = [vec![one.clone()], vec![one, many]];
    let pages = runs.iter().map(|runs| page_of(text, runs));
    pages.chain([sweep]).collect()
}

/// What a page consists of.
#[derive(Default)]
struct Places {
    /// Tags with the names of their attributes.
    tags: Vec<String>,
    attributes: Vec<String>,
    texts: Vec<String>,
    /// Texts of drawings.
    drawn: Vec<String>,
    /// Strings in the data of the script.
    strings: Vec<String>,
}

/// Reads a page as a browser does, as far as pages of ours need it: attributes have double quotes, and no comment is there.
fn places(page: &str) -> Places {
    let mut found = Places::default();
    let mut rest = page;
    while let Some((text, from_tag)) = rest.split_once('<') {
        let drawn = found
            .tags
            .last()
            .is_some_and(|tag| tag.starts_with("text "));
        let list = if drawn {
            &mut found.drawn
        } else {
            &mut found.texts
        };
        list.push(decoded(text));
        let mut quoted = false;
        let end = from_tag.find(|c| {
            quoted ^= c == '"';
            c == '>' && !quoted
        });
        let (tag, after) = from_tag.split_at(end.expect("the end of a tag"));
        let parts = || tag.split('"');
        found.tags.push(parts().step_by(2).collect());
        found
            .attributes
            .extend(parts().skip(1).step_by(2).map(decoded));
        rest = &after[1..];
        for element in ["style", "script"] {
            if tag.split(' ').next() == Some(element) {
                let end = rest.find(&format!("</{element}")).expect("an end");
                if tag.contains("json") {
                    assert!(!rest[..end].contains('<'), "no tag begins in the data");
                    let data = serde_json::from_str(&rest[..end]).expect("JSON");
                    strings(&data, &mut found.strings);
                }
                rest = &rest[end..];
            }
        }
    }
    found
}

fn decoded(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    let text = text.replace("&quot;", "\"").replace("&apos;", "'");
    text.replace("&amp;", "&")
}

fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| strings(value, found)),
        Value::Object(map) => map.values().for_each(|value| strings(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn hostile_texts_stay_in_their_places() {
    for hostile in HOSTILE {
        let plain = "x".repeat(hostile.chars().count());
        // control characters are not shown
        let expected = hostile.replace(['\u{0}', '\n'], "\u{fffd}");
        for (n, (page, tame)) in pages(hostile).iter().zip(pages(&plain)).enumerate() {
            // the page about data sets has nothing from files in attributes
            let is_sweep = n == 2;
            let (found, tame) = (places(page), places(&tame));
            assert_eq!(found.tags, tame.tags, "{hostile:?}");
            for (place, found, tame) in [
                ("attributes", found.attributes, tame.attributes),
                ("texts", found.texts, tame.texts),
                ("drawings", found.drawn, tame.drawn),
                ("the data of the script", found.strings, tame.strings),
            ] {
                let count = |list: Vec<String>, text: &str| {
                    list.iter().filter(|found| found.contains(text)).count()
                };
                let wanted = count(tame, &plain);
                assert!(wanted > 0 || is_sweep, "{place}");
                assert_eq!(count(found, &expected), wanted, "{hostile:?} in {place}");
            }
        }
    }
}

#[test]
fn long_texts_are_cut() {
    let page = page_of(&"long ".repeat(1000), &[run(|t| t)]);
    assert!(page.contains("long… · novikoff</title>"));
    assert!(!page.contains(&"long ".repeat(400)));
}
