//! Cosine and sine of many numbers, in a form that compilers vectorise; the same bits on every machine.

/// `1.5 * 2^52`: the sum's last bits are a whole number.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// Half of pi in three parts of 33 bits each, so that their products with whole numbers of 20 bits are exact.
const HALF_PI: [f64; 3] = [
    1.570_796_326_734_125_6,
    6.077_100_506_303_966e-11,
    2.022_266_248_795_950_6e-21,
];

/// Numbers up to this size have fewer than 2^20 quarter turns.
const LARGEST: f64 = 1e6;

/// Coefficients of `(sin r - r)/r^3` on an eighth of a turn (fdlibm's), the highest power first.
const SINE: [f64; 6] = [
    1.589_690_995_211_55e-10,
    -2.505_076_025_340_686_3e-8,
    2.755_731_370_707_006_8e-6,
    -1.984_126_982_985_795e-4,
    8.333_333_333_322_49e-3,
    -1.666_666_666_666_663_2e-1,
];

/// Coefficients of `(cos r - 1 + r^2/2)/r^4` on an eighth of a turn (fdlibm's), the highest power first.
const COSINE: [f64; 6] = [
    -1.135_964_755_778_819_5e-11,
    2.087_572_321_298_175e-9,
    -2.755_731_435_139_066e-7,
    2.480_158_728_947_673e-5,
    -1.388_888_888_887_411e-3,
    4.166_666_666_666_66e-2,
];

/// `(cos t, sin t)` of each t, to 1e-15.
#[inline(always)]
pub(super) fn cosines_and_sines<const N: usize>(t: &[f64; N]) -> ([f64; N], [f64; N]) {
    let (mut cosines, mut sines) = ([0.0; N], [0.0; N]);
    let mut is_small = true;
    for i in 0..N {
        is_small &= t[i].abs() <= LARGEST;
        (cosines[i], sines[i]) = near(t[i]);
    }
    if !is_small {
        for i in 0..N {
            (sines[i], cosines[i]) = libm::sincos(t[i]);
        }
    }
    (cosines, sines)
}

/// Of one number of at most [`LARGEST`].
#[inline(always)]
fn near(t: f64) -> (f64, f64) {
    let shifted = t * std::f64::consts::FRAC_2_PI + SHIFT;
    let quarters = shifted - SHIFT;
    let rest = ((t - quarters * HALF_PI[0]) - quarters * HALF_PI[1]) - quarters * HALF_PI[2];
    let square = rest * rest;
    let (mut sine, mut cosine) = (SINE[0], COSINE[0]);
    for k in 1..6 {
        sine = sine * square + SINE[k];
        cosine = cosine * square + COSINE[k];
    }
    let sine = rest + rest * square * sine;
    let cosine = (1.0 - 0.5 * square) + square * square * cosine;
    // the whole number of quarter turns is in the last bits
    let quadrant = shifted.to_bits();
    let is_odd = quadrant & 1 == 1;
    let (c, s) = if is_odd {
        (sine, cosine)
    } else {
        (cosine, sine)
    };
    let sign_of_sine = (quadrant & 2) << 62;
    let sign_of_cosine = (quadrant.wrapping_add(1) & 2) << 62;
    (
        f64::from_bits(c.to_bits() ^ sign_of_cosine),
        f64::from_bits(s.to_bits() ^ sign_of_sine),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;
    use crate::simd::wide;

    #[test]
    fn they_are_the_cosine_and_the_sine() {
        assert_eq!(cosines_and_sines(&[0.0]), ([1.0], [0.0]));
        let mut random = SplitMix64::new(3);
        for k in 0..100_000 {
            let size = [1e-9, 0.7, 3.0, 1e3, 1e6, 1e15, 1e40][k % 7];
            let t: [f64; 4] = [(); 4].map(|()| (random.uniform() - 0.5) * 2.0 * size);
            let (cosines, sines) = cosines_and_sines(&t);
            for i in 0..4 {
                let (c, s) = (libm::cos(t[i]), libm::sin(t[i]));
                assert!((cosines[i] - c).abs() < 1e-15, "cos {}", t[i]);
                assert!((sines[i] - s).abs() < 1e-15, "sin {}", t[i]);
            }
        }
    }

    #[test]
    fn wide_and_plain_agree_to_the_bit() {
        let mut random = SplitMix64::new(4);
        for _ in 0..10_000 {
            let t: [f64; 8] = [(); 8].map(|()| (random.uniform() - 0.5) * 2e3);
            let vectors = wide(
                #[inline(always)]
                || cosines_and_sines(&t),
            );
            assert_eq!(vectors, cosines_and_sines(&t));
        }
    }
}
