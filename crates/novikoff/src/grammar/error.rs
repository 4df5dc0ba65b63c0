//! What can be wrong with a typed spec: facts, and one sentence made of them.

use std::fmt;

use crate::remedy::Remedy;

/// What a spec is the spec of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sort {
    /// A learner of the catalogue.
    Learner,
    /// A kernel.
    Kernel,
    /// A loss of the dual solver.
    Loss,
    /// A regulariser of the dual solver.
    Regulariser,
    /// A built-in data set; most are generators.
    DataSet,
    /// A map that makes features of rows.
    Map,
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sort::Learner => "learner",
            Sort::Kernel => "kernel",
            Sort::Loss => "loss",
            Sort::Regulariser => "regulariser",
            Sort::DataSet => "data set",
            Sort::Map => "map",
        })
    }
}

impl Sort {
    fn plural(self) -> String {
        match self {
            Sort::Loss => "losses".to_owned(),
            other => format!("{other}s"),
        }
    }
}

/// A text that is no spec of any kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: {problem}{}", place(*.at))]
pub struct SyntaxError {
    /// As typed, shortened.
    pub text: String,
    /// The character it is about, counted from 1; 0 for the whole text.
    pub at: usize,
    /// What is wrong there.
    pub problem: SyntaxProblem,
}

fn place(at: usize) -> String {
    match at {
        0 => String::new(),
        at => format!(" (character {at})"),
    }
}

/// What is wrong with the text of a spec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntaxProblem {
    /// More text than anybody types.
    #[error("a spec of {bytes} bytes; the most is {most}")]
    Long {
        /// Its length.
        bytes: usize,
        /// The most.
        most: usize,
    },
    /// Parentheses in parentheses in parentheses.
    #[error("parentheses go {most} deep at most")]
    Deep {
        /// The most.
        most: usize,
    },
    /// A parenthesis is not closed.
    #[error("this `(` is not closed")]
    Unclosed,
    /// A parenthesis closes nothing.
    #[error("this `)` closes no `(`")]
    Unopened,
    /// Parentheses with nothing between them.
    #[error("the parentheses are empty")]
    Empty,
    /// A semicolon that separates nothing.
    #[error("`;` separates specs inside parentheses; keys are separated by `,`")]
    Semicolon,
    /// Something follows a closing parenthesis.
    #[error("after `)` come :key=value, @normalize=N,bias=B or nothing")]
    AfterParts,
    /// A parenthesis among keys and values.
    #[error("parentheses come right after the name, as in selective(second-order:a=1):b=2")]
    Parenthesis,
    /// A second `@`.
    #[error("`@` comes twice")]
    AtTwice,
    /// Nothing after `@`.
    #[error("after `@` come normalize=N, bias=B or both, as in perceptron@normalize=2,bias=1")]
    AtAlone,
    /// Keys after `@`.
    #[error("keys come before `@`, as in perceptron:margin=1@bias=1")]
    KeysAfterAt,
    /// A list where one value belongs.
    #[error("`{value}` is a list of values, which a grid has")]
    List {
        /// As typed.
        value: String,
    },
}

/// A spec that nothing answers to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrammarError {
    /// It is not in the grammar.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// There is nothing of that name.
    #[error("no {sort} is called `{name}`{}; the {} are {}", nearest(*.near), .sort.plural(), .valid.join(", "))]
    Name {
        /// What was looked for.
        sort: Sort,
        /// As typed.
        name: String,
        /// The nearest name.
        near: Option<&'static str>,
        /// All names.
        valid: Vec<&'static str>,
    },
    /// It has no such key.
    #[error("{of} has no key `{key}`{}; {}", nearest(*.near), keys(.valid))]
    Key {
        /// What was named.
        of: &'static str,
        /// As typed.
        key: String,
        /// The nearest key.
        near: Option<&'static str>,
        /// All its keys.
        valid: Vec<&'static str>,
    },
    /// A key after `@` that is none of a preparation.
    #[error("{of}: after `@` only {} are allowed, not `{key}`{}", .valid.join(" and "), nearest(*.near))]
    PreparationKey {
        /// What was named.
        of: &'static str,
        /// As typed.
        key: String,
        /// The nearest key.
        near: Option<&'static str>,
        /// The keys of a preparation.
        valid: Vec<&'static str>,
    },
    /// A key stands alone.
    #[error("{of}: `{key}` needs a value, as in {key}={}; allowed: {allowed}", example(.default))]
    NoValue {
        /// What was named.
        of: &'static str,
        /// The key.
        key: &'static str,
        /// What is allowed.
        allowed: String,
        /// The default; empty if there is none.
        default: &'static str,
    },
    /// A key occurs twice.
    #[error("{of}: `{key}` is given twice")]
    Twice {
        /// What was named.
        of: &'static str,
        /// The key.
        key: &'static str,
    },
    /// A value is not allowed.
    #[error("{of}: {key} = {got}: must be {allowed}{}", by_default(.default))]
    Value {
        /// What was named.
        of: &'static str,
        /// The key.
        key: &'static str,
        /// As typed.
        got: String,
        /// What is allowed.
        allowed: String,
        /// The default; empty if there is none.
        default: &'static str,
    },
    /// Specs in parentheses that do not belong there.
    #[error("{of} takes {} in parentheses, and there {}", specs(*.allowed), are(*.got))]
    Parts {
        /// What was named.
        of: &'static str,
        /// How many specs it takes in parentheses.
        allowed: usize,
        /// How many there are.
        got: usize,
    },
    /// A preparation that does not belong there.
    #[error("{of}: `@` is for a learner that gets the rows itself, not for {why}")]
    Preparation {
        /// What was named.
        of: &'static str,
        /// What it is.
        why: String,
    },
}

impl GrammarError {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            GrammarError::Syntax(SyntaxError {
                problem: SyntaxProblem::List { .. },
                ..
            }) => Some(Remedy::clause("give one value").or("use `tune`")),
            GrammarError::Preparation { .. } => Some("leave it out".into()),
            _ => None,
        }
    }
}

fn nearest(near: Option<&'static str>) -> String {
    near.map_or_else(String::new, |n| format!(" (did you mean `{n}`?)"))
}

fn keys(valid: &[&'static str]) -> String {
    if valid.is_empty() {
        "it takes no keys".to_owned()
    } else {
        format!("its keys are {}", valid.join(", "))
    }
}

fn example(default: &str) -> &str {
    if default.is_empty() { "..." } else { default }
}

fn by_default(default: &str) -> String {
    if default.is_empty() {
        String::new()
    } else {
        format!("; the default is {default}")
    }
}

fn specs(count: usize) -> &'static str {
    match count {
        0 => "no spec",
        _ => "one spec",
    }
}

fn are(count: usize) -> String {
    match count {
        1 => "is 1".to_owned(),
        n => format!("are {n}"),
    }
}

/// The candidate most like `typed`, if any is like it at all.
pub fn nearest_match<'a>(
    typed: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let typed: String = typed.chars().take(LONGEST).collect();
    let typed = typed.to_lowercase();
    candidates
        .map(|c| (strsim::jaro_winkler(&typed, c), c))
        .filter(|(likeness, _)| *likeness > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, c)| c)
}

/// Characters of a typed word that a message shows.
const LONGEST: usize = 80;

/// A typed word as a message shows it: not too long, on one line.
pub(crate) fn shown(typed: &str) -> String {
    let mut out = String::new();
    for (k, c) in typed.chars().enumerate() {
        if k == LONGEST {
            out.push_str("...");
            break;
        }
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}
