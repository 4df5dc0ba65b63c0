//! What stands for the missing cells of tables, and what is worth saying of it.

use novikoff::remark::{ColumnRemark, Remark, StandIn, TableRemark};
use novikoff::schema::Schema;
use novikoff::table::{Column, ColumnKind, Missing};
use novikoff_data::gaps::Gaps;

/// A value that stands for missing cells of a standardised column is far from its mean beyond this many standard deviations.
const FAR: f64 = 3.0;

/// For a field that is not written this is fewer: the zeros of such rows have moved the mean and the deviation in training.
const FAR_UNWRITTEN: f64 = 2.0;

/// Of fewer rows than this it says little that a column is empty in all of them: it may have been so in most rows of training.
const ALL_ROWS: u64 = 100;

/// The missing cells of rows that have a schema.
pub(crate) struct Gapped<'a> {
    pub(crate) gaps: &'a Gaps,
    pub(crate) schema: &'a Schema,
    /// What missing values are.
    pub(crate) missing: Missing,
    /// The highest feature that the model knows.
    pub(crate) width: u32,
}

impl Gapped<'_> {
    fn column(&self, name: &str) -> Option<&Column> {
        self.schema.table.as_ref()?.column(name)
    }

    fn knows(&self, feature: &str) -> bool {
        let slot = self.schema.names.slot(feature.as_bytes());
        slot.is_some_and(|slot| slot <= self.width)
    }

    /// Whether the model knows that a cell of a column is missing.
    fn knows_gap(&self, column: &Column) -> bool {
        self.knows(&format!("{}=missing", column.name))
    }

    /// The columns with gaps, and how many cells.
    fn all(&self) -> impl Iterator<Item = (&Column, u64, bool)> {
        let cells = self.gaps.cells().map(|(name, cells)| (name, cells, false));
        let absent = self.gaps.absent().map(|(name, cells)| (name, cells, true));
        cells.chain(absent).filter_map(|(name, cells, absent)| {
            let column = self.column(name)?;
            Some((column, cells, absent))
        })
    }

    /// How many values of features that the model knows stand for missing cells.
    pub(crate) fn stand_ins(&self) -> u64 {
        let centres = self.schema.centres().unwrap_or_default();
        let mut values = 0;
        for (column, cells, absent) in self.all() {
            let number = column.number().filter(|name| self.knows(name));
            if let Some(name) = number {
                let centre = centres.get(&*name).copied().filter(|_| absent);
                let mean = column.mean.or(centre).unwrap_or(0.0);
                values += if mean == 0.0 { 0 } else { cells };
            }
            if self.missing == Missing::Indicator && self.knows_gap(column) {
                values += cells;
            }
        }
        values
    }

    /// How many values say that a cell is missing, which the model does not know.
    pub(crate) fn unknown_indicators(&self) -> u64 {
        if self.missing != Missing::Indicator {
            return 0;
        }
        let indicated =
            |column: &Column| column.kind != ColumnKind::Text && !self.knows_gap(column);
        let unknown = self.all().filter(|(column, ..)| indicated(column));
        unknown.map(|(_, cells, _)| cells).sum()
    }

    /// The first three of some features, less those that say that a cell is missing.
    pub(crate) fn without_indicators(&self, features: &[String]) -> Vec<String> {
        let is_gap = |feature: &String| {
            let column = feature.strip_suffix("=missing");
            column.is_some_and(|column| self.column(column).is_some())
        };
        let others = features.iter().filter(|feature| !is_gap(feature));
        others.take(3).cloned().collect()
    }

    /// Whether a row has a number that the model knows, be it 0.
    pub(crate) fn has_number(&self) -> bool {
        let columns = self.schema.table.iter().flat_map(|table| &table.columns);
        let mut numbers = columns.filter_map(|column| Some((&column.name, column.number()?)));
        numbers.any(|(name, number)| self.knows(&number) && self.gaps.has(name))
    }

    /// The columns of the model that are not there, and how many it has, if most of at least three are missing. `foreign` are those that the
    /// data has and the model has not.
    pub(crate) fn mostly_absent(&self, foreign: &[String]) -> Option<(Vec<String>, usize)> {
        let columns = self.schema.table.iter().flat_map(|table| &table.columns);
        let used = columns
            .filter(|column| column.kind != ColumnKind::Ignored && !foreign.contains(&column.name));
        let of = used.count();
        let absent = self
            .gaps
            .absent()
            .filter(|(name, _)| self.column(name).is_some());
        let absent: Vec<String> = absent.map(|(name, _)| name.to_owned()).collect();
        (absent.len() >= 3 && 2 * absent.len() > of).then_some((absent, of))
    }

    /// Standard deviations between 0 and the mean of a column, if it is standardised.
    fn deviations_of_zero(&self, column: &Column) -> Option<f64> {
        let moments = self.schema.preparation.standardize.as_deref()?;
        let slot = self.schema.names.slot(column.number()?.as_bytes())?;
        let (mean, scale) = moments.of_slot(slot)?;
        Some((mean * scale).abs())
    }

    /// Fields of numbers and dates that rows of JSON lack, where 0 is far from the mean of the others.
    pub(crate) fn far_unwritten(&self) -> Vec<Remark> {
        let mut remarks = Vec::new();
        for (name, rows) in self.gaps.unwritten() {
            let standardised = self
                .column(name)
                .and_then(|column| self.deviations_of_zero(column))
                .filter(|&far| far > FAR_UNWRITTEN);
            let written = || self.gaps.deviations_of_zero(name).filter(|&far| far > FAR);
            if let Some(deviations) = standardised.or_else(written) {
                remarks.push(Remark::Column(ColumnRemark::AbsentKeys {
                    column: name.to_owned(),
                    rows,
                    of: self.gaps.rows(),
                    deviations,
                }));
            }
        }
        remarks
    }

    /// Missing cells that are read as 0, where the column is standardised and 0 is far from its mean.
    pub(crate) fn far_from_mean(&self) -> Vec<Remark> {
        if !matches!(self.missing, Missing::Zero | Missing::Indicator) {
            return Vec::new();
        }
        let mut remarks = Vec::new();
        let columns = self.schema.table.iter().flat_map(|table| &table.columns);
        for column in columns.filter(|column| column.mean.is_none()) {
            let counted = self.gaps.cells().find(|(name, _)| *name == column.name);
            let is_gapped =
                counted.is_some() || (self.missing == Missing::Indicator && self.knows_gap(column));
            let deviations = self.deviations_of_zero(column);
            if let Some(deviations) = deviations.filter(|&far| is_gapped && far > FAR) {
                remarks.push(Remark::Table(TableRemark::FarFromMean {
                    column: column.name.clone(),
                    cells: counted.map(|(_, cells)| cells),
                    deviations,
                }));
            }
        }
        remarks
    }

    /// Missing cells of columns that had none in training, or that are missing in all rows. `foreign` are columns that the model does not know, which are
    /// remarked on as such.
    pub(crate) fn new_gaps(&self, foreign: &[String]) -> Vec<Remark> {
        let is_learned = |column: &&Column| {
            let is_known = column.number().is_none_or(|name| self.knows(&name));
            is_known && column.kind != ColumnKind::Ignored && !foreign.contains(&column.name)
        };
        let cells = self.gaps.cells();
        let gapped = cells.filter_map(|(name, cells)| {
            let column = self.column(name).filter(is_learned)?;
            Some((column, cells))
        });
        let remarks = gapped.filter_map(|(column, cells)| {
            let rows = self.gaps.rows();
            let knows_gap = self.knows_gap(column);
            // a text without words is as good as any
            let is_text = column.kind == ColumnKind::Text;
            let is_new = self.missing == Missing::Indicator && !knows_gap && !is_text;
            let mut read_as = match column.number() {
                Some(_) => column.mean.map_or(StandIn::Zero, StandIn::Mean),
                None => StandIn::Nothing,
            };
            let column = column.name.clone();
            if is_new {
                return Some(TableRemark::NewGaps {
                    column,
                    cells,
                    read_as,
                });
            }
            if knows_gap && self.missing == Missing::Indicator {
                read_as = match read_as {
                    StandIn::Mean(mean) => StandIn::MeanIndicator(mean),
                    _ => StandIn::Indicator,
                };
            }
            (rows >= ALL_ROWS && cells >= rows).then_some(TableRemark::AllGaps {
                column,
                rows,
                read_as,
            })
        });
        remarks.map(Remark::Table).collect()
    }
}
