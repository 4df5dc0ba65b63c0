use super::Rows;
use crate::random::SplitMix64;

#[test]
fn what_is_cut_off_leaves_no_trace() {
    let build = |count: u32| {
        let mut rows = Rows::new();
        for k in 0..count {
            rows.push_label(f64::from(k), &[b'a'; 3][..k as usize % 4]);
            rows.set_weight(if k % 2 == 0 { 1.0 } else { 2.0 });
            for slot in 1..=k {
                rows.push(slot, 1.0);
            }
            rows.end_row(u64::from(2 * k));
        }
        rows
    };
    for kept in 0..=5 {
        let (mut cut, short) = (build(5), build(kept));
        cut.push(1, 1.0); // begun, not ended
        cut.truncate(kept as usize);
        let (cut, short) = (cut.view(), short.view());
        assert_eq!((cut.ends, cut.index), (short.ends, short.index));
        assert_eq!((cut.value, cut.lines), (short.value, short.lines));
        assert_eq!((cut.text, cut.text_ends), (short.text, short.text_ends));
        assert_eq!(cut.label_number, short.label_number);
        for i in 0..cut.len() {
            assert_eq!(cut.weight(i), short.weight(i));
        }
    }
}

#[test]
fn merged_values_are_those_pushed_together() {
    let mut random = SplitMix64::new(7);
    for _ in 0..200 {
        let (mut merged, mut together) = (Rows::new(), Rows::new());
        let (mut ends, mut index, mut value) = (Vec::new(), Vec::new(), Vec::new());
        for line in 0..random.below(6) as u64 {
            for slot in (1..30).filter(|_| random.below(3) == 0).collect::<Vec<_>>() {
                let own = random.below(9) as f32 - 4.0;
                merged.push(slot, own);
                together.push_any(slot, own);
            }
            let wide = 1 + random.below(40) as u32;
            for slot in (1..wide)
                .filter(|_| random.below(2) == 0)
                .collect::<Vec<_>>()
            {
                let more = 1.0 + random.below(4) as f32;
                index.push(slot);
                value.push(more);
                together.push_any(slot, more);
            }
            ends.push(index.len() as u64);
            merged.end_row(line);
            together.end_row(line);
        }
        merged.merge(&ends, &index, &value);
        let (merged, together) = (merged.view(), together.view());
        assert_eq!(merged.ends, together.ends);
        assert_eq!(merged.index, together.index);
        assert_eq!(merged.value, together.value);
        assert_eq!(merged.width, together.width);
    }
}

#[test]
fn many_at_once_are_the_same_as_one_by_one() {
    let mut random = SplitMix64::new(1);
    let (mut once, mut one) = (Rows::new(), Rows::new());
    for line in 0..2000 {
        if random.below(2) == 0 {
            once.push(0, 1.0);
            one.push(0, 1.0);
        }
        for _ in 0..random.below(4) {
            let width = [4, 300, 100_000][random.below(3)];
            let mut slots: Vec<u32> = Vec::new();
            slots.resize_with(random.below(30), || 1 + random.below(width) as u32);
            if random.below(2) == 0 {
                slots.sort_unstable();
            }
            let values: Vec<f32> = slots.iter().map(|slot| (slot % 5) as f32).collect();
            once.push_any_many(&slots, &values);
            for (&slot, &value) in slots.iter().zip(&values) {
                one.push_any(slot, value);
            }
        }
        once.end_row(line);
        one.end_row(line);
    }
    assert_eq!(once.view().index, one.view().index);
    assert_eq!(once.view().value, one.view().value);
    assert_eq!(once.view().ends, one.view().ends);
    assert_eq!(once.width(), one.width());
    for i in 0..once.len() {
        let slots: Vec<usize> = once.row(i).iter().map(|(slot, _)| slot).collect();
        assert!(slots.is_sorted_by(|a, b| a < b), "row {i}");
    }
}

/// Rows that follow one another in a table or in a list of words: dense, with the same gaps or not, sparse, empty.
fn push_row(rows: &mut Rows, random: &mut SplitMix64, kind: usize, line: u64) {
    let wide = 12;
    let slots: Vec<u32> = match kind {
        0 => (0..wide).collect(),
        1 => (1..wide).filter(|slot| slot % 3 != 0).collect(),
        2 => (1..wide).filter(|_| random.below(8) > 0).collect(),
        3 => (1..500).filter(|_| random.below(50) == 0).collect(),
        _ => Vec::new(),
    };
    for slot in slots {
        rows.push(slot, 1.0 + random.below(9) as f32);
    }
    for label in 0..random.below(3) {
        rows.push_label(label as f64, &[b'a'; 3][..label]);
    }
    if random.below(4) == 0 {
        rows.set_weight(random.below(3) as f32);
    }
    rows.set_id(&[b'i'; 8][..random.below(8)]);
    rows.end_row(line);
}

/// Rows whose slots lie beside their values, and the same rows put together from blocks.
fn plain_and_kept(random: &mut SplitMix64) -> (Rows, Rows) {
    let (mut plain, mut kept, mut block) = (Rows::new(), Rows::new(), Rows::new());
    let mut line = 0;
    for _ in 0..random.below(6) {
        block.clear();
        let (first, usual) = (line, random.below(5));
        for _ in 0..random.below(40) {
            let kind = if random.below(10) == 0 {
                random.below(5)
            } else {
                usual
            };
            let mut twin = random.clone();
            push_row(&mut plain, &mut twin, kind, line);
            push_row(&mut block, random, kind, line - first);
            line += 1;
        }
        kept.append(block.view(), first);
    }
    (plain, kept)
}

/// Whether the rows are the same, though their slots may be kept otherwise.
fn are_same(plain: &Rows, kept: &Rows) {
    assert!(plain.slots_at.is_empty());
    let (a, b) = (plain.view(), kept.view());
    assert_eq!((a.ends, a.value), (b.ends, b.value));
    assert_eq!(a.index, &*b.slots_of_values());
    assert_eq!(
        (a.label_ends, a.label_number),
        (b.label_ends, b.label_number)
    );
    assert_eq!((a.text_ends, a.text), (b.text_ends, b.text));
    assert_eq!((a.id_ends, a.ids), (b.id_ends, b.ids));
    assert_eq!((a.lines, a.width), (b.lines, b.width));
    for i in 0..a.len() {
        assert_eq!(a.weight(i), b.weight(i), "row {i}");
        assert_eq!((a.slots(i), a.values_of(i)), (b.slots(i), b.values_of(i)));
        assert!(a.row(i).iter().eq(b.row(i).iter()), "row {i}");
    }

    assert!(b.slots_at.is_empty() || b.slots_at.len() == b.len());
}

#[test]
fn shared_slots_are_those_of_plain_rows() {
    let mut random = SplitMix64::new(11);
    let (mut shared, mut fewer) = (0, 0);
    for _ in 0..400 {
        let (mut plain, mut kept) = plain_and_kept(&mut random);
        are_same(&plain, &kept);
        shared += usize::from(!kept.slots_at.is_empty());
        fewer += usize::from(kept.index.len() < kept.value.len());
        // whatever may be done to rows, one after another
        for _ in 0..6 {
            let line = plain.len() as u64;
            match random.below(8) {
                7 => kept.share_repeated_slots(),
                0 => {
                    let rows = random.below(plain.len() + 1);
                    for rows_of in [&mut plain, &mut kept] {
                        rows_of.push(3, 1.0);
                        rows_of.truncate(rows);
                    }
                }
                1 => {
                    for rows in [&mut plain, &mut kept] {
                        rows.push(500, 1.0);
                        rows.abandon_row();
                        rows.forget_zeros();
                    }
                }
                2 => {
                    let (mut ends, mut index, mut value) = (Vec::new(), Vec::new(), Vec::new());
                    for _ in 0..line {
                        index.extend((0..14).filter(|_| random.below(9) == 0));
                        value.resize(index.len(), 1.0);
                        ends.push(index.len() as u64);
                    }
                    plain.merge(&ends, &index, &value);
                    kept.merge(&ends, &index, &value);
                }
                3 => {
                    let slots: Vec<u32> = (0..random.below(20))
                        .map(|_| random.below(9) as u32)
                        .collect();
                    for rows in [&mut plain, &mut kept] {
                        rows.set_id(b"");
                        for &slot in &slots {
                            rows.push_any(slot, 1.0);
                        }
                        rows.push_any_many(&slots, &vec![2.0; slots.len()]);
                        rows.end_row(line);
                    }
                }
                4 => {
                    let (mut copy, mut other) = (Rows::new(), Rows::new());
                    for i in 0..random.below(plain.len() + 1) {
                        copy.copy_row(plain.view(), i);
                        other.copy_row(kept.view(), i);
                    }
                    assert!(other.index.len() <= copy.index.len());
                    (plain, kept) = (copy, other);
                }
                5 => {
                    let kind = random.below(5);
                    let mut twin = random.clone();
                    push_row(&mut plain, &mut twin, kind, line);
                    push_row(&mut kept, &mut random, kind, line);
                }
                _ => {
                    // behind others, in either form
                    let (mut more, other) = plain_and_kept(&mut random);
                    let rows = more.len();
                    for i in 0..plain.len() {
                        more.copy_row(plain.view(), i);
                    }
                    let mut both = other;
                    both.append(kept.view(), 0);
                    assert_eq!(both.len(), rows + plain.len());
                    // rows that were cut off count for the width of a block
                    more.forget_zeros();
                    both.forget_zeros();
                    (plain, kept) = (more, both);
                }
            }
            are_same(&plain, &kept);
        }
    }
    assert!(
        shared > 100 && shared < 400 && fewer > 100,
        "{shared} {fewer}"
    );
}

#[test]
fn a_dense_table_takes_half_and_others_what_they_took() {
    let mut random = SplitMix64::new(3);
    for (kind, is_shared) in [(0, true), (1, true), (3, false), (4, false)] {
        let (mut block, mut kept) = (Rows::new(), Rows::new());
        for line in 0..1000 {
            push_row(&mut block, &mut random, kind, line);
        }
        (0..3).for_each(|_| kept.append(block.view(), 0));
        assert_eq!(kept.slots_at.is_empty(), !is_shared, "{kind}");
        let slots = if is_shared {
            block.row(0).len()
        } else {
            kept.values()
        };
        assert_eq!(kept.index.len(), slots, "{kind}");
    }
}

#[test]
fn rows_that_repeat_now_and_then_share_nothing() {
    for (repeats, is_shared) in [(0, false), (1, false), (3, true), (4, true)] {
        let (mut block, mut kept, mut first) = (Rows::new(), Rows::new(), 0);
        for line in 0..1000 {
            // this many of four neighbours have the slots of the row before
            first += u32::from(line % 4 >= repeats);
            (first..first + 20).for_each(|slot| block.push(slot, 1.0));
            block.end_row(line);
        }
        kept.append(block.view(), 0);
        assert_eq!(kept.slots_at.is_empty(), !is_shared, "{repeats}");
        block.share_repeated_slots();
        assert_eq!(block.index, kept.index, "{repeats}");
        assert_eq!(block.slots_at, kept.slots_at, "{repeats}");
    }
}
