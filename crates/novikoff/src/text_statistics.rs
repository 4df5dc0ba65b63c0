//! How many rows have a word: what the weights of words need to know of the rows before.

/// Per column of text how many rows were met, and per word how many of them have it. A word is known by its slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextStatistics {
    /// The columns, and the rows met of each.
    columns: Vec<(String, u64)>,
    /// How many rows have the word of each slot; slots past the end have none.
    having: Vec<u32>,
}

impl TextStatistics {
    /// The statistics that were kept: rows per column, and per slot the rows that have its word.
    pub fn restore(columns: Vec<(String, u64)>, having: Vec<u32>) -> Self {
        TextStatistics { columns, having }
    }

    /// True if no column of text was met.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The columns, and the rows met of each.
    pub fn columns(&self) -> &[(String, u64)] {
        &self.columns
    }

    /// How many rows have the word of each slot.
    pub fn having(&self) -> &[u32] {
        &self.having
    }

    /// How many rows of a column were met.
    pub fn rows(&self, column: &str) -> u64 {
        let found = self.columns.iter().find(|(name, _)| name == column);
        found.map_or(0, |&(_, rows)| rows)
    }

    /// More rows of a column were met. Gives how many there are now.
    pub fn count_rows(&mut self, column: &str, more: u64) -> u64 {
        let at = self.columns.iter().position(|(name, _)| name == column);
        let at = at.unwrap_or_else(|| {
            self.columns.push((column.to_owned(), 0));
            self.columns.len() - 1
        });
        let rows = &mut self.columns[at].1;
        *rows = rows.saturating_add(more);
        *rows
    }

    /// More rows have the word of a slot.
    pub fn count_word(&mut self, slot: u32, more: u32) {
        if more == 0 {
            return;
        }
        let slot = slot as usize;
        if slot >= self.having.len() {
            self.having.resize(slot + 1, 0);
        }
        self.having[slot] = self.having[slot].saturating_add(more);
    }

    /// Adds the statistics of other rows whose words have the same slots.
    pub fn add(&mut self, other: &TextStatistics) {
        for (column, rows) in &other.columns {
            self.count_rows(column, *rows);
        }
        for (slot, &having) in (0..).zip(&other.having) {
            self.count_word(slot, having);
        }
    }

    /// The inverse document frequency of a word, among `rows` rows: `ln((1 + rows) / (1 + rows that have it)) + 1`.
    ///
    /// Columns share slots where slots are hashes. A word that then has more rows than its column counts as being in all of them.
    pub fn weight(&self, slot: u32, rows: u64) -> f64 {
        let having = self.having.get(slot as usize).copied().unwrap_or(0);
        let having = u64::from(having).min(rows);
        libm::log((1.0 + rows as f64) / (1.0 + having as f64)) + 1.0
    }

    /// Bytes of memory that slots up to this one take.
    pub fn bytes(slot: u32) -> u64 {
        // a vector that grows has room for twice as many
        8 * (u64::from(slot) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::TextStatistics;

    #[test]
    fn weights_are_those_of_the_definition() {
        let mut counts = TextStatistics::default();
        assert_eq!(counts.weight(7, 0), 1.0);
        for _ in 0..9 {
            counts.count_rows("body", 1);
        }
        counts.count_word(7, 3);
        counts.count_word(2, 9);
        let rows = counts.rows("body");
        assert_eq!(counts.weight(7, rows), libm::log(10.0 / 4.0) + 1.0);
        assert_eq!(counts.weight(2, rows), 1.0);
        assert_eq!(counts.weight(100, rows), libm::log(10.0) + 1.0);
        assert_eq!(counts.weight(2, 4), 1.0, "no more rows than there are");
    }

    #[test]
    fn statistics_of_two_halves_are_those_of_the_whole() {
        let count = |rows: std::ops::Range<u32>| {
            let mut counts = TextStatistics::default();
            for row in rows {
                counts.count_rows(if row % 3 == 0 { "a" } else { "b" }, 1);
                counts.count_word(row % 5, 1);
            }
            counts
        };
        let mut halves = count(0..50);
        halves.add(&count(50..100));
        assert_eq!(halves, count(0..100));
    }
}
