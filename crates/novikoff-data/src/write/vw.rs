//! Rows as VW text.
