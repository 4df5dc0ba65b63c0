//! Whether a kernel tells rows apart: its values between the first rows, each divided by the lengths of both in the kernel's space.

use novikoff::kernel::{Kernel, KernelShape};
use novikoff::preparation::Preparation;
use novikoff::remark::Remark;
use novikoff::resolve::SampledRows;
use novikoff::rows::Block;
use novikoff::space::StoredRows;

/// Rows that are looked at.
pub(crate) const ROWS: usize = 200;

/// Fewer rows say nothing.
const FEW: usize = 10;

/// A value up to this is nearly 0.
const ZERO: f64 = 0.01;

/// A value from this on is nearly 1.
const ONE: f64 = 0.99;

/// The share of the pairs that is nearly all of them.
const SHARE: f64 = 0.95;

/// What is worth saying of a kernel, given the first rows as they are read and what is done to them. Nothing of the linear one.
pub(crate) fn remark(
    kernel: Kernel,
    auto_gamma: bool,
    preparation: &Preparation,
    first: Block<'_>,
) -> Option<Remark> {
    if kernel == Kernel::LINEAR {
        return None;
    }
    let mut rows = StoredRows::default();
    let prepared = SampledRows { first, preparation };
    prepared.each(|x| {
        if rows.len() < ROWS {
            rows.push(x.without_constant());
        }
    });
    if rows.len() < FEW {
        return None;
    }
    let rows: Vec<_> = rows.rows().map(|x| kernel.row(x)).collect();
    let (mut pairs, mut zeros, mut ones) = (0.0, 0.0, 0.0);
    for i in 0..rows.len() {
        for j in 0..i {
            let lengths = (kernel.own(rows[i].facts) * kernel.own(rows[j].facts)).sqrt();
            let value = kernel.value(rows[i], rows[j]) / lengths;
            pairs += 1.0;
            zeros += f64::from(u8::from(value <= ZERO));
            ones += f64::from(u8::from(value >= ONE));
        }
    }
    let share = f64::max(zeros, ones) / pairs;
    (share >= SHARE).then(|| Remark::KernelValues {
        kernel: kernel.to_string(),
        ones: ones > zeros,
        share,
        rows: rows.len() as u64,
        has_gamma: matches!(kernel.shape, KernelShape::Gaussian { .. }) && !auto_gamma,
    })
}
