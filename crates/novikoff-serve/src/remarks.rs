//! What a person should know of the rows that a model has learned: the remarks of its description.

use std::collections::HashMap;

use novikoff::model::Model;

use crate::api::RemarkBody;

/// The least number of distinct values that ids have, as in the command.
const DISTINCT: u64 = 100;

/// What was found out of a model when it was looked at last: a look goes through all of its names.
#[derive(Default)]
pub struct Remarks {
    /// Its rows at that time.
    rows: Option<u64>,
    list: Vec<RemarkBody>,
}

impl Remarks {
    /// Whether a model with this many rows is to be looked at: it has an eighth more.
    pub fn is_old(&self, rows: u64) -> bool {
        self.rows.is_none_or(|then| rows > then + then / 8)
    }

    /// Looks at a model.
    pub fn look_at(&mut self, model: &Model) {
        self.rows = Some(model.totals().trials);
        self.list = look(model);
    }

    /// What was found.
    pub fn list(&self) -> &[RemarkBody] {
        &self.list
    }
}

/// Fields of strings whose values are mostly distinct.
fn look(model: &Model) -> Vec<RemarkBody> {
    let rows = model.totals().trials;
    let mut fields: HashMap<&str, u64> = HashMap::new();
    for (_, name) in model.names().iter() {
        // words of text are `field^word`
        let field = name.split_once('=').map(|(field, _)| field);
        if let Some(field) = field.filter(|field| !field.contains('^')) {
            *fields.entry(field).or_default() += 1;
        }
    }
    let looks_odd = |&(_, values): &(&str, u64)| values >= DISTINCT && 2 * values > rows;
    let mut odd: Vec<(&str, u64)> = fields.into_iter().filter(looks_odd).collect();
    odd.sort_unstable();
    let remarks = odd.into_iter().map(|(field, values)| RemarkBody {
        kind: "ids",
        text: format!(
            "field {field:.80} has {values} distinct strings in {rows} rows, which look like ids or text: each is a category that no other row has; make the model with the option \"text\": [\"{field:.80}\"] to learn from words, or send an array of words, or leave the field out"
        ),
    });
    remarks.collect()
}
