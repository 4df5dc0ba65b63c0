//! Parameters of learners: keys with their ranges and defaults, and the values they end up with.

/// A key of a spec: its range, default and meaning.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// The default, as typed.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
    pub(crate) kind: ValueKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ValueKind {
    Real {
        low: f64,
        /// `low` itself is not allowed.
        open: bool,
        high: f64,
        /// `high` itself is not allowed.
        open_top: bool,
        auto: Option<Auto>,
        whole: bool,
        words: &'static [&'static str],
    },
    /// A whole number of up to 64 bits.
    Count {
        low: u64,
        high: u64,
    },
    Choice(&'static [&'static str]),
    /// A text that passes a check.
    Text(fn(&str) -> bool),
    Flag,
}

/// What a value that is `auto` is computed from, before the first trial.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Auto {
    /// The number of features.
    Width(fn(f64) -> f64),
    /// The lengths of the first rows.
    Lengths(fn(&RowLengths) -> f64),
    /// Something that the reader of the key knows.
    Elsewhere,
}

/// How long some rows are in the space of a learner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowLengths {
    /// The mean of their squared lengths; 0 if there are no rows.
    pub mean_square: f64,
    /// The squared length of the longest; 0 if there are no rows.
    pub longest_square: f64,
}

impl RowLengths {
    /// Of rows with these squared lengths.
    pub fn of(squares: impl Iterator<Item = f64>) -> Self {
        let (mut rows, mut sum, mut longest_square) = (0.0, 0.0, 0.0_f64);
        for square in squares {
            rows += 1.0;
            sum += square;
            longest_square = longest_square.max(square);
        }
        RowLengths {
            mean_square: if rows > 0.0 { sum / rows } else { 0.0 },
            longest_square,
        }
    }
}

impl Key {
    /// A real number, without bounds yet.
    pub const fn real(name: &'static str, default: &'static str, meaning: &'static str) -> Self {
        let kind = ValueKind::Real {
            low: f64::MIN,
            open: false,
            high: f64::MAX,
            open_top: false,
            auto: None,
            whole: false,
            words: &[],
        };
        Key {
            name,
            default,
            meaning,
            kind,
        }
    }

    /// A whole number, bounds included.
    pub const fn count(
        name: &'static str,
        default: &'static str,
        meaning: &'static str,
        (low, high): (u64, u64),
    ) -> Self {
        Key {
            name,
            default,
            meaning,
            kind: ValueKind::Count { low, high },
        }
    }

    /// One of several words.
    pub const fn choice(
        name: &'static str,
        default: &'static str,
        meaning: &'static str,
        words: &'static [&'static str],
    ) -> Self {
        Key {
            name,
            default,
            meaning,
            kind: ValueKind::Choice(words),
        }
    }

    /// A text that passes a check; the meaning is also what is allowed.
    pub const fn text(
        name: &'static str,
        default: &'static str,
        meaning: &'static str,
        check: fn(&str) -> bool,
    ) -> Self {
        Key {
            name,
            default,
            meaning,
            kind: ValueKind::Text(check),
        }
    }

    /// A word that is said or not.
    pub const fn flag(name: &'static str, meaning: &'static str) -> Self {
        Key {
            name,
            default: "off",
            meaning,
            kind: ValueKind::Flag,
        }
    }

    /// Whether it may stand alone, which means on.
    pub const fn is_flag(&self) -> bool {
        matches!(self.kind, ValueKind::Flag)
    }

    /// At least `low`.
    #[must_use]
    pub const fn from(self, low: f64) -> Self {
        self.bounded(low, false)
    }

    /// More than `low`.
    #[must_use]
    pub const fn above(self, low: f64) -> Self {
        self.bounded(low, true)
    }

    const fn bounded(mut self, from: f64, is_open: bool) -> Self {
        if let ValueKind::Real { low, open, .. } = &mut self.kind {
            *low = from;
            *open = is_open;
        }
        self
    }

    /// At most `top`.
    #[must_use]
    pub const fn to(self, top: f64) -> Self {
        self.bounded_by(top, false)
    }

    /// Less than `top`.
    ///
    /// ```
    /// use novikoff::Key;
    ///
    /// const TAU: Key = Key::real("tau", "0.5", "the quantile").above(0.0).below(1.0);
    /// assert_eq!(TAU.allowed(), "> 0 and < 1");
    /// assert!(TAU.allows("0.999") && !TAU.allows("1"));
    /// ```
    #[must_use]
    pub const fn below(self, top: f64) -> Self {
        self.bounded_by(top, true)
    }

    const fn bounded_by(mut self, top: f64, is_open: bool) -> Self {
        if let ValueKind::Real { high, open_top, .. } = &mut self.kind {
            *high = top;
            *open_top = is_open;
        }
        self
    }

    /// May be `auto`: a function of the number of features.
    #[must_use]
    pub const fn auto(self, of_width: fn(f64) -> f64) -> Self {
        self.by(Auto::Width(of_width))
    }

    /// May be `auto`: a function of the lengths of the first rows. A result that is not allowed gives way to the default.
    #[must_use]
    pub const fn auto_by_lengths(self, of_lengths: fn(&RowLengths) -> f64) -> Self {
        self.by(Auto::Lengths(of_lengths))
    }

    /// May be `auto`, which the reader of the key resolves.
    #[must_use]
    pub(crate) const fn auto_elsewhere(self) -> Self {
        self.by(Auto::Elsewhere)
    }

    const fn by(mut self, what: Auto) -> Self {
        if let ValueKind::Real { auto, .. } = &mut self.kind {
            *auto = Some(what);
        }
        self
    }

    /// A number as `auto` gives it, if it is allowed; else the default.
    pub(crate) fn or_default(&self, number: f64) -> f64 {
        let ValueKind::Real {
            low,
            high,
            open_top,
            ..
        } = self.kind
        else {
            return number;
        };
        if number.is_finite() && number > low {
            return number.min(if open_top { high.next_down() } else { high });
        }
        match self.value(self.default) {
            Some(Value::Real(default)) => default,
            _ => number,
        }
    }

    /// Without a fraction.
    #[must_use]
    pub const fn whole(mut self) -> Self {
        if let ValueKind::Real { whole, .. } = &mut self.kind {
            *whole = true;
        }
        self
    }

    /// Or one of these words.
    #[must_use]
    pub const fn or(mut self, other: &'static [&'static str]) -> Self {
        if let ValueKind::Real { words, .. } = &mut self.kind {
            *words = other;
        }
        self
    }

    /// The values allowed, in words.
    pub fn allowed(&self) -> String {
        match self.kind {
            ValueKind::Choice(words) => words.join("|"),
            ValueKind::Text(_) => self.meaning.to_owned(),
            ValueKind::Flag => "on|off".to_owned(),
            ValueKind::Count {
                low,
                high: u64::MAX,
            } => format!("a whole number from {low}"),
            ValueKind::Count { low, high } => format!("a whole number from {low} to {high}"),
            ValueKind::Real {
                low,
                open,
                high,
                open_top,
                auto,
                whole,
                words,
            } => {
                let kind = if whole { "a whole number " } else { "" };
                let from = match (low == f64::MIN, open) {
                    (true, _) => "any number".to_owned(),
                    (false, true) => format!("{kind}> {low}"),
                    (false, false) => format!("{kind}>= {low}"),
                };
                let to = match (high == f64::MAX, open_top) {
                    (true, _) => String::new(),
                    (false, true) => format!(" and < {high}"),
                    (false, false) => format!(" and <= {high}"),
                };
                let auto = auto.is_some().then_some("auto");
                let words = words.iter().copied().chain(auto);
                words.fold(format!("{from}{to}"), |all, word| all + ", or " + word)
            }
        }
    }

    /// Whether its value is one of some words.
    pub fn is_choice(&self) -> bool {
        matches!(self.kind, ValueKind::Choice(_))
    }

    /// Whether a typed value is allowed.
    pub fn allows(&self, typed: &str) -> bool {
        self.value(typed).is_some()
    }

    /// The value that was typed, if it is allowed.
    pub fn value(&self, typed: &str) -> Option<Value> {
        match self.kind {
            ValueKind::Choice(words) => words.iter().find(|w| **w == typed).map(|w| Value::Word(w)),
            ValueKind::Text(check) => check(typed).then(|| Value::Text(typed.to_owned())),
            ValueKind::Count { low, high } => {
                let number: u64 = typed.parse().ok()?;
                (low <= number && number <= high).then_some(Value::Count(number))
            }
            ValueKind::Flag => match typed {
                "on" => Some(Value::Word("on")),
                "off" => Some(Value::Word("off")),
                _ => None,
            },
            ValueKind::Real { auto: Some(_), .. } if typed == "auto" => Some(Value::Auto),
            ValueKind::Real { words, .. } if words.contains(&typed) => {
                words.iter().find(|w| **w == typed).map(|w| Value::Word(w))
            }
            ValueKind::Real {
                low,
                open,
                high,
                open_top,
                whole,
                ..
            } => {
                let number: f64 = typed.parse().ok()?;
                let inside = number.is_finite()
                    && if open_top {
                        number < high
                    } else {
                        number <= high
                    }
                    && (!whole || number == libm::trunc(number))
                    && if open { number > low } else { number >= low };
                inside.then_some(Value::Real(number))
            }
        }
    }
}

/// A typed value that is allowed.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Real(f64),
    /// A whole number.
    Count(u64),
    /// What the number of features, or the first rows, say.
    Auto,
    /// One of several words; `on` or `off` of a flag.
    Word(&'static str),
    /// A text.
    Text(String),
}

/// A value without `auto`.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// A number.
    Real(f64),
    /// A word.
    Word(String),
}

/// All parameters of a learner.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Parameters(Vec<(String, Parameter)>);

impl Parameters {
    /// Parameters read from a model.
    pub fn from_list(list: Vec<(String, Parameter)>) -> Self {
        Parameters(list)
    }

    /// Adds a number.
    pub(crate) fn add(&mut self, name: &str, number: f64) {
        self.0.push((name.to_owned(), Parameter::Real(number)));
    }

    /// Adds a word, in the place of one of that name.
    pub(crate) fn put_word(&mut self, name: &str, word: String) {
        self.0.retain(|(other, _)| other != name);
        self.0.push((name.to_owned(), Parameter::Word(word)));
    }

    /// Adds others.
    pub fn extend(&mut self, others: Parameters) {
        self.0.extend(others.0);
    }

    /// Names and values, in the catalogue's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Parameter)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    fn get(&self, name: &str) -> Option<&Parameter> {
        self.iter()
            .find(|(n, _)| *n == name)
            .map(|(_, value)| value)
    }

    /// A number; NaN if there is none of that name.
    pub fn real(&self, name: &str) -> f64 {
        match self.get(name) {
            Some(Parameter::Real(number)) => *number,
            _ => f64::NAN,
        }
    }

    /// Whether a flag is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.word(name) == "on"
    }

    /// A word; empty if there is none of that name.
    pub fn word(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Parameter::Word(word)) => word,
            _ => "",
        }
    }
}
