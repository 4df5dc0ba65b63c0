//! Where labels beside the ends of lines go, so that none covers another.

/// Places for labels that should be at `wanted`, in any order: at least `gap` apart, between `from` and `to` where there is room for all, and
/// in the order of what was wanted.
pub(crate) fn spread(wanted: &[i32], gap: i32, (from, to): (i32, i32)) -> Vec<i32> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&i| wanted[i]);
    let room = (to - from) / (wanted.len().max(2) as i32 - 1);
    let gap = gap.min(room.max(1));
    let mut places = vec![0; wanted.len()];
    let mut least = from;
    for &i in &order {
        places[i] = wanted[i].max(least);
        least = places[i] + gap;
    }
    let mut most = to;
    for &i in order.iter().rev() {
        places[i] = places[i].min(most);
        most = places[i] - gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance_and_their_order() {
        assert_eq!(spread(&[50, 10, 90], 12, (0, 100)), [50, 10, 90]);
        assert_eq!(spread(&[50, 50, 51], 12, (0, 100)), [50, 62, 74]);
        assert_eq!(spread(&[100, 99, 98], 12, (0, 100)), [100, 88, 76]);
        assert_eq!(
            spread(&[7; 26], 12, (0, 100))[25],
            100,
            "less room than wanted"
        );
        assert_eq!(spread(&[], 12, (0, 100)), Vec::<i32>::new());
        assert_eq!(spread(&[500], 12, (0, 100)), [100]);
    }
}
