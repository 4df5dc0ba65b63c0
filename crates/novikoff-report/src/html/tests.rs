//! The page as text; `tests/browser` looks at it in a browser.

use super::*;
use crate::certificate::{CertificateReport, Certified, ComparatorReport};
use crate::plot::tests::run;

const NASTY: &str =
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\u{2028}\u{0}";

fn page(runs: &[RunReport]) -> String {
    html(&Page {
        data: NASTY,
        command: NASTY,
        version: "0.0.0",
        settings: &[(NASTY.to_owned(), NASTY.to_owned())],
        runs,
    })
    .expect("a page")
}

fn certified(mut run: RunReport) -> RunReport {
    run.epochs = vec![novikoff::classes::Counts {
        mistakes: 309,
        updates: 309,
    }];
    run.certificate = Some(Certified::Bound(Box::new(CertificateReport {
        theorem: "T8".to_owned(),
        name: "second-order, fixed a".to_owned(),
        scope: "all trials".to_owned(),
        counts_updates: false,
        mistakes: 309,
        counted: 309,
        bound: 871.2,
        terms: vec![("hinge".to_owned(), 402.1), ("spectral".to_owned(), 469.1)],
        ingredients: vec![("quadratic".to_owned(), 55.5)],
        comparator: ComparatorReport {
            norm: 12.4,
            hinge: Some(402.1),
            class: Some("+1".to_owned()),
            file: None,
            origin: "solved".to_owned(),
            gap: Some(1e-4),
            solves: 9,
        },
        curve: (0..=50).map(|t| (10 * t, 17.4 * t as f64)).collect(),
        expected: false,
        separable: None,
    })));
    run
}

#[test]
fn what_files_contain_stays_text() {
    let mut nasty = run(|t| t);
    nasty.spec = NASTY.to_owned();
    if let Some(picture) = &mut nasty.picture {
        picture.features[0].weights[0].0 = NASTY.to_owned();
        picture.features[0].class = NASTY.to_owned();
        if let Some(confusion) = &mut picture.confusion {
            confusion.labels[0] = NASTY.to_owned();
        }
    }
    for runs in [vec![nasty.clone()], vec![nasty.clone(), nasty]] {
        let page = page(&runs);
        assert_eq!(page.matches("<script").count(), 2, "ours only");
        assert_eq!(page.matches("</script").count(), 2, "ours only");
        assert!(!page.contains("<img"));
        assert!(
            !page.contains('\u{0}') && !page.contains('\u{2028}'.to_string().repeat(2).as_str())
        );
        let data = page.split("id=\"data\">").nth(1).expect("data");
        let data = data.split("</script>").next().expect("an end");
        let value: serde_json::Value = serde_json::from_str(data).expect("JSON");
        assert!(
            value["charts"]
                .as_object()
                .is_some_and(|charts| charts.len() > 5)
        );
    }
}

#[test]
fn the_sum_is_written_out_and_the_headline_says_it() {
    let page = page(&[certified(run(|t| 6 * t))]);
    assert!(page.contains("<b>309</b> mistakes"));
    assert!(page.contains("402.1 <i>hinge</i> <span class=\"op\">+</span> 469.1 <i>spectral</i> <span class=\"op\">=</span> <b>871.2</b>"));
    assert!(page.contains(
        "<h1>perceptron made 309 mistakes on 500 trials; its theorem allows at most 871</h1>"
    ));
    assert!(page.contains("bound of theorem T8"));
}

#[test]
fn nothing_is_fetched() {
    let page = page(&[certified(run(|t| t)), run(|t| 2 * t)]);
    let without = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http:", "https:", "url(", "@import", "src="] {
        let outside_texts = without.replace("src=x", "");
        assert!(!outside_texts.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn no_certificate_says_why() {
    let mut run = run(|t| t);
    run.certificate = Some(Certified::Not("the theorem needs <b> finite".to_owned()));
    assert!(page(&[run]).contains("the theorem needs &lt;b&gt; finite"));
}
