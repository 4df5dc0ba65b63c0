//! `exp(x)` for x <= 0, in a form that compilers vectorise; the same bits on every machine.

const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52: the sum's last bits are a whole number
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1; // its last 32 bits are zero
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Below it the result would not be a normal number; it is 0.
const LEAST: f64 = -708.0;

/// Taylor's coefficients 1/13! to 1/2!: on half a doubling the next one is below rounding.
const COEFFICIENTS: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
];

/// `exp(x)`, x <= 0, to two units in the last place; 0 below -708.
#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    let inside = x.max(LEAST);
    let shifted = inside * std::f64::consts::LOG2_E + SHIFT;
    let doublings = shifted - SHIFT;
    let rest = (inside - doublings * LN2_HIGH) - doublings * LN2_LOW;
    let mut sum = COEFFICIENTS[0];
    for c in &COEFFICIENTS[1..] {
        sum = sum * rest + c;
    }
    sum = (sum * rest + 1.0) * rest + 1.0;
    // the whole number of doublings, moved to where a number keeps its exponent
    let exponent = shifted.to_bits().wrapping_sub(SHIFT.to_bits());
    let power = f64::from_bits(exponent.wrapping_add(1023) << 52);
    if x < LEAST { 0.0 } else { sum * power }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_exponential() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-0.0), 1.0);
        assert_eq!(exp(-1e300), 0.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        let mut random = crate::random::SplitMix64::new(1);
        for k in 0..200_000 {
            let x = -random.uniform() * [1e-9, 1e-3, 1.0, 40.0, 708.0][k % 5];
            let (got, right) = (exp(x), libm::exp(x));
            let error = (got - right).abs() / right;
            assert!(error < 4.5e-16, "exp({x}) = {got}, not {right}");
            assert!(got <= 1.0);
        }
    }
}
