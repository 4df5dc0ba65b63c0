//! How wide the screen is that texts are shown on.

use std::io::{stderr, stdout};
use std::os::fd::AsFd;

use novikoff_report::Width;
use terminal_size::terminal_size_of;

/// Narrower screens are taken for this wide.
const LEAST: usize = 20;

/// The width of stdout: what COLUMNS says, else that of the terminal, if it is one.
pub(crate) fn width() -> Width {
    of_environment().or_else(|| of_terminal(&stdout()))
}

/// The width of stderr.
pub(crate) fn width_of_progress() -> Width {
    of_environment().or_else(|| of_terminal(&stderr()))
}

fn of_terminal(stream: &impl AsFd) -> Width {
    // none if it is no terminal
    let (width, _) = terminal_size_of(stream)?;
    Some(usize::from(width.0).max(LEAST))
}

fn of_environment() -> Width {
    let columns = std::env::var("COLUMNS").ok()?;
    let columns: usize = columns.trim().parse().ok()?;
    (columns > 0).then_some(columns.max(LEAST))
}

/// A cell of a line of progress.
pub(crate) struct Cell {
    pub(crate) text: String,
    /// Characters that it takes; it is aligned right.
    pub(crate) width: usize,
    /// Cells of higher ranks are left out first on a narrow screen; rank 0 never is.
    pub(crate) rank: u8,
}

/// Cells side by side, as many as the screen has room for.
pub(crate) fn line(cells: &[Cell], width: Width) -> String {
    let mut highest = cells.iter().map(|cell| cell.rank).max().unwrap_or(0);
    let shown = |highest: u8| cells.iter().filter(move |cell| cell.rank <= highest);
    let taken = |highest: u8| shown(highest).map(|cell| cell.width + 1).sum::<usize>();
    while highest > 0 && width.is_some_and(|most| taken(highest) > most + 1) {
        highest -= 1;
    }
    let cells: Vec<String> = shown(highest)
        .map(|cell| format!("{:>1$}", cell.text, cell.width))
        .collect();
    cells.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Cell, line};

    #[test]
    fn a_narrow_screen_has_fewer_cells() {
        let cell = |text: &str, rank| Cell {
            text: text.to_owned(),
            width: 5,
            rank,
        };
        let cells = [cell("a", 0), cell("b", 2), cell("c", 1), cell("d", 0)];
        assert_eq!(line(&cells, None), "    a     b     c     d");
        assert_eq!(line(&cells, Some(23)), "    a     b     c     d");
        assert_eq!(line(&cells, Some(22)), "    a     c     d");
        assert_eq!(line(&cells, Some(3)), "    a     d");
    }
}
