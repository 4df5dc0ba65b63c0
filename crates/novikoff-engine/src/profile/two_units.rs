//! Columns of numbers in two units, such as weights that are partly in grams and partly in kilograms.
//!
//! The sizes of their values fall into two groups with an empty gap between, and those of one group, multiplied by the factor of a usual conversion, are
//! distributed as those of the other. Groups of different things have no such factor, or another shape: small and large customers, a machine that is on or
//! off. Nothing is said where a group has few rows or few different values, as flags, counts and codes have.

use novikoff::remark::{Conversion, Looked, Range, Remark, UnitRemark};
use novikoff::rows::{Block, Rows};
use novikoff::schema::Schema;

use crate::rows::HeldRows;

/// How many rows are looked at, spread over those that are held,
const ROWS: usize = 2000;

/// and how many values.
const VALUES: usize = 1 << 21;

/// Fewer values than this say nothing.
const LEAST: usize = 100;

/// A group has at least this many values, as many that differ,
const IN_GROUP: usize = 20;

/// and this share of the rows.
const SHARE: f64 = 0.05;

/// The gap between the logarithms of both groups is at least this,
const GAP: f64 = 0.2;

/// and this many times the largest within the inner part of a group.
const TIMES_WIDEST: f64 = 3.0;

/// What is not looked at on either side of a group for its widest gap: 1 value of this many.
const OUTER: usize = 10;

/// How far the factor may be from that of the conversion, in standard errors, and beyond these.
const ERRORS: f64 = 3.0;
const BEYOND: f64 = 0.02;

/// How far the distribution functions of both groups may be from each other: beyond that of chance at 1 in 100,
const BY_CHANCE: f64 = 1.63;

/// by this, for numbers that are rounded.
const ROUNDED: f64 = 0.05;

/// How many columns are named.
const NAMED: usize = 3;

/// What is worth saying of the numbers of a table whose rows are all held.
pub(super) fn remarks(held: &HeldRows) -> Vec<Remark> {
    let rows = held.len();
    let values: usize = held.blocks().map(|block| block.values()).sum();
    let fit = (VALUES as f64 / values.max(1) as f64 * rows as f64) as usize;
    let wanted = rows.min(ROWS).min(fit);
    let some = (0..wanted).map(|k| held.at(k * rows / wanted));
    let looked = Looked {
        rows: wanted as u64,
        is_first: wanted == rows,
    };
    of_rows(some, &held.schema, looked)
}

/// What is worth saying of the numbers in the first rows of a table.
pub(crate) fn of_first(rows: &Rows, schema: &Schema) -> Vec<Remark> {
    let looked = Looked {
        rows: rows.len() as u64,
        is_first: true,
    };
    of_rows(
        (0..rows.len()).map(|row| (rows.view(), row)),
        schema,
        looked,
    )
}

/// What is worth saying of labels that are quantities.
pub(super) fn of_labels(labels: &[f64]) -> Option<Remark> {
    let wanted = labels.len().min(ROWS);
    let some = (0..wanted).map(|k| labels[k * labels.len() / wanted].abs() as f32);
    let sizes = some.filter(|size| *size > 0.0).collect();
    let looked = Looked {
        rows: wanted as u64,
        is_first: wanted == labels.len(),
    };
    two_units(sizes, None, looked).map(Remark::Unit)
}

fn of_rows<'b>(
    rows: impl Iterator<Item = (Block<'b>, usize)>,
    schema: &Schema,
    looked: Looked,
) -> Vec<Remark> {
    let is_named = schema.table.is_some() && schema.names.bits().is_none();
    let Some(slots) = schema.numbers().filter(|_| is_named) else {
        return Vec::new();
    };
    let width = slots.last().map_or(0, |&slot| slot as usize + 1);
    let mut places = vec![None; width];
    for (place, &slot) in slots.iter().enumerate() {
        places[slot as usize] = Some(place);
    }
    // a mean that stands for missing cells would lie between the groups
    let columns = schema.table.iter().flat_map(|table| &table.columns);
    let mut means = vec![None; slots.len()];
    for column in columns {
        let slot = column
            .number()
            .and_then(|name| schema.names.slot(name.as_bytes()));
        let place = slot.and_then(|slot| places.get(slot as usize).copied().flatten());
        if let Some(place) = place {
            means[place] = column.mean;
        }
    }
    let mut sizes = vec![Vec::new(); slots.len()];
    for (block, row) in rows {
        for (slot, value) in block.row(row).iter() {
            let place = places.get(slot).copied().flatten();
            let is_given = |place: &usize| value != 0.0 && means[*place] != Some(value as f32);
            if let Some(place) = place.filter(is_given) {
                sizes[place].push(value.abs() as f32);
            }
        }
    }
    let columns = slots.iter().zip(sizes);
    let found = columns.filter_map(|(&slot, sizes)| {
        let column = schema.names.name(slot)?.to_owned();
        two_units(sizes, Some(column), looked).map(Remark::Unit)
    });
    found.take(NAMED).collect()
}

/// One of two groups: the sizes of its values, which rise.
struct Group<'a> {
    sizes: &'a [f32],
    logarithms: Vec<f64>,
}

impl<'a> Group<'a> {
    fn of(sizes: &'a [f32]) -> Self {
        let logarithms = sizes.iter().map(|&size| libm::log(f64::from(size)));
        Group {
            sizes,
            logarithms: logarithms.collect(),
        }
    }

    fn len(&self) -> f64 {
        self.sizes.len() as f64
    }

    /// The logarithm below which this many tenths of all are.
    fn tenth(&self, tenths: usize) -> f64 {
        self.logarithms[(self.logarithms.len() - 1) * tenths / 10]
    }

    fn has_many(&self) -> bool {
        let steps = self.sizes.windows(2).filter(|pair| pair[0] < pair[1]);
        steps.count() + 1 >= IN_GROUP
    }

    /// The widest gap within, without the outer values.
    fn widest(&self) -> f64 {
        let outer = self.logarithms.len() / OUTER;
        let inner = &self.logarithms[outer..self.logarithms.len() - outer];
        let gaps = inner.windows(2).map(|pair| pair[1] - pair[0]);
        gaps.fold(0.0, f64::max)
    }

    /// An estimate of the standard deviation.
    fn spread(&self) -> f64 {
        (self.tenth(9) - self.tenth(1)) / 2.56
    }

    /// Whether these look like codes of one length: whole numbers of as many digits from nearly the first to nearly the last.
    fn are_codes(&self) -> bool {
        let (Some(&least), Some(&most)) = (self.sizes.first(), self.sizes.last()) else {
            return false;
        };
        let first = libm::exp10(libm::floor(libm::log10(f64::from(least))));
        let last = 10.0 * first;
        self.sizes.iter().all(|size| size.fract() == 0.0)
            && f64::from(least) < 1.5 * first
            && (0.9 * last..last).contains(&f64::from(most))
    }
}

/// What is worth saying of the sizes of the values of a column, other than 0.
fn two_units(mut sizes: Vec<f32>, column: Option<String>, looked: Looked) -> Option<UnitRemark> {
    if sizes.len() < LEAST {
        return None;
    }
    sizes.sort_unstable_by(f32::total_cmp);
    let least = IN_GROUP.max((SHARE * looked.rows as f64).ceil() as usize);
    // the first value of the upper group: the widest gap is above the one before
    let ratio = |at: usize| f64::from(sizes[at]) / f64::from(sizes[at - 1]);
    let places = least..(sizes.len() + 1).saturating_sub(least);
    let at = places.reduce(|a, b| if ratio(b) > ratio(a) { b } else { a })?;
    let gap = libm::log(ratio(at));
    let (below, above) = sizes.split_at(at);
    if gap < GAP {
        return None;
    }
    let (below, above) = (Group::of(below), Group::of(above));
    let is_wide = gap >= TIMES_WIDEST * below.widest().max(above.widest());
    if !is_wide
        || !below.has_many()
        || !above.has_many()
        || (below.are_codes() && above.are_codes())
    {
        return None;
    }
    let conversion = conversion(&below, &above)?;
    let range = |group: &Group<'_>| Range {
        rows: group.sizes.len() as u64,
        least: f64::from(group.sizes[0]),
        most: f64::from(group.sizes[group.sizes.len() - 1]),
    };
    Some(UnitRemark::Two {
        column,
        conversion,
        below: range(&below),
        above: range(&above),
        looked,
    })
}

/// The usual conversion that makes one group of the other.
fn conversion(below: &Group<'_>, above: &Group<'_>) -> Option<Conversion> {
    let tenths = (1..10).map(|tenth| above.tenth(tenth) - below.tenth(tenth));
    let shift = tenths.sum::<f64>() / 9.0;
    let by_chance = (1.0 / below.len() + 1.0 / above.len()).sqrt();
    let error = by_chance * below.spread().max(above.spread());
    let away = |conversion: &Conversion| (libm::log(conversion.times) - shift).abs();
    let usual = Conversion::ALL
        .into_iter()
        .filter(|conversion| conversion.plus == 0.0);
    let nearest = usual.min_by(|a, b| away(a).total_cmp(&away(b)))?;
    let is_near = away(&nearest) <= ERRORS * error + BEYOND;
    let by = libm::log(nearest.times);
    (is_near && distance(below, above, by) <= BY_CHANCE * by_chance + ROUNDED).then_some(nearest)
}

/// The largest distance between the distribution functions of both groups, the lower one moved up by the logarithm of a factor.
fn distance(below: &Group<'_>, above: &Group<'_>, by: f64) -> f64 {
    let (mut largest, mut passed) = (0.0_f64, 0);
    for (place, logarithm) in below.logarithms.iter().enumerate() {
        // a little more, for numbers that are rounded to f32
        let moved = logarithm + by + 1e-6;
        let more = above.logarithms[passed..].iter();
        passed += more.take_while(|other| **other <= moved).count();
        let is_last = below.logarithms.get(place + 1) != Some(logarithm);
        if is_last {
            let shares = (place + 1) as f64 / below.len() - passed as f64 / above.len();
            largest = largest.max(shares.abs());
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use novikoff::random::SplitMix64;
    use novikoff::remark::{Looked, UnitRemark};

    use super::two_units;

    fn normal(random: &mut SplitMix64) -> f64 {
        (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0
    }

    /// The factor that is found between values.
    fn factor(value: impl Fn(&mut SplitMix64) -> f64, rows: usize) -> Option<f64> {
        let mut random = SplitMix64::new(3);
        let sizes = (0..rows).map(|_| value(&mut random) as f32).collect();
        let looked = Looked {
            rows: rows as u64,
            is_first: true,
        };
        let found = two_units(sizes, Some("a".to_owned()), looked);
        match found? {
            UnitRemark::Two { conversion, .. } => Some(conversion.times),
            other => panic!("{other}"),
        }
    }

    /// Values of a measure, with a share in another unit.
    fn mixed(spread: f64, share: f64, times: f64, rows: usize) -> Option<f64> {
        let value = |random: &mut SplitMix64| {
            let value = libm::exp(spread * normal(random));
            if random.uniform() < share {
                times * value
            } else {
                value
            }
        };
        factor(value, rows)
    }

    #[test]
    fn two_units_are_found() {
        assert_eq!(mixed(0.7, 0.25, 1000.0, 2000), Some(1000.0));
        assert_eq!(mixed(0.7, 0.75, 1000.0, 300), Some(1000.0));
        assert_eq!(mixed(0.4, 0.1, 60.0, 1000), Some(60.0));
        assert_eq!(mixed(0.06, 0.3, 2.54, 1000), Some(2.54));
        assert_eq!(mixed(0.1, 0.3, 1010.0, 1000), Some(1000.0));
    }

    #[test]
    fn other_groups_are_none() {
        // no gap, too few, another factor
        assert_eq!(mixed(1.6, 0.25, 1000.0, 2000), None);
        assert_eq!(mixed(0.7, 0.02, 1000.0, 2000), None);
        assert_eq!(mixed(0.7, 0.25, 1000.0, 90), None);
        assert_eq!(mixed(0.4, 0.3, 170.0, 2000), None);
        // another spread
        let values = |random: &mut SplitMix64| {
            let (normal, is_large) = (normal(random), random.uniform() < 0.3);
            libm::exp(if is_large {
                6.9 + 0.2 * normal
            } else {
                0.8 * normal
            })
        };
        assert_eq!(factor(values, 2000), None);
        // codes of two lengths
        let codes = |random: &mut SplitMix64| {
            let unit = [10, 10_000][random.below(2)];
            (unit + random.below(9 * unit)) as f64
        };
        assert_eq!(factor(codes, 2000), None);
        // amounts in steps
        let steps = |random: &mut SplitMix64| [1.0, 2.0, 1000.0, 2000.0][random.below(4)];
        assert_eq!(factor(steps, 2000), None);
    }
}
