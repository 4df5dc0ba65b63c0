//! Colours by what they are for. People who see few colours can distinguish the first five of a series, on paper
//! and on black.

/// What a colour is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// What is read first.
    Text,
    /// Axes and the numbers beside them.
    Axis,
    /// Lines of the grid.
    Grid,
    /// The ground.
    Paper,
    /// Curves that share one colour.
    Faint,
    /// Curves with a colour each, from 0.
    Series(usize),
}

/// How many curves have colours of their own.
pub(crate) const SERIES: usize = 5;

/// Right answers.
pub(crate) const RIGHT: Ink = Ink::Series(0);

/// Wrong ones.
pub(crate) const WRONG: Ink = Ink::Series(1);

type Rgb = (u8, u8, u8);

const ALL: [(Ink, &str, Rgb); 10] = [
    (Ink::Text, "text", (0x1b, 0x1f, 0x24)),
    (Ink::Axis, "axis", (0x57, 0x60, 0x6a)),
    (Ink::Grid, "grid", (0xe3, 0xe7, 0xec)),
    (Ink::Paper, "paper", (0xff, 0xff, 0xff)),
    (Ink::Faint, "faint", (0xa3, 0xac, 0xb6)),
    (Ink::Series(0), "s0", (0x0b, 0x62, 0xa8)),
    (Ink::Series(1), "s1", (0xc2, 0x41, 0x0c)),
    (Ink::Series(2), "s2", (0x00, 0x79, 0x5c)),
    (Ink::Series(3), "s3", (0x8e, 0x3b, 0x8a)),
    (Ink::Series(4), "s4", (0x8a, 0x6a, 0x00)),
];

impl Ink {
    fn place(self) -> usize {
        let found = ALL.iter().position(|(ink, _, _)| *ink == self);
        found.unwrap_or(0)
    }

    /// Its name in the page's style.
    pub(crate) fn name(self) -> &'static str {
        ALL[self.place()].1
    }

    /// On white.
    pub(crate) fn on_paper(self) -> Rgb {
        ALL[self.place()].2
    }

    /// A colour that stands for it until it is known where it will be seen.
    pub(crate) fn mark(self, dashed: bool) -> Rgb {
        (1, 1 + u8::from(dashed), self.place() as u8)
    }

    pub(crate) fn all() -> impl Iterator<Item = Ink> {
        ALL.iter().map(|(ink, _, _)| *ink)
    }
}

/// As SVG writes it.
pub(crate) fn hex((r, g, b): Rgb) -> String {
    format!("#{r:02X}{g:02X}{b:02X}")
}
