//! Hot loops, compiled for the widest vectors the machine has.
//!
//! The plain text of a loop is the only one; it is compiled twice, and the machine picks at run time.
//! Multiply and add are fused only where the product is exact, so all forms give the same bits.

/// Does `work` with the widest vectors there are. It and its loops must be `#[inline(always)]`: what is not
/// inlined is not compiled for them.
#[inline]
pub(crate) fn wide<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2, which is all the function asks for.
        #[allow(unsafe_code)]
        unsafe {
            return avx2(work);
        }
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Does `work` with vectors of eight `f64` where there are such, else as [`wide`]; `work` gets whether there are. For loops that keep as many sums as
/// registers hold.
#[inline]
pub(crate) fn widest<T>(work: impl FnOnce(bool) -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        // SAFETY: the machine has AVX-512F, which is all the function asks for.
        #[allow(unsafe_code)]
        unsafe {
            return avx512(work);
        }
    }
    wide(
        #[inline(always)]
        || work(false),
    )
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512<T>(work: impl FnOnce(bool) -> T) -> T {
    work(true)
}

/// Does `work` whose loops add products of two `f32`, which are exact in `f64`, with the widest vectors there are:
/// [`Products::add`] multiplies and adds in one step where the machine can.
#[inline]
pub(crate) fn wide_products<T>(work: impl FnOnce(Products) -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        // SAFETY: the machine has AVX-512F, which is all the function asks for.
        #[allow(unsafe_code)]
        unsafe {
            return avx512_products(work);
        }
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the machine has AVX2 and FMA, which is all the function asks for.
        #[allow(unsafe_code)]
        unsafe {
            return avx2_fma(work);
        }
    }
    work(Products { fused: false })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2_fma<T>(work: impl FnOnce(Products) -> T) -> T {
    work(Products { fused: true })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512_products<T>(work: impl FnOnce(Products) -> T) -> T {
    work(Products { fused: true })
}

/// How products are added.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Products {
    fused: bool,
}

impl Products {
    /// `sum + a b`.
    #[inline(always)]
    pub(crate) fn add<S: Sum>(self, sum: S, a: f32, b: f32) -> S {
        if self.fused {
            sum.fused(a, b)
        } else {
            sum.plain(a, b)
        }
    }
}

/// A sum of products of two `f32`: in `f64` of any, in `f32` of whole numbers that are so small that all sums are exact.
pub(crate) trait Sum: Copy + Default + std::ops::Add<Output = Self> {
    /// `self + a b`, rounded once.
    fn fused(self, a: f32, b: f32) -> Self;

    /// `self + a b`, where `a b` is exact.
    fn plain(self, a: f32, b: f32) -> Self;
}

impl Sum for f64 {
    #[inline(always)]
    fn fused(self, a: f32, b: f32) -> Self {
        f64::from(a).mul_add(f64::from(b), self)
    }

    #[inline(always)]
    fn plain(self, a: f32, b: f32) -> Self {
        self + f64::from(a) * f64::from(b)
    }
}

impl Sum for f32 {
    #[inline(always)]
    fn fused(self, a: f32, b: f32) -> Self {
        a.mul_add(b, self)
    }

    #[inline(always)]
    fn plain(self, a: f32, b: f32) -> Self {
        self + a * b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn fused_or_not_the_bits_are_the_same() {
        let mut random = SplitMix64::new(4);
        let mut any = || f32::from_bits(random.next_u64() as u32);
        for _ in 0..100_000 {
            let (a, b, sum) = (any(), any(), f64::from(any()) * f64::from(any()));
            if a.is_finite() && b.is_finite() && sum.is_finite() {
                let [one, two] = [true, false].map(|fused| Products { fused }.add(sum, a, b));
                assert_eq!(one.to_bits(), two.to_bits(), "{sum} + {a} {b}");
            }
        }
    }
}
