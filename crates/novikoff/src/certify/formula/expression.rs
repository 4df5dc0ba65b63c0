//! Expressions with symbols that have a notation, a meaning and, in one run, a value.

use std::ops::{Add, Div, Mul, Sub};

/// How a symbol is written. Nested parts are constants of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// A letter, as in `L`.
    Letter(&'static str),
    /// With an index, as in `R_M`.
    Sub(&'static str, &'static str),
    /// A norm of something; the kind of norm is empty for the 2-norm.
    Norm(&'static str, &'static str),
    /// The square of something.
    Squared(&'static Notation),
    /// A sum over a set.
    SumOver(&'static str, &'static Notation),
    /// One beside the other.
    Beside(&'static [Notation]),
}

/// A symbol of a formula.
#[derive(Clone, Debug, PartialEq)]
pub struct MathSymbol {
    /// How it is written.
    pub notation: Notation,
    /// What it stands for.
    pub meaning: &'static str,
    /// Its value in this run.
    pub value: f64,
    /// What it is made of, if the formula is easier to read with a name for it.
    pub made_of: Option<Box<MathExpression>>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum MathExpression {
    /// A number that every run has.
    Number(f64),
    /// A symbol.
    Symbol(MathSymbol),
    /// A sum; negative summands are [`MathExpression::Negative`].
    Sum(Vec<MathExpression>),
    /// A summand that is subtracted.
    Negative(Box<MathExpression>),
    /// A product.
    Product(Vec<MathExpression>),
    /// A quotient.
    Quotient(Box<MathExpression>, Box<MathExpression>),
    /// A square.
    Square(Box<MathExpression>),
    /// A square root.
    Root(Box<MathExpression>),
    /// The least of some.
    Least(Vec<MathExpression>),
    /// The greatest of some.
    Greatest(Vec<MathExpression>),
}

impl MathExpression {
    /// Its value, with the values of the run put in.
    pub fn value(&self) -> f64 {
        match self {
            MathExpression::Number(value) => *value,
            MathExpression::Symbol(symbol) => symbol.value,
            MathExpression::Sum(parts) => parts.iter().map(MathExpression::value).sum(),
            MathExpression::Negative(part) => -part.value(),
            MathExpression::Product(parts) => parts.iter().map(MathExpression::value).product(),
            MathExpression::Quotient(over, under) => over.value() / under.value(),
            MathExpression::Square(part) => part.value() * part.value(),
            MathExpression::Root(part) => part.value().sqrt(),
            MathExpression::Least(parts) => {
                let values = parts.iter().map(MathExpression::value);
                values.fold(f64::INFINITY, f64::min)
            }
            MathExpression::Greatest(parts) => {
                let values = parts.iter().map(MathExpression::value);
                values.fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }

    /// Its symbols in the order of reading, each once; those that a symbol is made of come after it.
    pub fn symbols(&self) -> Vec<&MathSymbol> {
        let mut found = Vec::new();
        self.gather(&mut found);
        found
    }

    fn gather<'s>(&'s self, found: &mut Vec<&'s MathSymbol>) {
        match self {
            MathExpression::Number(_) => {}
            MathExpression::Symbol(symbol) => {
                if found.iter().any(|other| other.notation == symbol.notation) {
                    return;
                }
                found.push(symbol);
                if let Some(parts) = &symbol.made_of {
                    parts.gather(found);
                }
            }
            MathExpression::Sum(parts)
            | MathExpression::Product(parts)
            | MathExpression::Least(parts)
            | MathExpression::Greatest(parts) => parts.iter().for_each(|part| part.gather(found)),
            MathExpression::Negative(part)
            | MathExpression::Square(part)
            | MathExpression::Root(part) => part.gather(found),
            MathExpression::Quotient(over, under) => {
                over.gather(found);
                under.gather(found);
            }
        }
    }

    /// Its square root.
    pub(super) fn root(self) -> Self {
        MathExpression::Root(Box::new(self))
    }

    /// Its square.
    pub(super) fn squared(self) -> Self {
        MathExpression::Square(Box::new(self))
    }

    /// The smaller of both.
    pub(super) fn or_less(self, other: Self) -> Self {
        MathExpression::Least(vec![self, other])
    }

    /// A symbol for it.
    pub(super) fn called(self, notation: Notation, meaning: &'static str) -> Self {
        MathExpression::Symbol(MathSymbol {
            notation,
            meaning,
            value: self.value(),
            made_of: Some(Box::new(self)),
        })
    }
}

impl From<f64> for MathExpression {
    fn from(value: f64) -> Self {
        MathExpression::Number(value)
    }
}

impl Add for MathExpression {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let mut parts = match self {
            MathExpression::Sum(parts) => parts,
            one => vec![one],
        };
        parts.push(other);
        MathExpression::Sum(parts)
    }
}

impl Sub for MathExpression {
    type Output = Self;
    #[allow(clippy::suspicious_arithmetic_impl)] // a difference is a sum with a negative summand
    fn sub(self, other: Self) -> Self {
        self + MathExpression::Negative(Box::new(other))
    }
}

impl Mul for MathExpression {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let mut parts = match self {
            MathExpression::Product(parts) => parts,
            one => vec![one],
        };
        parts.push(other);
        MathExpression::Product(parts)
    }
}

impl Mul<MathExpression> for f64 {
    type Output = MathExpression;
    fn mul(self, other: MathExpression) -> MathExpression {
        MathExpression::from(self) * other
    }
}

impl Div for MathExpression {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        MathExpression::Quotient(Box::new(self), Box::new(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(letter: &'static str, value: f64) -> MathExpression {
        MathExpression::Symbol(MathSymbol {
            notation: Notation::Letter(letter),
            meaning: "a number",
            value,
            made_of: None,
        })
    }

    #[test]
    fn values_by_hand() {
        let (a, b) = (symbol("a", 9.0), symbol("b", 4.0));
        assert_eq!((a.clone() + 2.0 * b.clone().root()).value(), 13.0);
        assert_eq!((a.clone() - b.clone() / 2.0.into()).value(), 7.0);
        assert_eq!(a.clone().squared().or_less(b.clone()).value(), 4.0);
        let most = MathExpression::Greatest(vec![0.0.into(), b.clone() - a.clone()]);
        assert_eq!(most.value(), 0.0);
        // a difference of sums keeps its signs
        assert_eq!((a.clone() - (b.clone() + a)).value(), -4.0);
    }

    #[test]
    fn symbols_come_once_and_with_what_they_are_made_of() {
        let (a, b) = (symbol("a", 9.0), symbol("b", 4.0));
        let sum = (a.clone() + b).called(Notation::Letter("s"), "their sum");
        let all = (a * sum.clone()) / sum;
        let letters: Vec<Notation> = all.symbols().iter().map(|s| s.notation).collect();
        assert_eq!(letters, ["a", "s", "b"].map(Notation::Letter));
        assert_eq!(all.value(), 9.0);
    }
}
