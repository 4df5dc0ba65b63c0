//! Grids: where a spec has a value, a grid may have several, in parentheses and after `@` too.
//!
//! `a|b|c` are the values a, b and c; `LOW..HIGH*N` are N values from LOW to HIGH with equal quotients,
//! `LOW..HIGH+N` with equal differences. A part of a list may be a range. All combinations are candidates.

use novikoff::grammar::Expression;

/// The most candidates of one search.
pub(crate) const MOST: usize = 10_000;

/// There are more.
pub(crate) fn too_many(count: usize) -> String {
    format!("the grid has {count} candidates, and the most is {MOST}; give fewer values")
}

/// All specs of a grid, the last key running fastest.
pub(crate) fn specs(text: &str) -> Result<Vec<String>, String> {
    let mut grid = Expression::parse_grid(text).map_err(|error| error.to_string())?;
    let mut choices: Vec<Vec<Option<String>>> = Vec::new();
    for pair in grid.all_pairs_mut() {
        let several = match &pair.value {
            Some(several) => {
                values(several).map_err(|what| format!("{text}: {}: {what}", pair.key))?
            }
            None => Vec::new(),
        };
        choices.push(if several.is_empty() {
            vec![None]
        } else {
            several.into_iter().map(Some).collect()
        });
    }
    let count = choices
        .iter()
        .fold(1_usize, |n, several| n.saturating_mul(several.len()));
    if count > MOST {
        return Err(too_many(count));
    }
    let mut all = Vec::new();
    for number in 0..count {
        let mut left = number;
        for (pair, several) in grid.all_pairs_mut().into_iter().zip(&choices).rev() {
            pair.value.clone_from(&several[left % several.len()]);
            left /= several.len();
        }
        all.push(grid.to_string());
    }
    Ok(all)
}

/// The values of a list with ranges.
pub(crate) fn values(text: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for item in text.split('|') {
        match item.split_once("..") {
            Some((low, rest)) => all.extend(range(item, low, rest)?),
            None => all.push(item.to_owned()),
        }
    }
    Ok(all)
}

fn range(item: &str, low: &str, rest: &str) -> Result<Vec<String>, String> {
    let wrong = |why: &str| {
        format!(
            "`{item}`: {why}; ranges are LOW..HIGH*N (equal quotients) or LOW..HIGH+N (equal differences), as in 0.01..100*5"
        )
    };
    let (high, count, quotients) = match (rest.rsplit_once('*'), rest.rsplit_once('+')) {
        (Some((high, count)), _) => (high, count, true),
        (None, Some((high, count))) => (high, count, false),
        (None, None) => return Err(wrong("how many values is not said")),
    };
    let number = |word: &str| word.parse::<f64>().ok().filter(|n| n.is_finite());
    let (Some(low), Some(high)) = (number(low), number(high)) else {
        return Err(wrong("LOW and HIGH must be numbers"));
    };
    let count = count
        .parse::<usize>()
        .ok()
        .filter(|n| (2..=MOST).contains(n));
    let Some(count) = count else {
        return Err(wrong(&format!("N must be a whole number from 2 to {MOST}")));
    };
    if low >= high {
        return Err(wrong("LOW must be below HIGH"));
    }
    if quotients && low <= 0.0 {
        return Err(wrong("with equal quotients LOW must be above 0"));
    }
    let value = |k: usize| {
        let share = k as f64 / (count - 1) as f64;
        if k == 0 {
            low
        } else if k == count - 1 {
            high
        } else if quotients {
            let (a, b) = (libm::log(low), libm::log(high));
            short(libm::exp(a + share * (b - a)))
        } else {
            short(low + share * (high - low))
        }
    };
    Ok((0..count).map(|k| value(k).to_string()).collect())
}

/// Six digits are enough to try, and to type again.
fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        assert_eq!(specs("perceptron"), Ok(vec!["perceptron".to_owned()]));
        assert_eq!(
            specs("second-order:a=0.1|1,margin=0|2").expect("a grid"),
            [
                "second-order:a=0.1,margin=0",
                "second-order:a=0.1,margin=2",
                "second-order:a=1,margin=0",
                "second-order:a=1,margin=2"
            ]
        );
        assert_eq!(
            specs("romma:aggressive,noise=0..2+5").expect("a grid"),
            ["0", "0.5", "1", "1.5", "2"].map(|n| format!("romma:aggressive,noise={n}"))
        );
        assert_eq!(
            specs("selective(second-order:a=0.1|1):b=1..4*3,seed=5").expect("a grid"),
            [
                "selective(second-order:a=0.1):b=1,seed=5",
                "selective(second-order:a=0.1):b=2,seed=5",
                "selective(second-order:a=0.1):b=4,seed=5",
                "selective(second-order:a=1):b=1,seed=5",
                "selective(second-order:a=1):b=2,seed=5",
                "selective(second-order:a=1):b=4,seed=5",
            ]
        );
        assert_eq!(
            specs("perceptron@normalize=off|2").expect("a grid"),
            ["perceptron@normalize=off", "perceptron@normalize=2"]
        );
        assert_eq!(
            values("1e-3..1e+3*7").expect("a range"),
            ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]
        );
        assert_eq!(values("1e-3..1e+1+2").expect("a range"), ["0.001", "10"]);
        assert_eq!(
            values("auto|1..4*3").expect("a list"),
            ["auto", "1", "2", "4"]
        );
        assert_eq!(values("1e+5").expect("a value"), ["100000"].map(|_| "1e+5"));
    }

    #[test]
    fn what_is_no_range() {
        for (text, part) in [
            ("1..2", "how many"),
            ("1..x*3", "numbers"),
            ("..2*3", "numbers"),
            ("1..inf*3", "numbers"),
            ("1..2*1", "from 2"),
            ("1..2*1e9", "from 2"),
            ("1..2*99999999999999999999", "from 2"),
            ("2..1+3", "below"),
            ("0..1*3", "above 0"),
            ("-1..1*3", "above 0"),
        ] {
            let said = values(text).expect_err(text);
            assert!(said.contains(part), "{text}: {said}");
        }
        for (text, part) in [
            (
                "perceptron(averaged",
                "this `(` is not closed (character 11)",
            ),
            ("perceptron;averaged", "`;` separates specs inside"),
            ("perceptron@bias=1@bias=2", "`@` comes twice (character 18)"),
            (
                "selective(perceptron:margin=1..2):b=1",
                "margin: `1..2`: how many",
            ),
        ] {
            let said = specs(text).expect_err(text);
            assert!(said.contains(part), "{text}: {said}");
        }
        let said = specs("a:b=1..2+5000,c=1|2|3").expect_err("too many");
        assert!(said.contains("15000"), "{said}");
        let wide = "x=1..2+10000,".repeat(9);
        assert!(specs(&format!("a:{wide}y=1")).is_err());
    }
}
