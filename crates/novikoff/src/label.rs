//! Labels: the two-valued [`Label`] that learners see, and the raw label that data carries.

use std::cmp::Ordering;

/// y in {-1, +1}.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// y = -1.
    Neg,
    /// y = +1.
    Pos,
}

impl Label {
    /// The prediction of a score: `sgn(0) = +1`, also for -0.0. The only tie rule of the project.
    pub fn of(score: f64) -> Self {
        if score >= 0.0 { Label::Pos } else { Label::Neg }
    }

    /// -1.0 or +1.0.
    pub fn sign(self) -> f64 {
        match self {
            Label::Neg => -1.0,
            Label::Pos => 1.0,
        }
    }
}

/// A label as the data has it: its text and, where it is one, its number.
#[derive(Clone, Copy, Debug)]
pub struct RawLabel<'a> {
    number: f64,
    text: &'a [u8],
}

impl<'a> RawLabel<'a> {
    /// `number` is NaN for a label that is no number.
    pub fn new(number: f64, text: &'a [u8]) -> Self {
        RawLabel { number, text }
    }

    /// The number, if it is one. True and false are 1 and 0, as they are where data has a type for them.
    pub fn number(&self) -> Option<f64> {
        if !self.number.is_nan() {
            return Some(self.number);
        }
        match self.text {
            b"True" | b"true" | b"TRUE" => Some(1.0),
            b"False" | b"false" | b"FALSE" => Some(0.0),
            _ => None,
        }
    }

    /// The text as written.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }
}

impl From<Label> for RawLabel<'static> {
    /// `-1` or `+1`.
    fn from(label: Label) -> Self {
        let text: &[u8] = match label {
            Label::Neg => b"-1",
            Label::Pos => b"+1",
        };
        RawLabel::new(label.sign(), text)
    }
}

impl<'a> From<&'a str> for RawLabel<'a> {
    /// A number if it reads as one, else a text.
    fn from(text: &'a str) -> Self {
        RawLabel::new(number_of(text).unwrap_or(f64::NAN), text.as_bytes())
    }
}

/// The number that a text reads as.
fn number_of(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A label kept: equal numbers are the same label whatever their spelling; the spelling first met is
/// its name.
#[derive(Clone, Debug)]
pub struct LabelName {
    number: Option<f64>,
    name: String,
}

impl LabelName {
    /// Keeps a raw label.
    pub fn new(raw: RawLabel<'_>) -> Self {
        LabelName {
            number: raw.number().map(|n| n + 0.0), // -0 is 0
            name: String::from_utf8_lossy(raw.text).into_owned(),
        }
    }

    /// A label typed by a person: a number if it reads as one.
    pub fn typed(text: &str) -> Self {
        Self::new(text.into())
    }

    /// The text as first written.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        self.number
    }

    /// True if `raw` is this label.
    pub fn is(&self, raw: RawLabel<'_>) -> bool {
        match (self.number, raw.number()) {
            (Some(a), Some(b)) => a == b,
            (None, None) => self.name.as_bytes() == raw.text,
            _ => false,
        }
    }
}

impl PartialEq for LabelName {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for LabelName {}

impl PartialOrd for LabelName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Numbers by value, then other labels bytewise.
impl Ord for LabelName {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.number, other.number) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => self.name.as_bytes().cmp(other.name.as_bytes()),
        }
    }
}
