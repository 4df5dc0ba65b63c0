//! The page as text; `tests/browser` looks at it in a browser.

use super::*;
use novikoff::certify::NoCertificate;

use crate::certificate::{CertificateReport, Certified, ComparatorReport, NotCertified};
use crate::plot::tests::run;
use crate::report::ErrorCount;
use crate::text::comparison_columns;

mod hostile;

fn page(runs: &[RunReport]) -> String {
    page_of("data", runs)
}

/// A page of data, a command and a setting with a text.
fn page_of(text: &str, runs: &[RunReport]) -> String {
    html(&HtmlPage {
        data: text,
        command: text,
        version: "0.0.0",
        settings: &[(text.to_owned(), text.to_owned())],
        runs,
        remarks: &[],
        sweep: &[],
    })
    .expect("a page")
}

/// A certificate of a run of 1,000 trials.
pub(crate) fn of(counted: u64, bound: f64, expected: bool) -> CertificateReport {
    CertificateReport {
        theorem: if expected { "9.1" } else { "T8" }.to_owned(),
        name: "second-order, fixed a".to_owned(),
        scope: "all trials".to_owned(),
        counts_updates: false,
        trials: 1000,
        mistakes: counted,
        counted,
        bound,
        of_classes: Vec::new(),
        terms: vec![
            ("hinge".to_owned(), 402.1),
            ("spectral".to_owned(), bound - 402.1),
        ],
        ingredients: vec![("quadratic".to_owned(), 55.5)],
        comparator: Some(ComparatorReport {
            norm: 12.4,
            hinge: Some(402.1),
            class: Some("+1".to_owned()),
            file: None,
            origin: "solved".to_owned(),
            gap: Some(0.004),
            solves: 3,
        }),
        composed: None,
        curve: (0..=50)
            .map(|t| (10 * t, bound * t as f64 / 50.0))
            .collect(),
        expected,
        separable: None,
        formula: None,
    }
}

/// A run with such a certificate.
pub(crate) fn judged(counted: u64, bound: f64, expected: bool) -> RunReport {
    let mut run = run(move |t| counted * t / 50);
    run.epochs = vec![novikoff::classes::Counts {
        mistakes: counted,
        updates: counted,
    }];
    run.certificate = Some(Certified::Bound(Box::new(of(counted, bound, expected))));
    run
}

fn certified() -> RunReport {
    judged(309, 871.2, false)
}

/// The largest value of the first chart of mistakes.
fn top(page: &str) -> f64 {
    top_of(page, "mistakes")
}

/// The largest value of the first chart of a name.
fn top_of(page: &str, name: &str) -> f64 {
    let data = page.split("id=\"data\">").nth(1).expect("data");
    let data = data.split("</script>").next().expect("an end");
    let value: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let charts = value["charts"].as_object().expect("charts");
    let chart = charts.values().find(|chart| chart["name"] == name);
    chart.expect("a chart")["y"]["high"]
        .as_f64()
        .expect("a number")
}

#[test]
fn the_sum_is_written_out_and_the_headline_says_it() {
    let page = page(&[certified()]);
    assert!(page.contains("<b>309</b> mistakes"));
    assert!(page.contains("402.1 <i>hinge</i> <span class=\"op\">+</span> 469.1 <i>spectral</i> <span class=\"op\">=</span> <b>871.2</b>"));
    assert!(page.contains(
        "<h1>perceptron made 309 mistakes on 500 trials; its theorem allows at most 871</h1>"
    ));
    assert!(page.contains("bound of theorem T8"));
    assert!(
        page.contains("|U| = 12.400, found in 3 solves; the least bound is at most 0.4% lower")
    );
    assert!(page.contains("<aside class=\"certificate holds\">"));
    assert!(top(&page) >= 871.2, "the bound is in the chart");
}

/// Within or beyond, a bound of the expectation is neither a proof about the run nor an error.
#[test]
fn what_is_expected_is_called_so() {
    for (counted, relation) in [(309, "within"), (900, "beyond")] {
        let run = judged(counted, 871.2, true);
        for runs in [vec![run.clone()], vec![run.clone(), run]] {
            let page = page(&runs);
            assert!(
                page.contains("<aside class=\"certificate expected\">"),
                "{relation}"
            );
            assert!(
                page.contains(
                    "mistakes in this run; in expectation over the learner's coins at most"
                )
            );
            assert!(page.contains("its theorem allows at most 871 in expectation"));
            assert!(page.contains("bound in expectation of theorem 9.1"));
            for wrong in [
                "error in the program",
                "does not hold",
                "≤</span>",
                "mistakes ≤",
                "proved",
            ] {
                assert!(!page.contains(wrong), "{relation}: {wrong}");
            }
            if runs.len() > 1 {
                assert!(page.contains("<td>871.2 in expectation</td>"));
                assert!(page.contains("mistakes; in expectation ≤ 871.200</span>"));
                assert!(page.contains("for learners that toss coins, in expectation."));
            }
        }
    }
}

#[test]
fn a_bound_that_does_not_hold_is_an_error() {
    let page = page(&[judged(900, 871.2, false)]);
    assert!(page.contains("<aside class=\"certificate broken\">"));
    assert!(page.contains("The bound does not hold: this is an error in the program"));
    assert!(page.contains("more than the 871 of its theorem: an error in the program"));
}

/// A bound of at least the number of trials says nothing, and does not set the axis.
#[test]
fn a_vacuous_bound_is_called_so() {
    let vacuous = judged(309, 54_321.04, false);
    let one = page(std::slice::from_ref(&vacuous));
    assert!(one.contains("<aside class=\"certificate holds vacuous\">"));
    assert!(one.contains("The bound is vacuous: it is at least the number of trials (1,000)"));
    assert!(one.contains("on 500 trials; the bound of its theorem is vacuous</h1>"));
    assert!(one.contains("bound (vacuous) of theorem T8"));
    assert!(one.contains("<b>54,321.1</b>"), "rounded up");
    assert!(top(&one) < 1000.0, "{}", top(&one));
    let two = page(&[vacuous, run(|t| 7 * t)]);
    assert!(two.contains("<td>54,321.1 (vacuous)</td>"));
    assert!(two.contains("309 mistakes ≤ 54,321.040 (vacuous)</span>"));
    assert!(two.contains("Vacuous bounds leave the chart."));
    // a run without a certificate does not borrow a bound that says nothing
    assert!(!page(&[judged(400, 54_321.04, false), run(|t| t)]).contains("proved"));
}

/// One large bound does not press the lines of all learners to the ground.
#[test]
fn a_tall_bound_leaves_the_linear_chart() {
    let runs = |bound| [judged(20, bound, false), run(|t| t / 2)];
    let tall = page(&runs(900.0));
    assert!(top_of(&tall, "overview") <= 100.0);
    assert!(tall.contains("A bound far above the mistakes leaves the linear chart"));
    let low = page(&runs(79.0));
    assert!((79.0..=100.0).contains(&top_of(&low, "overview")));
    assert!(!low.contains("leaves the linear chart"));
    // a run alone has its bound in the chart
    assert!(top(&page(&[judged(20, 900.0, false)])) >= 900.0);
}

/// What stands beside the formula is what the formula gives, and what the headline says.
#[test]
fn the_bound_beside_its_formula_has_all_digits() {
    let mut run = judged(1, 6.946_6, false);
    let Some(Certified::Bound(c)) = &mut run.certificate else {
        panic!("it has one")
    };
    c.formula = Some(crate::html::formula::tests::of(1.0, 6.946_6));
    let page = page(&[run]);
    assert!(
        page.contains(
            "<b>1</b> mistake <span class=\"op\">≤</span> <b>6.947</b>, so at most 6</p>"
        ),
        "the sum"
    );
    assert!(page.contains("its theorem allows at most 6</h1>"));
    assert!(page.contains("<mn class=\"result\">6.947</mn>"));
}

/// The bound for the trials so far can be smaller than that for fewer trials.
#[test]
fn a_falling_bound_is_explained() {
    let mut run = certified();
    let Some(Certified::Bound(c)) = &mut run.certificate else {
        panic!("it has one")
    };
    c.theorem = "T14".to_owned();
    let rising = page(std::slice::from_ref(&run));
    assert!(!rising.contains("falls in places"));
    let Some(Certified::Bound(c)) = &mut run.certificate else {
        panic!("it has one")
    };
    c.curve[20].1 = c.curve[19].1 / 2.0;
    let falling = page(std::slice::from_ref(&run));
    assert!(falling.contains("falls in places"));
    assert!(falling.contains("harmonic mean of the squared lengths"));
    let two = page(&[run, certified()]);
    assert!(two.contains("The section of a learner says why its bound can fall."));
}

/// Values under the pointer are rounded up too.
#[test]
fn bounds_of_curves_are_rounded_up() {
    let page = page(&[judged(309, 871.234_01, false)]);
    assert!(page.contains("871.24]"), "five digits, up");
    assert!(page.contains("<b>871.3</b>"));
}

/// A column that the text has and the page forgot would be missed by nobody. The course is drawn, and the theorem stands with its certificate.
#[test]
fn the_ranking_has_the_columns_of_the_table() {
    let mut run = certified();
    run.test = Some(ErrorCount {
        rows: 10,
        errors: 1,
    });
    let page = page(&[run.clone(), run.clone()]);
    let (_, ranking) = page.split_once("class=\"ranking\"").expect("a ranking");
    let (head, _) = ranking.split_once("</thead>").expect("headings");
    for column in comparison_columns(&[run]) {
        let title = column.title();
        let is_elsewhere = ["course", "theorem"].contains(&title);
        assert!(
            is_elsewhere || head.contains(&format!(">{title}</th>")),
            "{title}"
        );
    }
}

#[test]
fn nothing_is_fetched() {
    let page = page(&[certified(), run(|t| 2 * t)]);
    let without = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http:", "https:", "url(", "@import", "src="] {
        assert!(!without.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn no_certificate_says_why() {
    let mut run = run(|t| t);
    run.certificate = Some(Certified::Not(NotCertified {
        why: NoCertificate::Infinite,
        said: "the theorem needs <b> finite".to_owned(),
    }));
    let page = page(&[run]);
    assert!(page.contains("the theorem needs &lt;b&gt; finite"));
    assert!(page.contains("<aside class=\"certificate none\"><h3>No certificate</h3>"));
    assert!(!page.contains("bound of"));
}
