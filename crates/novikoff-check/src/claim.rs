//! What a certificate claims, against what was recomputed.

use crate::Recomputed;

/// What a certificate claims.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claim {
    /// The theorem's name.
    pub theorem: String,
    /// The theorem counts updates.
    pub counts_updates: bool,
    /// The bound is of what is expected.
    pub expected: bool,
    /// The run's mistakes.
    pub mistakes: u64,
    /// Mistakes or updates, whichever the theorem counts.
    pub counted: u64,
    /// The bound.
    pub bound: f64,
    /// Whether the run kept to it; none where one run says nothing.
    pub holds: Option<bool>,
    /// What the bound is the sum of.
    pub terms: Vec<(String, f64)>,
    /// What the terms are made of.
    pub ingredients: Vec<(String, f64)>,
    /// `|U|`.
    pub norm: f64,
    /// `L(U)`.
    pub hinge: Option<f64>,
}

/// The most by which a claimed bound may exceed the recomputed one, relative to it: it was rounded up.
const ABOVE: f64 = 1e-6;

/// The most by which a claimed bound may fall below the recomputed one, relative to it: the rounding of this computation.
const BELOW: f64 = 1e-9;

/// All points on which a claim differs from what was recomputed.
pub fn differences(claim: &Claim, found: &Recomputed) -> Vec<String> {
    let mut all = Vec::new();
    let mut differ = |what: &str, claimed: String, recomputed: String| {
        all.push(format!(
            "{what}: claimed {claimed}, recomputed {recomputed}"
        ));
    };
    let what = |updates: bool| if updates { "updates" } else { "mistakes" }.to_owned();
    if claim.counts_updates != found.counts_updates {
        differ(
            "counts",
            what(claim.counts_updates),
            what(found.counts_updates),
        );
    }
    if claim.expected != found.expected {
        differ(
            "expected",
            claim.expected.to_string(),
            found.expected.to_string(),
        );
    }
    if claim.mistakes != found.mistakes {
        differ(
            "mistakes",
            claim.mistakes.to_string(),
            found.mistakes.to_string(),
        );
    }
    if claim.counted != found.counted {
        differ(
            "counted",
            claim.counted.to_string(),
            found.counted.to_string(),
        );
    }
    let least = found.bound - BELOW * found.bound.max(1.0);
    let most = found.bound + ABOVE * found.bound.max(1.0);
    if !(claim.bound >= least && claim.bound <= most) {
        differ("bound", claim.bound.to_string(), found.bound.to_string());
    }
    let kept = found.counted as f64 <= claim.bound;
    let holds = (kept || !found.expected).then_some(kept);
    if claim.holds != holds {
        let word = |holds: Option<bool>| holds.map_or("null".to_owned(), |h| h.to_string());
        differ("holds", word(claim.holds), word(holds));
    }
    // lengths may be of any size
    let apart = (claim.norm - found.norm).abs();
    if apart.is_nan() || apart > ABOVE * found.norm {
        differ("|U|", claim.norm.to_string(), found.norm.to_string());
    }
    let hinges = claim.hinge.zip(found.hinge);
    let is_same = hinges.map_or(claim.hinge == found.hinge, |(a, b)| is_near(a, b));
    if !is_same {
        let word = |loss: Option<f64>| loss.map_or("null".to_owned(), |loss| loss.to_string());
        differ("hinge loss of U", word(claim.hinge), word(found.hinge));
    }
    let lists = [
        ("term", &claim.terms, &found.terms),
        ("ingredient", &claim.ingredients, &found.ingredients),
    ];
    for (kind, claimed, recomputed) in lists {
        let mut names: Vec<&str> = claimed.iter().map(|(name, _)| name.as_str()).collect();
        names.extend(recomputed.iter().map(|(name, _)| *name));
        names.sort_unstable();
        names.dedup();
        for name in names {
            // a term that is missing is 0
            let ours = recomputed.iter().find(|(other, _)| *other == name);
            let theirs = claimed.iter().find(|(other, _)| other == name);
            let (ours, theirs) = (ours.map_or(0.0, |t| t.1), theirs.map_or(0.0, |t| t.1));
            if !is_near(theirs, ours) {
                differ(
                    &format!("{kind} {name}"),
                    theirs.to_string(),
                    ours.to_string(),
                );
            }
        }
    }
    all
}

/// Equal but for rounding.
fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= ABOVE * a.abs().max(b.abs()).max(1.0)
}
