//! Aligned tables.

use comfy_table::{CellAlignment, ContentArrangement, presets};

/// A table whose first columns are words and whose others are numbers.
pub struct TextTable {
    table: comfy_table::Table,
}

impl TextTable {
    /// A table with these headings; those that start with `>` are of numbers, aligned right.
    pub fn new(headings: &[&str]) -> Self {
        let mut table = comfy_table::Table::new();
        table
            .load_style(presets::ASCII_MARKDOWN)
            .set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(headings.iter().map(|h| h.trim_start_matches('>')));
        for (column, heading) in table.column_iter_mut().zip(headings) {
            if heading.starts_with('>') {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        TextTable { table }
    }

    /// Adds a line.
    pub fn row(&mut self, cells: Vec<String>) {
        self.table.add_row(cells);
    }

    /// The table as text, one line per row.
    pub fn text(&self) -> String {
        let lines = self
            .table
            .lines()
            .map(|line| line.trim_end().to_owned() + "\n");
        lines.collect()
    }
}
