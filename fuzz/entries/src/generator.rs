//! Specs of generators: what is accepted gives the rows it promises.

use std::convert::Infallible;

use novikoff::grammar::GrammarError;
use novikoff::rows::{Block, Rows};
use novikoff::source::Source as _;
use novikoff_data::generate::{GENERATORS, GenerateError, Generator, is_generator};

use crate::draw;

/// A spec. Those that ask for much are passed over: they are allowed to take long.
pub fn generator(data: &[u8]) {
    let Ok(spec) = str::from_utf8(data) else {
        return;
    };
    if is_large(spec) {
        return;
    }
    let sized = |rows: u64| {
        let joint = if spec.contains(':') { ',' } else { ':' };
        Generator::new(&format!("{spec}{joint}rows={rows}"))
    };
    let (few, more) = match (sized(2), sized(5)) {
        (Ok(few), Ok(more)) => (few, more),
        (Err(error), Err(_)) => {
            let said = error.to_string();
            let known = GENERATORS.iter().any(|g| said.contains(g.name));
            let is_syntax = matches!(error, GenerateError::Grammar(GrammarError::Syntax(_)));
            assert!(known || is_syntax, "{said}");
            assert!(!said.contains(char::is_control), "{said}");
            return;
        }
        (few, more) => panic!("two rows {}, five rows {}", few.is_ok(), more.is_ok()),
    };
    assert!(is_generator(spec));
    let bias = draw(data).is_multiple_of(4).then_some(1.0);
    let (few, more) = (rows(few, bias), rows(more, bias));
    assert_eq!((few.len(), more.len()), (2, 5));
    for i in 0..few.len() {
        let values = |rows: &Rows| rows.row(i).iter().collect::<Vec<_>>();
        assert_eq!(values(&few), values(&more), "few rows begin many");
        let labels = |rows: &Rows| rows.labels(i).map(|l| l.number()).collect::<Vec<_>>();
        assert_eq!(labels(&few), labels(&more));
    }
}

/// True if it may ask for more than a few thousand of anything.
fn is_large(spec: &str) -> bool {
    let long = |part: &str| part.len() > 4 && part.bytes().all(|b| b.is_ascii_digit());
    let numbers = || spec.split(|c: char| !c.is_ascii_digit());
    // its default number of words takes milliseconds to make
    let many_words = spec.starts_with("text") && !spec.contains("features=");
    numbers().any(long) || (many_words && !draw(spec.as_bytes()).is_multiple_of(256))
}

fn rows(mut generator: Generator, bias: Option<f32>) -> Rows {
    let features = generator.features();
    generator = generator.with_bias(bias);
    let mut rows = Rows::new();
    loop {
        let next: Result<Option<Block<'_>>, Infallible> = generator.next_block();
        let Ok(Some(block)) = next else {
            return rows;
        };
        assert!(block.width() <= features);
        for i in 0..block.len() {
            let values: Vec<_> = block.row(i).iter().collect();
            assert!(values.is_sorted_by(|a, b| a.0 < b.0));
            assert!(values.iter().all(|v| v.1.is_finite()), "{values:?}");
            let first = values.first().filter(|v| v.0 == 0).map(|v| v.1);
            assert_eq!(first, bias.map(f64::from));
        }
        rows.append(block, rows.len() as u64);
    }
}
