//! Hot loops, compiled for the widest vectors the machine has.
//!
//! The plain text of a loop is the only one; it is compiled twice, and the machine picks at run time.
//! Neither form fuses multiply and add, so they give the same bits.

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
