//! Rows as a table of text.
