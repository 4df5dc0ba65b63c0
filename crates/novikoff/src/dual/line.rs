//! The exact step where the curvature has no bound: one dimension, Newton with a bracket.
//!
//! The minimum of `c(a') + H(a')`, where `H` is convex with slope `t(a')` and curvature `b(a')`. The loss's own step at `a`
//! minimises with `H` replaced by its parabola there; whatever the parabola, it moves towards the minimum, so
//! each visited point becomes an end of the bracket. A step that leaves the bracket, or does not halve it,
//! gives way to its middle.
//! Paper: docs/theory/dual.md#algorithm-1; plain Newton is not safe (2.1, 4).

use super::loss::Loss;

/// Steps smaller than this part of the way made end the search: the next would be far smaller.
const CLOSE: f64 = 1e-8;

/// One end of the bracket: the end of the domain, or a point known to lie beyond the minimum.
#[derive(Clone, Copy)]
struct End {
    at: f64,
    visited: bool,
}

/// The minimum from `start` on; `line` gives slope and curvature of `H`.
pub(crate) fn minimum(
    loss: &impl Loss,
    start: f64,
    y: f64,
    line: impl Fn(f64) -> (f64, f64),
) -> f64 {
    let ends = loss.domain();
    let mut low = End {
        at: ends.0,
        visited: false,
    };
    let mut high = End {
        at: ends.1,
        visited: false,
    };
    let (mut a, mut last) = (start, f64::INFINITY);
    for _ in 0..200 {
        let (t, b) = line(a);
        // at a vertical tangent any parabola shows the way
        let b = if b.is_finite() { b } else { 1.0 };
        let next = if t.is_finite() {
            loss.step(a, t, b, y)
        } else if t > 0.0 {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
        if next == a {
            return a;
        }
        let here = End {
            at: a,
            visited: true,
        };
        if next > a {
            low = here;
        } else {
            high = here;
        }
        let leaves = next <= low.at && low.visited || next >= high.at && high.visited;
        let creeps = (next - a).abs() > 0.5 * last && low.visited && high.visited;
        let next = if leaves || creeps || !next.is_finite() {
            middle(low.at, high.at)
        } else {
            next
        };
        last = (next - a).abs();
        if last <= CLOSE * (next - start).abs() || last <= 1e-16 * a.abs() {
            return next;
        }
        a = next;
    }
    a
}

/// Between two numbers; of very different size, by their logarithms.
fn middle(low: f64, high: f64) -> f64 {
    if low > 0.0 && high > 4.0 * low {
        low.sqrt() * high.sqrt()
    } else {
        0.5 * low + 0.5 * high
    }
}
