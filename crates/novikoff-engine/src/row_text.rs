//! The options of rows as one text. It is kept with a checkpoint, and a run is resumed only with the same text.
//!
//! The text is part of the model file: it has the form of the command's first version, one option after another in a fixed order, defaults left
//! out. So a person can give it to the command, and a checkpoint can be resumed whichever door wrote it.

use novikoff::table::TextForm;
use novikoff_data::blocks::{Missing, ReadOptions};
use novikoff_data::options::Dates;

use crate::options::RowOptions;

impl RowOptions {
    /// The options that say what the rows are.
    pub fn text(&self) -> String {
        let read = &self.read;
        let mut words = Vec::new();
        if let Some(format) = read.format {
            words.push(format!("--format {}", format.name()));
        }
        if let Some(label) = &read.label {
            words.push(format!("--label {}", quote(label)));
        }
        if !read.categorical.is_empty() {
            let columns = quote(&read.categorical.join(","));
            words.push(format!("--categorical {columns}"));
        }
        if !read.text.is_empty() {
            words.push(format!("--text {}", quote(&read.text.join(","))));
        }
        if let Some(TextForm { ngrams, tfidf }) = read.text_form {
            let (least, most) = ngrams;
            words.push(format!("--ngrams {least}..{most}"));
            words.push(format!("--tfidf {}", if tfidf { "on" } else { "off" }));
        }
        if let Some(header) = read.header {
            let word = if header { "yes" } else { "no" };
            words.push(format!("--header {word}"));
        }
        if let Some(missing) = read.missing.filter(|&m| m != Missing::Refuse) {
            words.push(format!("--missing {}", missing.name()));
        }
        if read.skip_bad > 0 {
            words.push(format!("--skip-bad {}", read.skip_bad));
        }
        for (word, names) in [("drop", &read.drop), ("only", &read.only)] {
            if !names.is_empty() {
                words.push(format!("--{word} {}", quote(&names.join(","))));
            }
        }
        if let Some(dates) = read.dates.filter(|&dates| dates != Dates::default()) {
            words.push(format!("--dates {}", dates.name()));
        }
        if let Some(bits) = self.hash {
            words.push(format!("--hash {bits}"));
        }
        if read.max_features != ReadOptions::default().max_features {
            words.push(format!("--max-features {}", read.max_features));
        }
        words.join(" ")
    }
}

/// A word as a shell takes it.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use novikoff::table::TextForm;
    use novikoff_data::blocks::{Format, Missing, ReadOptions};
    use novikoff_data::options::Dates;

    use super::quote;
    use crate::options::RowOptions;

    #[test]
    fn defaults_say_nothing() {
        assert_eq!(RowOptions::default().text(), "");
    }

    #[test]
    fn every_option_of_rows_is_in_the_text_in_one_order() {
        let rows = RowOptions {
            read: ReadOptions {
                format: Some(Format::Cache),
                label: Some("my label".to_owned()),
                categorical: vec!["a".to_owned(), "b c".to_owned()],
                text: vec!["d".to_owned()],
                text_form: Some(TextForm {
                    ngrams: (1, 2),
                    tfidf: false,
                }),
                header: Some(false),
                missing: Some(Missing::Zero),
                drop: vec!["e".to_owned()],
                only: vec!["f g".to_owned()],
                dates: Some(Dates::Seconds),
                skip_bad: 3,
                max_features: 70,
                ..ReadOptions::default()
            },
            hash: Some(20),
            ..RowOptions::default()
        };
        // what the command of version 0.1.0 had is as it wrote it
        let text = "--format nvk --label 'my label' --categorical 'a,b c' --text d --ngrams 1..2 --tfidf off --header no --missing zero --skip-bad 3 --drop e --only 'f g' --dates seconds --hash 20 --max-features 70";
        assert_eq!(rows.text(), text);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quote("p-norm:p=4,margin=1"), "p-norm:p=4,margin=1");
        assert_eq!(quote("my file"), "'my file'");
        assert_eq!(quote("it's"), "'it'\\''s'");
        assert_eq!(quote(""), "''");
    }
}
