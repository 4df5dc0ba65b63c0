//! What is known of features, by slot. Of slots without values nothing is stored.

/// What is known of a feature, which begins with nothing.
pub(crate) fn at<T: Clone + Default>(all: &mut Vec<T>, slot: u32) -> &mut T {
    let slot = slot as usize;
    if slot >= all.len() {
        all.resize(slot + 1, T::default());
    }
    &mut all[slot]
}

/// What is known of these slots alone, which increase.
pub(crate) fn only<T: Copy + Default>(all: &[T], slots: &[u32]) -> Vec<T> {
    let length = slots.last().map_or(0, |&slot| slot as usize + 1);
    let mut kept = vec![T::default(); length.min(all.len())];
    for &slot in slots {
        if let Some(kept) = kept.get_mut(slot as usize) {
            *kept = all[slot as usize];
        }
    }
    kept
}

/// What was stored, of slots that increase up to the highest; none if they do not.
pub(crate) fn restore<T: Clone + Default>(
    stored: impl Iterator<Item = (u32, T)>,
    highest: u32,
) -> Option<Vec<T>> {
    let mut all = Vec::new();
    for (slot, known) in stored {
        let is_next = slot <= highest && slot as usize >= all.len();
        *is_next.then(|| at(&mut all, slot))? = known;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::{only, restore};

    #[test]
    fn stored_slots_increase() {
        let all = restore([(1, 'a'), (3, 'b')].into_iter(), 3);
        assert_eq!(all, Some(vec!['\0', 'a', '\0', 'b']));
        assert_eq!(restore([(1, 'a'), (3, 'b')].into_iter(), 2), None);
        assert_eq!(restore([(1, 'a'), (1, 'b')].into_iter(), 3), None);
        assert_eq!(only(&['a', 'b', 'c'], &[1]), ['\0', 'b']);
        assert_eq!(only(&['a', 'b'], &[1, 9]), ['\0', 'b']);
    }
}
