//! The generators: what their rows are, that a seed fixes them, and the message of a wrong spec.
#![allow(clippy::unwrap_used)]

use novikoff::rows::{Block, Rows};
use novikoff::source::Source;
use novikoff_data::generate::{GENERATORS, Generator, is_generator};
use novikoff_data::write::SvmlightWriter;

/// All rows of a generator, in one block.
fn collect(mut source: Generator) -> Rows {
    let mut all = Rows::new();
    while let Some(block) = source.next_block().unwrap() {
        assert!(!block.is_empty());
        all.append(block, all.len() as u64);
    }
    all
}

fn rows(spec: &str) -> Rows {
    collect(Generator::new(spec).unwrap())
}

fn label(rows: &Rows, i: usize) -> f64 {
    let mut labels = rows.labels(i);
    let label = labels.next().unwrap();
    assert!(labels.next().is_none());
    let y = label.number().unwrap();
    assert_eq!(label.text(), if y == 1.0 { b"+1" } else { b"-1" });
    assert!(y.abs() == 1.0);
    y
}

fn text(rows: Block<'_>) -> String {
    let mut writer = SvmlightWriter::new(Vec::new());
    writer.write(rows).unwrap();
    String::from_utf8(writer.into_inner()).unwrap()
}

/// Mistakes of the plain perceptron in one pass.
fn mistakes(rows: &Rows) -> usize {
    let mut w = vec![0.0; rows.width() as usize + 1];
    let mut mistakes = 0;
    for i in 0..rows.len() {
        let (x, y) = (rows.row(i), label(rows, i));
        if (x.dot(&w) >= 0.0) != (y > 0.0) {
            mistakes += 1;
            x.add_to(y, &mut w);
        }
    }
    mistakes
}

/// The share of rows whose labels differ.
fn disagreement(a: &Rows, b: &Rows) -> f64 {
    let differ = (0..a.len()).filter(|&i| label(a, i) != label(b, i)).count();
    differ as f64 / a.len() as f64
}

fn same_values(a: &Rows, b: &Rows, i: usize) -> bool {
    a.row(i).iter().eq(b.row(i).iter())
}

/// These bytes are a promise: a change of any of them changes published results.
#[test]
fn a_seed_gives_the_same_bytes_everywhere() {
    let golden = [
        (
            "sparse-target:rows=200,seed=1,noise=0.1",
            "83eedc2a2029fc24",
        ),
        (
            "ellipse:rows=200,seed=1,gap=0.1,direction=2",
            "cf87f6f27058b823",
        ),
        ("text:rows=200,seed=1", "6241840cdceb6764"),
        ("separable:rows=200,seed=1", "74fe4b83839bc06e"),
    ];
    for (spec, want) in golden {
        let hash = blake3::hash(text(rows(spec).view()).as_bytes()).to_string();
        assert_eq!(&hash[..16], want, "{spec}");
    }
}

#[test]
fn fewer_rows_are_a_prefix_and_the_bias_is_only_put_before() {
    for (name, few, many) in [
        ("sparse-target", 7, 1300),
        ("ellipse", 7, 1300),
        ("separable", 7, 70_000),
        ("text", 7, 4000),
    ] {
        let long = rows(&format!("{name}:rows={many},seed=5"));
        let short = rows(&format!("{name}:seed=5,rows={few}"));
        let other = rows(&format!("{name}:rows={few},seed=6"));
        let generator = Generator::new(&format!("{name}:rows={few},seed=5")).unwrap();
        assert_eq!(generator.rows(), few);
        let biased = collect(generator.with_bias(Some(0.5)));
        assert_eq!((short.len(), long.len()), (few as usize, many));
        for i in 0..short.len() {
            assert!(same_values(&short, &long, i) && label(&short, i) == label(&long, i));
            assert!(!same_values(&short, &other, i));
            let row = biased.row(i);
            let mut with = row.iter();
            assert_eq!(with.next(), Some((0, 0.5)));
            assert!(with.eq(short.row(i).iter()) && label(&biased, i) == label(&short, i));
        }
        // Lines count within the block.
        let mut generator = Generator::new(&format!("{name}:rows={many}")).unwrap();
        generator.next_block().unwrap();
        let block = generator.next_block().unwrap().unwrap();
        assert!((0..block.len()).all(|i| block.line(i) == i as u64));
    }
}

/// The share of rows that a perceptron gets wrong which learned from others.
fn wrong_elsewhere(learned: &Rows, other: &Rows) -> f64 {
    let mut w = vec![0.0; learned.width() as usize + 1];
    for i in (0..learned.len()).cycle().take(20 * learned.len()) {
        let (x, y) = (learned.row(i), label(learned, i));
        if (x.dot(&w) >= 0.0) != (y > 0.0) {
            x.add_to(y, &mut w);
        }
    }
    let wrong = |i: &usize| (other.row(*i).dot(&w) >= 0.0) != (label(other, *i) > 0.0);
    (0..other.len()).filter(wrong).count() as f64 / other.len() as f64
}

/// Rows of different seeds and the same target are separated by one vector.
#[test]
fn a_target_can_be_chosen_apart_from_the_rows() {
    for name in ["separable:d=5,margin=0.2", "sparse-target:n=20,relevant=5"] {
        let errors = |target: &str| {
            let of_seed = |seed: u32| rows(&format!("{name},rows=1000,seed={seed}{target}"));
            let first = of_seed(1);
            let others = (2..6).map(of_seed);
            others
                .map(|other| {
                    assert!(!same_values(&first, &other, 0));
                    wrong_elsewhere(&first, &other)
                })
                .fold(0.0, f64::max)
        };
        let (shared, own) = (errors(",target=3"), errors(""));
        assert!(shared < 0.05 && own > 0.2, "{name}: {shared}, {own}");
    }
}

#[test]
fn separable_rows_keep_their_margin_in_the_unit_ball() {
    for (d, margin) in [(1, 0.5), (2, 0.1), (50, 0.2)] {
        let data = rows(&format!("separable:d={d},margin={margin},rows=2000"));
        assert_eq!((data.len(), data.width()), (2000, d));
        let squares = (0..2000).map(|i| data.row(i).norm_sq());
        let longest = squares.fold(0.0, f64::max);
        assert!(longest <= 1.0 + 1e-6 && longest > 0.9, "{longest}");
        // Novikoff
        let made = mistakes(&data) as f64;
        assert!(made <= (1.0 / margin) * (1.0 / margin), "d = {d}: {made}");
    }
    let flipped = disagreement(
        &rows("separable:rows=2000"),
        &rows("separable:rows=2000,noise=0.2"),
    );
    assert!((flipped - 0.2).abs() < 0.04, "{flipped}");
}

#[test]
fn an_ellipse_is_turned_and_nothing_else_changes() {
    let straight = rows("ellipse:d=5,rows=100");
    let turned = rows("ellipse:d=5,rows=100,angle=90");
    for i in 0..100 {
        let values = |rows: &Rows| rows.row(i).iter().map(|(_, v)| v).collect::<Vec<_>>();
        let (a, b) = (values(&straight), values(&turned));
        assert!((b[1] - a[0]).abs() < 1e-6 && (b[0] + a[1]).abs() < 1e-6);
        assert_eq!(a[2..], b[2..]);
        assert_eq!(label(&straight, i), label(&turned, i));
    }
}

#[test]
fn sparse_target_is_the_papers_artificial_data() {
    let data = rows("sparse-target");
    assert_eq!(
        (data.len(), data.width(), data.values()),
        (1000, 500, 500_000)
    );
    assert!((0..1000).all(|i| (data.row(i).norm_sq() - 1.0).abs() < 1e-6));
    // docs/theory/README.md#streams-of-the-papers: 304 in the mean of three seeds; without noise the data is separable.
    let mean = (0..5)
        .map(|s| mistakes(&rows(&format!("sparse-target:seed={s}"))))
        .sum::<usize>()
        / 5;
    assert!((285..=325).contains(&mean), "{mean}");
    let noisy = rows("sparse-target:noise=0.1,rows=5000");
    let clean = rows("sparse-target:rows=5000");
    assert!((0..5000).all(|i| same_values(&noisy, &clean, i)));
    let flipped = disagreement(&noisy, &clean);
    assert!((flipped - 0.1).abs() < 0.015, "{flipped}");
    // With one relevant feature the target is that feature, up to its sign.
    let one = rows("sparse-target:n=4,relevant=1,margin=0.3,rows=500");
    let first = |i: usize| one.row(i).iter().find(|&(j, _)| j == 1).unwrap().1;
    let sign = label(&one, 0) * first(0).signum();
    assert!((0..500).all(|i| first(i).abs() >= 0.3 && label(&one, i) == sign * first(i).signum()));
    assert!((0..500).any(|i| first(i).abs() < 0.35));
}

#[test]
fn ellipse_is_long_in_one_direction() {
    for direction in [1, 2] {
        let data = rows(&format!("ellipse:direction={direction},gap=0.1,d=7"));
        assert_eq!((data.len(), data.width()), (10_000, 7));
        let mut squares = [0.0; 8];
        let mut sums = [0.0; 8];
        for i in 0..data.len() {
            for (j, v) in data.row(i).iter() {
                squares[j] += v * v / 1e4;
                sums[j] += v / 1e4;
                if j == direction {
                    assert!(v.abs() >= 0.1 && label(&data, i) == v.signum());
                }
            }
        }
        assert!((squares[1] - 8.0).abs() < 0.5, "{squares:?}");
        assert!(
            squares[2..].iter().all(|s| (s - 1.0).abs() < 0.15),
            "{squares:?}"
        );
        assert!(sums.iter().all(|s| s.abs() < 0.1), "{sums:?}");
    }
}

/// The normal distribution: known shares within one and two standard deviations.
#[test]
fn ellipse_is_gaussian() {
    let data = rows("ellipse:d=100,dominant=1,rows=2000");
    let within = |bound: f64| {
        let count = |i| data.row(i).iter().filter(|(_, v)| v.abs() < bound).count();
        (0..data.len()).map(count).sum::<usize>() as f64 / 200_000.0
    };
    assert!((within(1.0) - 0.682_689).abs() < 0.004);
    assert!((within(2.0) - 0.954_500).abs() < 0.002);
    assert!((within(3.0) - 0.997_300).abs() < 0.000_6);
}

#[test]
fn text_looks_like_text_and_can_be_learned() {
    let data = rows("text:rows=20000");
    assert_eq!(Generator::new("text").unwrap().features(), 47_000);
    assert!(data.width() > 46_000 && data.width() <= 47_000);
    let mean = data.values() as f64 / 20_000.0;
    assert!((mean - 75.0).abs() < 1.5, "{mean}");
    let mut rows_with = vec![0; 47_001];
    for i in 0..data.len() {
        assert!((data.row(i).norm_sq() - 1.0).abs() < 1e-4);
        data.row(i).iter().for_each(|(j, _)| rows_with[j] += 1);
    }
    rows_with.sort_unstable_by(|a, b| b.cmp(a));
    // Zipf: the first word is everywhere, the 2000th about 10^1.1 times rarer than the 200th.
    assert!(rows_with[0] > 19_900);
    let decay = f64::from(rows_with[200]) / f64::from(rows_with[2000]);
    assert!((9.0..16.0).contains(&decay), "{decay}");
    let positive = (0..data.len()).filter(|&i| label(&data, i) > 0.0).count();
    assert!((9_000..11_000).contains(&positive), "{positive}");
    let error = mistakes(&data) as f64 / 20_000.0;
    assert!((0.05..0.15).contains(&error), "{error}");
    let flipped = disagreement(&data, &rows("text:rows=20000,noise=0"));
    assert!((flipped - 0.03).abs() < 0.005, "{flipped}");
    let text = text(data.view());
    let longest = text
        .split([' ', '\n'])
        .filter_map(|w| w.split_once(':'))
        .map(|(_, v)| v.len());
    assert!(longest.max().unwrap() <= "0.00123456".len());
    assert!(
        text.starts_with("-1 372:0.164048 607:0.0578345 1172:0.132416 "),
        "{}",
        &text[..100]
    );
}

#[test]
fn a_wrong_spec_is_told_what_is_right() {
    let cases = [
        (
            "txt",
            "no data set is called `txt` (did you mean `text`?); the data sets are digits, sparse-target, ellipse, separable, text",
        ),
        (
            "",
            "no data set is called ``; the data sets are digits, sparse-target, ellipse, separable, text",
        ),
        (
            "text:row=5",
            "text has no key `row` (did you mean `rows`?); its keys are rows, seed, skip, features, nonzeros, noise",
        ),
        ("text:rows=5,rows=6", "text: `rows` is given twice"),
        (
            "text:noise=0.6",
            "text: noise = 0.6: must be >= 0 and <= 0.5; the default is 0.03",
        ),
        (
            "ellipse:direction=3",
            "ellipse: direction = 3: must be a whole number from 1 to 2; the default is 1",
        ),
        (
            "text:rows=0",
            "text: rows = 0: must be a whole number from 1; the default is 200000",
        ),
        (
            "separable:skip=1000000001",
            "separable: skip = 1000000001: must be a whole number from 0 to 1000000000; the default is 0",
        ),
        (
            "text:noise=nan",
            "text: noise = nan: must be >= 0 and <= 0.5; the default is 0.03",
        ),
        (
            "sparse-target:margin=0.5",
            "sparse-target: margin = 0.5: must be at most 0.1341 (3/sqrt(n), or less where few features \
             are relevant: rows are hardly ever farther away); the default is 0.005",
        ),
        (
            "sparse-target:n=95,relevant=1,margin=0.25",
            "sparse-target: margin = 0.25: must be at most 0.1599 (3/sqrt(n), or less where few features \
             are relevant: rows are hardly ever farther away); the default is 0.005",
        ),
        (
            "sparse-target:n=10",
            "sparse-target: relevant = 50: must be at most 10 (the number of features n); the \
             default is 50",
        ),
        (
            "ellipse:direction=2,gap=5",
            "ellipse: gap = 5: must be at most 3 (three standard deviations); the default is 0",
        ),
        (
            "text:rows",
            "text: `rows` needs a value, as in rows=200000; allowed: a whole number from 1",
        ),
        (
            "text(ellipse)",
            "text takes no spec in parentheses, and there is 1",
        ),
        (
            "text:rows=(5",
            "`text:rows=(5`: parentheses come right after the name, as in selective(second-order:a=1):b=2 (character 11)",
        ),
        (
            "text@bias=1",
            "text: `@` is for a learner that gets the rows itself, not for a data set",
        ),
        (
            "text:features=100",
            "text: nonzeros = 75: must be at most 10 (a tenth of the features); the default is 75",
        ),
    ];
    for (spec, want) in cases {
        assert_eq!(Generator::new(spec).unwrap_err().to_string(), want);
    }
    assert!(is_generator("text:rows=5") && is_generator("ellipse") && !is_generator("texts"));
}

/// Each key that help lists is taken, with its default.
#[test]
fn every_default_is_what_an_empty_spec_means() {
    for info in GENERATORS {
        let defaults: Vec<_> = info
            .keys
            .iter()
            .map(|k| [k.name, k.default].join("="))
            .collect();
        let spec = format!("{}:{}", info.name, defaults.join(","));
        let take = |spec: &str| text(Generator::new(spec).unwrap().next_block().unwrap().unwrap());
        assert_eq!(take(info.name), take(&spec));
        assert!(!info.summary.is_empty() && info.keys.iter().all(|k| !k.meaning.is_empty()));
    }
}

/// The hardest settings that are allowed still end.
#[test]
fn extreme_settings_end() {
    for spec in [
        "sparse-target:n=1,relevant=1,margin=0.9,rows=100",
        "sparse-target:n=500,margin=0.1341,rows=20",
        "ellipse:d=2,gap=3,direction=2,dominant=0.000001,rows=100",
        "text:features=100,nonzeros=10,rows=1000",
        "text:features=100,nonzeros=1,rows=1000",
    ] {
        assert!(!rows(spec).is_empty(), "{spec}");
    }
}

/// Rows that are passed over are the first ones of the same stream: what is learned from and what is tested on share their target.
#[test]
fn rows_that_are_passed_over_are_the_first() {
    for info in GENERATORS {
        let all = rows(&format!("{}:rows=700,seed=3", info.name));
        let rest = rows(&format!("{}:rows=200,seed=3,skip=500", info.name));
        assert_eq!(rest.len(), 200);
        for i in 0..200 {
            assert_eq!(label(&all, 500 + i), label(&rest, i), "{}", info.name);
            assert!(
                all.row(500 + i).iter().eq(rest.row(i).iter()),
                "{}",
                info.name
            );
        }
    }
}
