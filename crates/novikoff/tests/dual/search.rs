//! The slow and obvious way: the least value of a convex function of a few numbers, by golden section, one
//! number inside another.

/// Where a coordinate may move.
type Interval<'i> = &'i dyn Fn(&[f64]) -> Option<(f64, f64)>;

/// The least value of `f` on a box whose intervals may depend on the numbers before.
pub(crate) fn least(interval: Interval<'_>, f: &dyn Fn(&[f64]) -> f64) -> f64 {
    descend(&mut Vec::new(), interval, f)
}

fn descend(before: &mut Vec<f64>, interval: Interval<'_>, f: &dyn Fn(&[f64]) -> f64) -> f64 {
    let Some((mut low, mut high)) = interval(before) else {
        return f(before);
    };
    let mut at = |x: f64| {
        before.push(x);
        let value = descend(before, interval, f);
        before.pop();
        value
    };
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_a, mut at_b) = (at(a), at(b));
    let mut best = at_a.min(at_b);
    while high - low > 1e-9 * (1.0 + high.abs().max(low.abs())) {
        if at_a < at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - golden * (high - low);
            at_a = at(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + golden * (high - low);
            at_b = at(b);
        }
        best = best.min(at_a).min(at_b);
    }
    // the ends of an interval may be the best
    best.min(at(low)).min(at(high))
}
