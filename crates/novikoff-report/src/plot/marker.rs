//! Signs that tell lines apart where colours do not: on paper, and for people who see few colours.

/// A sign of about the height of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
}

const ALL: [Marker; 5] = [
    Marker::Circle,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::Cross,
];

impl Marker {
    /// The sign of a curve by its place, if `colours` colours take turns: the first 5 times as many curves have pairs of colour and sign of
    /// their own, and curves of neighbouring places differ in both.
    pub(crate) fn of(place: usize, colours: usize) -> Self {
        ALL[(place + place / colours) % ALL.len()]
    }

    /// Corners around a centre, for a sign that reaches this far from it; none of a circle.
    pub(crate) fn corners(self, (x, y): (i32, i32), reach: i32) -> Vec<(i32, i32)> {
        let (near, thin) = (reach * 7 / 8, reach / 3);
        let corners: &[(i32, i32)] = match self {
            Marker::Circle => &[],
            Marker::Square => &[(-near, -near), (near, -near), (near, near), (-near, near)],
            Marker::Triangle => &[(0, -reach), (reach, near), (-reach, near)],
            Marker::Diamond => &[(0, -reach), (reach, 0), (0, reach), (-reach, 0)],
            Marker::Cross => &[
                (-thin, -reach),
                (thin, -reach),
                (thin, -thin),
                (reach, -thin),
                (reach, thin),
                (thin, thin),
                (thin, reach),
                (-thin, reach),
                (-thin, thin),
                (-reach, thin),
                (-reach, -thin),
                (-thin, -thin),
            ],
        };
        corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_five_curves_have_pairs_of_their_own() {
        let pair = |place: usize| (place % 5, Marker::of(place, 5));
        for a in 0..25 {
            for b in 0..a {
                assert_ne!(pair(a), pair(b), "{a} and {b}");
            }
            assert_ne!(Marker::of(a, 5), Marker::of(a + 1, 5), "{a}");
        }
    }
}
