//! The theorem of a certificate as a formula (MathML), with the numbers of the run put in and each symbol explained.

use maud::{Markup, html};
use novikoff::certify::{Formula, MathExpression, MathSymbol, Notation};

use crate::rounding::{fine_bound, six_digits};
use crate::text::count;

/// The formula in symbols and in numbers, and what the symbols mean.
pub(super) fn formula(formula: &Formula, printed: f64) -> Markup {
    let is_kept = formula.counted.value <= printed;
    let relation = if is_kept { "≤" } else { ">" };
    html! {
        div.formula {
            p.note { "For " (formula.holds_for) ":" }
            div.scroll {
                math display="block" {
                    mtable {
                        mtr {
                            mtd { (counted(formula)) }
                            mtd { mo { "≤" } }
                            mtd { (expression(&formula.bound, Shows::Symbols)) }
                        }
                        mtr {
                            // a run is no expectation
                            mtd { @if !formula.expected { mn { (count(formula.counted.value as u64)) } } }
                            mtd { mo { @if formula.expected { "≤" } @else { (relation) } } }
                            mtd { (expression(&formula.bound, Shows::Numbers)) }
                        }
                        // a line of its own: phones are narrow
                        mtr {
                            mtd {}
                            mtd { mo { "=" } }
                            mtd { mn.result { (fine_bound(printed)) } }
                        }
                    }
                }
            }
            dl.symbols {
                @for symbol in formula.symbols() { (explained(symbol)) }
            }
        }
    }
}

/// What is counted; of a theorem about an expectation, its expectation.
fn counted(formula: &Formula) -> Markup {
    let symbol = notation(formula.counted.notation);
    html! {
        @if formula.expected { mi mathvariant="normal" { "E" } (fence("[")) (symbol) (fence("]")) }
        @else { (symbol) }
    }
}

fn explained(symbol: &MathSymbol) -> Markup {
    html! {
        div {
            dt { math { (notation(symbol.notation)) mo { "=" } mn { (value(symbol.value)) } } }
            dd {
                (symbol.meaning)
                @if let Some(parts) = &symbol.made_of {
                    " " math { (expression(parts, Shows::Symbols)) }
                }
            }
        }
    }
}

/// How an expression is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    Symbols,
    Numbers,
}

/// A number of a formula: whole ones without decimals.
fn value(value: f64) -> String {
    if value.fract() == 0.0 && (0.0..1e15).contains(&value) {
        count(value as u64)
    } else {
        six_digits(value).replace('-', "−")
    }
}

/// How strongly an expression binds its parts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Whole,
}

fn binding(of: &MathExpression, shows: Shows) -> Binding {
    match of {
        MathExpression::Sum(_) | MathExpression::Negative(_) => Binding::Sum,
        MathExpression::Product(_) => Binding::Product,
        MathExpression::Symbol(symbol) if shows == Shows::Symbols => match symbol.notation {
            Notation::SumOver(..) => Binding::Product,
            _ => Binding::Whole,
        },
        // 1.00000e-9 is one number, and negative ones are in parentheses
        MathExpression::Symbol(symbol) if symbol.value < 0.0 => Binding::Sum,
        _ => Binding::Whole,
    }
}

/// An expression, in parentheses if its parts are bound less than is needed.
fn bound_by(of: &MathExpression, shows: Shows, needed: Binding) -> Markup {
    let inner = expression(of, shows);
    html! {
        @if binding(of, shows) < needed { mrow { (fence("(")) (inner) (fence(")")) } } @else { (inner) }
    }
}

fn expression(of: &MathExpression, shows: Shows) -> Markup {
    match of {
        MathExpression::Number(number) => html! { mn { (value(*number)) } },
        MathExpression::Symbol(symbol) if shows == Shows::Symbols => notation(symbol.notation),
        MathExpression::Symbol(symbol) => html! { mn { (value(symbol.value)) } },
        MathExpression::Sum(parts) => html! {
            mrow {
                @for (i, part) in parts.iter().enumerate() {
                    @match part {
                        MathExpression::Negative(part) => {
                            mo { "−" } (bound_by(part, shows, Binding::Product))
                        }
                        part => { @if i > 0 { mo { "+" } } (expression(part, shows)) }
                    }
                }
            }
        },
        MathExpression::Negative(part) => {
            html! { mrow { mo { "−" } (bound_by(part, shows, Binding::Product)) } }
        }
        MathExpression::Product(parts) => html! {
            mrow {
                @for (i, part) in parts.iter().enumerate() {
                    @if i > 0 {
                        @if shows == Shows::Numbers { mo { "·" } } @else { mspace width="0.17em" {} }
                    }
                    // what comes last needs no parentheses unless it is a sum
                    @let needed = if i + 1 == parts.len() { Binding::Product } else { Binding::Whole };
                    (bound_by(part, shows, needed))
                }
            }
        },
        MathExpression::Quotient(over, under) => html! {
            mfrac { mrow { (expression(over, shows)) } mrow { (expression(under, shows)) } }
        },
        MathExpression::Square(part) => html! {
            msup { (bound_by(part, shows, Binding::Whole)) mn { "2" } }
        },
        MathExpression::Root(part) => html! { msqrt { (expression(part, shows)) } },
        MathExpression::Least(parts) => function("min", parts, shows),
        MathExpression::Greatest(parts) => function("max", parts, shows),
    }
}

/// A parenthesis that does not grow: fonts without mathematics have no large ones.
fn fence(sign: &str) -> Markup {
    html! { mo stretchy="false" { (sign) } }
}

fn function(name: &str, parts: &[MathExpression], shows: Shows) -> Markup {
    html! {
        mrow {
            mi { (name) } (fence("("))
            @for (i, part) in parts.iter().enumerate() {
                @if i > 0 { mo separator="true" { "," } }
                (expression(part, shows))
            }
            (fence(")"))
        }
    }
}

fn notation(of: Notation) -> Markup {
    match of {
        Notation::Letter(letter) => {
            if let Some(vector) = letter.strip_suffix('′') {
                html! { msup { mi { (vector) } mo { "′" } } }
            } else {
                html! { mi { (letter) } }
            }
        }
        Notation::Sub(letter, index) => html! { msub { mi { (letter) } mi { (index) } } },
        Notation::Norm(of, "") => html! { mrow { (fence("|")) mi { (of) } (fence("|")) } },
        Notation::Norm(of, kind) => {
            html! { msub { (notation(Notation::Norm(of, ""))) mi { (kind) } } }
        }
        Notation::Squared(of) => html! { msup { (notation(*of)) mn { "2" } } },
        Notation::SumOver(set, of) => html! {
            mrow { msub { mo { "∑" } mi { (set) } } (notation(*of)) }
        },
        Notation::Beside(parts) => html! {
            mrow { @for part in parts { (notation(*part)) } }
        },
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A formula of one number.
    pub(in crate::html) fn of(counted: f64, bound: f64) -> Formula {
        let MathExpression::Symbol(m) = symbol("m", counted) else {
            unreachable!("it was made so")
        };
        Formula {
            counted: m,
            expected: false,
            bound: symbol("L", bound),
            holds_for: "every vector",
        }
    }

    fn symbol(letter: &'static str, value: f64) -> MathExpression {
        MathExpression::Symbol(MathSymbol {
            notation: Notation::Letter(letter),
            meaning: "a <meaning>",
            value,
            made_of: None,
        })
    }

    /// What is read, without tags.
    fn text(markup: &Markup) -> String {
        let mut text = String::new();
        for part in markup.0.split('<') {
            text.push_str(part.split_once('>').map_or(part, |(_, after)| after));
        }
        text
    }

    #[test]
    fn parentheses_are_where_they_are_needed() {
        let (a, b) = (symbol("a", 2.0), symbol("b", -1.5));
        let cases = [
            ((a.clone() + b.clone()) * a.clone(), "(a+b)a", "(2+−1.5)·2"),
            (a.clone() - (a.clone() + b.clone()), "a−(a+b)", "2−(2+−1.5)"),
            (a.clone() * b.clone(), "ab", "2·(−1.5)"),
            (
                MathExpression::Least(vec![a.clone(), 3.0.into()]) * b.clone(),
                "min(a,3)b",
                "min(2,3)·(−1.5)",
            ),
            (
                MathExpression::Square(Box::new(a.clone() * b.clone())),
                "(ab)2",
                "(2·(−1.5))2",
            ),
        ];
        for (tree, symbols, numbers) in cases {
            assert_eq!(text(&expression(&tree, Shows::Symbols)), symbols);
            assert_eq!(text(&expression(&tree, Shows::Numbers)), numbers);
        }
    }

    #[test]
    fn everything_is_explained_and_escaped() {
        let (m, l) = (symbol("m", 3.0), symbol("L", 5.25));
        let MathExpression::Symbol(counted) = m else {
            unreachable!("it was made so")
        };
        let one = Formula {
            counted,
            expected: false,
            bound: l.clone() + 2.0.into(),
            holds_for: "every <vector>",
        };
        let page = formula(&one, 7.25).0;
        assert!(page.contains("<math display=\"block\">"));
        assert!(page.contains("For every &lt;vector&gt;:"));
        assert_eq!(page.matches("a &lt;meaning&gt;").count(), 2, "m and L");
        let read = text(&maud::PreEscaped(page));
        assert!(read.contains("m≤L+23≤5.25+2=7.250"), "{read}");
        // more than was allowed
        let read = text(&formula(&one, 2.0));
        assert!(read.contains("3&gt;5.25"), "{read}");
        // a run is no expectation
        let expected = Formula {
            expected: true,
            ..one
        };
        let read = text(&formula(&expected, 2.0));
        assert!(read.contains("E[m]≤L+2≤5.25+2=2.000"), "{read}");
    }
}
