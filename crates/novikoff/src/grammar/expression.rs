//! From text to a tree.

use std::fmt;

use super::error::{SyntaxError, SyntaxProblem, shown};

/// The longest text that is read. Grids may list many values.
pub const MOST_BYTES: usize = 1 << 14;

/// How deep parentheses go, so that neither reading nor freeing a tree needs much of the stack.
pub const MOST_DEEP: usize = 8;

/// A spec taken apart, nothing looked up yet. It prints as it is best typed.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Expression {
    /// What comes first.
    pub name: String,
    /// The specs in parentheses.
    pub parts: Vec<Expression>,
    /// Keys and flags, in the order typed.
    pub pairs: Vec<Pair>,
    /// What follows `@`.
    pub preparation: Vec<Pair>,
}

/// `key=value`, or a key alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The key.
    pub key: String,
    /// What follows `=`, if that is there.
    pub value: Option<String>,
    /// Where the pair begins: a byte of the text.
    pub at: usize,
}

impl Expression {
    /// Reads a spec.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let whole = Self::parse_grid(text)?;
        match whole.find_list() {
            Some((at, value)) => {
                let value = shown(value);
                Err(wrong(text, Some(at), SyntaxProblem::List { value }))
            }
            None => Ok(whole),
        }
    }

    /// Reads a spec whose values may be lists, `a|b|c`.
    pub fn parse_grid(text: &str) -> Result<Self, SyntaxError> {
        if text.len() > MOST_BYTES {
            let (bytes, most) = (text.len(), MOST_BYTES);
            return Err(wrong(text, None, SyntaxProblem::Long { bytes, most }));
        }
        let mut reader = SpecReader { text, at: 0 };
        let whole = reader.expression(0)?;
        match reader.peek() {
            None => Ok(whole),
            Some(b';') => Err(reader.wrong(SyntaxProblem::Semicolon)),
            Some(b')') => Err(reader.wrong(SyntaxProblem::Unopened)),
            Some(_) => Err(reader.wrong(SyntaxProblem::AfterParts)),
        }
    }

    fn find_list(&self) -> Option<(usize, &str)> {
        let pairs = self.pairs.iter().chain(&self.preparation);
        let listed = |pair: &'_ Pair| pair.value.as_ref().is_some_and(|value| value.contains('|'));
        let here = pairs.filter(|pair| listed(pair));
        let mut here = here.map(|pair| (pair.at, pair.value.as_deref().unwrap_or_default()));
        let mut inside = self.parts.iter().filter_map(Expression::find_list);
        here.next().or_else(|| inside.next())
    }

    /// All pairs, in the order of the text.
    pub fn all_pairs_mut(&mut self) -> Vec<&mut Pair> {
        let mut all: Vec<&mut Pair> = Vec::new();
        for part in &mut self.parts {
            all.extend(part.all_pairs_mut());
        }
        all.extend(&mut self.pairs);
        all.extend(&mut self.preparation);
        all
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}={value}", self.key),
            None => f.write_str(&self.key),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (k, part) in self.parts.iter().enumerate() {
            write!(f, "{}{part}", if k == 0 { "(" } else { "; " })?;
        }
        if !self.parts.is_empty() {
            f.write_str(")")?;
        }
        for (first, pairs) in [(":", &self.pairs), ("@", &self.preparation)] {
            for (k, pair) in pairs.iter().enumerate() {
                write!(f, "{}{pair}", if k == 0 { first } else { "," })?;
            }
        }
        Ok(())
    }
}

fn wrong(text: &str, at: Option<usize>, problem: SyntaxProblem) -> SyntaxError {
    let before = |at: usize| text.get(..at).unwrap_or_default().chars().count();
    SyntaxError {
        text: shown(text),
        at: at.map_or(0, |at| before(at) + 1),
        problem,
    }
}

struct SpecReader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> SpecReader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, problem: SyntaxProblem) -> SyntaxError {
        wrong(self.text, Some(self.at), problem)
    }

    /// What comes before the next of some ASCII characters, and where it begins.
    fn until(&mut self, ends: &[u8], deep: bool) -> (&'t str, usize) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.bytes().position(|b| ends.contains(&b));
        let length = length.unwrap_or(rest.len());
        let taken = rest.get(..length).unwrap_or_default();
        let start = self.at;
        self.at += length;
        if !deep {
            return (taken, start);
        }
        // in parentheses there may be spaces around specs
        let indent = taken.len() - taken.trim_start().len();
        (taken.trim(), start + indent)
    }

    fn expression(&mut self, depth: usize) -> Result<Expression, SyntaxError> {
        let deep = depth > 0;
        let (name, _) = self.until(b"(:;@)", deep);
        let mut whole = Expression {
            name: name.to_owned(),
            ..Expression::default()
        };
        if self.peek() == Some(b'(') {
            whole.parts = self.parts(depth + 1)?;
            // in parentheses nothing but spaces may come before the next mark
            let (more, at) = self.until(b"(:;@)", deep);
            if !more.is_empty() {
                return Err(wrong(self.text, Some(at), SyntaxProblem::AfterParts));
            }
        }
        if self.peek() == Some(b':') {
            self.at += 1;
            whole.pairs = self.pairs(b"(,;@)", deep)?;
        }
        if self.peek() == Some(b'@') {
            let start = self.at;
            self.at += 1;
            whole.preparation = self.pairs(b"(,;@):", deep)?;
            match self.peek() {
                Some(b'@') => return Err(self.wrong(SyntaxProblem::AtTwice)),
                Some(b':') => return Err(self.wrong(SyntaxProblem::KeysAfterAt)),
                _ if whole.preparation.is_empty() => {
                    return Err(wrong(self.text, Some(start), SyntaxProblem::AtAlone));
                }
                _ => {}
            }
        }
        Ok(whole)
    }

    /// Specs in parentheses.
    fn parts(&mut self, depth: usize) -> Result<Vec<Expression>, SyntaxError> {
        let open = self.at;
        if depth > MOST_DEEP {
            return Err(self.wrong(SyntaxProblem::Deep { most: MOST_DEEP }));
        }
        let mut parts = Vec::new();
        loop {
            self.at += 1;
            let part = self.expression(depth)?;
            match self.peek() {
                None => return Err(wrong(self.text, Some(open), SyntaxProblem::Unclosed)),
                Some(b')') if parts.is_empty() && part == Expression::default() => {
                    return Err(wrong(self.text, Some(open), SyntaxProblem::Empty));
                }
                Some(b';') => parts.push(part),
                Some(b')') => {
                    parts.push(part);
                    self.at += 1;
                    return Ok(parts);
                }
                Some(_) => return Err(self.wrong(SyntaxProblem::AfterParts)),
            }
        }
    }

    /// Keys and values; those that are empty are passed over.
    fn pairs(&mut self, ends: &[u8], deep: bool) -> Result<Vec<Pair>, SyntaxError> {
        let mut pairs = Vec::new();
        loop {
            let (item, at) = self.until(ends, deep);
            if self.peek() == Some(b'(') {
                return Err(self.wrong(SyntaxProblem::Parenthesis));
            }
            let (key, value) = match item.split_once('=') {
                Some((key, value)) => (key, Some(value.to_owned())),
                None => (item, None),
            };
            if !item.is_empty() {
                let key = key.to_owned();
                pairs.push(Pair { key, value, at });
            }
            if self.peek() != Some(b',') {
                return Ok(pairs);
            }
            self.at += 1;
        }
    }
}
