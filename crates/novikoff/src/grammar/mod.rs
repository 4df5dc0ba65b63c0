//! The grammar of specs: `name[(SPEC; SPEC; ...)][:key=value,flag,...][@normalize=N,bias=B]`, in this order.
//!
//! One reader serves learners, kernels, losses, regularisers, data sets and grids of them: [`Expression::parse`] takes a
//! text apart, [`find`] looks up its name and [`resolve()`] its keys. Wrong names and keys are answered with the nearest
//! match and the list of what there is.

mod error;
mod expression;
mod preparation;
mod resolve;

pub(crate) use error::shown;
pub use error::{GrammarError, Sort, SyntaxError, SyntaxProblem, nearest_match};
pub use expression::{Expression, MOST_BYTES, MOST_DEEP, Pair};
pub use preparation::{OffOr, OwnPreparation, bias, normalize};
pub use resolve::{alone, filled, find, resolve};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn tree(text: &str) -> Expression {
        Expression::parse(text).expect(text)
    }

    fn message(text: &str) -> String {
        Expression::parse(text).expect_err(text).to_string()
    }

    /// A random spec in its best form.
    fn random(random: &mut SplitMix64, depth: usize) -> String {
        let below = |random: &mut SplitMix64, n: u64| random.next_u64() % n;
        let word = |random: &mut SplitMix64| {
            let letters = ["a", "b-c", "ä", "0", "x1", "second-order"];
            let count = 1 + below(random, 3);
            (0..count)
                .map(|_| letters[below(random, letters.len() as u64) as usize])
                .collect::<String>()
        };
        let mut text = word(random);
        if depth < MOST_DEEP && below(random, 3) == 0 {
            let count = 1 + below(random, 3);
            let parts: Vec<String> = (0..count)
                .map(|_| self::random(random, depth + 1))
                .collect();
            text += "(";
            text += &parts.join("; ");
            text += ")";
        }
        for mark in [":", "@"] {
            let count = below(random, 4);
            for k in 0..count {
                text += if k == 0 { mark } else { "," };
                text += &word(random);
                if below(random, 3) > 0 {
                    let values = ["1", "0.5..2*3", "", "inf", "-1e9", "a=b", "p.txt"];
                    text += "=";
                    text += values[below(random, values.len() as u64) as usize];
                }
            }
        }
        text
    }

    #[test]
    fn what_is_parsed_prints_as_it_was() {
        let mut draws = SplitMix64::new(7);
        let mut nested = 0;
        for _ in 0..2000 {
            let text = random(&mut draws, 0);
            assert_eq!(tree(&text).to_string(), text);
            nested += usize::from(text.contains('('));
        }
        assert!(nested > 100, "{nested}");
    }

    #[test]
    fn a_spec_is_taken_apart() {
        let whole = tree(
            "auto( perceptron ; selective(second-order:a=1) :b=2 ;x@bias=1):beta=0.5,flag@normalize=2,bias=off",
        );
        assert_eq!(whole.name, "auto");
        let names: Vec<&str> = whole.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["perceptron", "selective", "x"]);
        assert_eq!(whole.parts[1].parts[0].pairs[0].to_string(), "a=1");
        assert_eq!(whole.parts[1].pairs[0].to_string(), "b=2");
        assert_eq!(whole.parts[2].preparation[0].to_string(), "bias=1");
        assert_eq!(whole.pairs[1].value, None);
        assert_eq!(
            whole.to_string(),
            "auto(perceptron; selective(second-order:a=1):b=2; x@bias=1):beta=0.5,flag@normalize=2,bias=off"
        );
        // as it always was: what is empty is passed over, and a value may have a colon
        assert_eq!(tree("a:,b=1,,").to_string(), "a:b=1");
        assert_eq!(tree("a:").to_string(), "a");
        assert_eq!(tree("a:b=c:d=e").pairs[0].value.as_deref(), Some("c:d=e"));
    }

    #[test]
    fn random_bytes_do_no_harm() {
        let mut draws = SplitMix64::new(11);
        let letters = ["(", ")", ";", ":", "@", ",", "=", "|", " ", "a", "é", "\n"];
        for _ in 0..20_000 {
            let count = draws.next_u64() % 12;
            let draw = |_| letters[(draws.next_u64() % letters.len() as u64) as usize];
            let text: String = (0..count).map(draw).collect();
            match Expression::parse_grid(&text) {
                Ok(whole) => {
                    let printed = whole.to_string();
                    let again = Expression::parse_grid(&printed);
                    assert_eq!(again.expect(&text).to_string(), printed, "{text:?}");
                }
                Err(error) => {
                    let said = error.to_string();
                    assert!(!said.contains(char::is_control), "{said:?}");
                    assert!(error.at <= text.chars().count() + 1);
                }
            }
        }
    }

    #[test]
    fn what_is_no_spec_is_said() {
        for (text, want) in [
            ("a(b", "`a(b`: this `(` is not closed (character 2)"),
            ("a(b;c", "`a(b;c`: this `(` is not closed (character 2)"),
            ("a(b(c)", "`a(b(c)`: this `(` is not closed (character 2)"),
            ("a)", "`a)`: this `)` closes no `(` (character 2)"),
            ("ä(b))", "`ä(b))`: this `)` closes no `(` (character 5)"),
            ("a()", "`a()`: the parentheses are empty (character 2)"),
            (
                "a;b",
                "`a;b`: `;` separates specs inside parentheses; keys are separated by `,` (character 2)",
            ),
            (
                "a:b=1;c=2",
                "`a:b=1;c=2`: `;` separates specs inside parentheses; keys are separated by `,` (character 6)",
            ),
            (
                "a(b)c",
                "`a(b)c`: after `)` come :key=value, @normalize=N,bias=B or nothing (character 5)",
            ),
            (
                "a(b(c)d)",
                "`a(b(c)d)`: after `)` come :key=value, @normalize=N,bias=B or nothing (character 7)",
            ),
            (
                "a(b)(c)",
                "`a(b)(c)`: after `)` come :key=value, @normalize=N,bias=B or nothing (character 5)",
            ),
            (
                "a:b=1(c)",
                "`a:b=1(c)`: parentheses come right after the name, as in selective(second-order:a=1):b=2 (character 6)",
            ),
            (
                "a@bias=1@bias=2",
                "`a@bias=1@bias=2`: `@` comes twice (character 9)",
            ),
            (
                "a@",
                "`a@`: after `@` come normalize=N, bias=B or both, as in perceptron@normalize=2,bias=1 (character 2)",
            ),
            (
                "a@bias=1:b=2",
                "`a@bias=1:b=2`: keys come before `@`, as in perceptron:margin=1@bias=1 (character 9)",
            ),
            (
                "a(b:c=1|2)",
                "`a(b:c=1|2)`: `1|2` is a list of values, which a grid has (character 5)",
            ),
            (
                "a(b(c(d(e(f(g(h(i(j)))))))))",
                "`a(b(c(d(e(f(g(h(i(j)))))))))`: parentheses go 8 deep at most (character 18)",
            ),
        ] {
            assert_eq!(message(text), want);
        }
        let open = "(".repeat(MOST_BYTES);
        assert!(message(&open).contains("8 deep"));
        let long = "a".repeat(MOST_BYTES + 1);
        let said = message(&long);
        assert!(
            said.ends_with("...`: a spec of 16385 bytes; the most is 16384"),
            "{said}"
        );
        assert!(said.len() < 200);
    }

    #[test]
    fn the_nearest_match_is_near() {
        let names = || ["perceptron", "averaged", "p-norm"].into_iter();
        assert_eq!(nearest_match("Percepton", names()), Some("perceptron"));
        assert_eq!(nearest_match("zzz", names()), None);
    }
}
