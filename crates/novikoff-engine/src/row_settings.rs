//! How the rows of a certified run are read, as names and values that its certificate keeps.
//!
//! A check takes them from there; what is given to it besides must agree.

use novikoff::classes::Task;
use novikoff::label::LabelName;
use novikoff::remedy::Setting;
use novikoff::table::TextForm;
use novikoff_data::blocks::{Format, Missing};
use novikoff_data::options::Dates;

use crate::options::{RowOptions, RunOptions};
use crate::{Error, Remedy};

const MISSING: [Missing; 4] = [
    Missing::Refuse,
    Missing::Zero,
    Missing::Mean,
    Missing::Indicator,
];

const DATES: [Dates; 3] = [Dates::Parts, Dates::Seconds, Dates::Refuse];

/// A setting of rows: how it is written, and how it is read again.
struct RowSetting {
    setting: Setting,
    /// None if it was not asked for.
    write: fn(&RowOptions, &RunOptions) -> Option<String>,
    /// None if it says nothing that can be.
    read: fn(&str, &mut RowOptions, &mut RunOptions) -> Option<()>,
}

/// Names of columns, joined by commas.
fn joined(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| names.join(","))
}

fn parted(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

/// Settings whose value is text, or a list of columns.
const COLUMNS: [RowSetting; 5] = [
    RowSetting {
        setting: Setting::Label,
        write: |rows, _| rows.read.label.clone(),
        read: |text, rows, _| {
            rows.read.label = Some(text.to_owned());
            Some(())
        },
    },
    RowSetting {
        setting: Setting::Categorical,
        write: |rows, _| joined(&rows.read.categorical),
        read: |text, rows, _| {
            rows.read.categorical = parted(text);
            Some(())
        },
    },
    RowSetting {
        setting: Setting::Text,
        write: |rows, _| joined(&rows.read.text),
        read: |text, rows, _| {
            rows.read.text = parted(text);
            Some(())
        },
    },
    RowSetting {
        setting: Setting::Drop,
        write: |rows, _| joined(&rows.read.drop),
        read: |text, rows, _| {
            rows.read.drop = parted(text);
            Some(())
        },
    },
    RowSetting {
        setting: Setting::Only,
        write: |rows, _| joined(&rows.read.only),
        read: |text, rows, _| {
            rows.read.only = parted(text);
            Some(())
        },
    },
];

/// Settings whose value is a word or a number.
const WORDS: [RowSetting; 8] = [
    RowSetting {
        setting: Setting::Format,
        write: |rows, _| rows.read.format.map(|format| format.name().to_owned()),
        read: |text, rows, _| {
            rows.read.format = Some(*Format::ALL.iter().find(|format| format.name() == text)?);
            Some(())
        },
    },
    RowSetting {
        setting: Setting::Header,
        write: |rows, _| rows.read.header.map(|header| header.to_string()),
        read: |text, rows, _| {
            rows.read.header = Some(text.parse().ok()?);
            Some(())
        },
    },
    RowSetting {
        setting: Setting::Missing,
        write: |rows, _| rows.read.missing.map(|missing| missing.name().to_owned()),
        read: |text, rows, _| {
            rows.read.missing = Some(*MISSING.iter().find(|missing| missing.name() == text)?);
            Some(())
        },
    },
    RowSetting {
        setting: Setting::Dates,
        write: |rows, _| rows.read.dates.map(|dates| dates.name().to_owned()),
        read: |text, rows, _| {
            rows.read.dates = Some(*DATES.iter().find(|dates| dates.name() == text)?);
            Some(())
        },
    },
    RowSetting {
        setting: Setting::Ngrams,
        write: |rows, _| {
            let TextForm { ngrams, tfidf } = rows.read.text_form?;
            Some(format!("{}..{},{tfidf}", ngrams.0, ngrams.1))
        },
        read: |text, rows, _| {
            let (ngrams, tfidf) = text.split_once(',')?;
            let (least, most) = ngrams.split_once("..")?;
            rows.read.text_form = Some(TextForm {
                ngrams: (least.parse().ok()?, most.parse().ok()?),
                tfidf: tfidf.parse().ok()?,
            });
            Some(())
        },
    },
    RowSetting {
        setting: Setting::SkipBad,
        write: |rows, _| Some(rows.read.skip_bad.to_string()).filter(|_| rows.read.skip_bad > 0),
        read: |text, rows, _| {
            rows.read.skip_bad = text.parse().ok()?;
            Some(())
        },
    },
    RowSetting {
        setting: Setting::Hash,
        write: |rows, _| rows.hash.map(|bits| bits.to_string()),
        read: |text, rows, _| {
            rows.hash = Some(text.parse().ok().filter(|bits| (1..=30).contains(bits))?);
            Some(())
        },
    },
    RowSetting {
        setting: Setting::ZeroBased,
        write: |rows, _| Some("true".to_owned()).filter(|_| rows.read.zero_based),
        read: |text, rows, _| {
            rows.read.zero_based = text.parse().ok()?;
            Some(())
        },
    },
];

/// What the labels are asked to be.
const LABELS: [RowSetting; 3] = [
    RowSetting {
        setting: Setting::Positive,
        write: |_, run| match &run.task {
            Some(Task::Binary {
                negative: None,
                positive,
            }) => Some(positive.name().to_owned()),
            _ => None,
        },
        read: |text, _, run| {
            run.task = Some(Task::Binary {
                negative: None,
                positive: LabelName::typed(text),
            });
            Some(())
        },
    },
    RowSetting {
        setting: Setting::Labels,
        write: |_, run| match &run.task {
            Some(Task::Binary {
                negative: Some(negative),
                positive,
            }) => Some(format!("{},{}", negative.name(), positive.name())),
            _ => None,
        },
        read: |text, _, run| {
            let (negative, positive) = text.split_once(',')?;
            run.task = Some(Task::pair(
                LabelName::typed(negative),
                LabelName::typed(positive),
            ));
            Some(())
        },
    },
    RowSetting {
        setting: Setting::MultiLabel,
        write: |_, run| match run.task {
            Some(Task::MultiLabel) => Some("true".to_owned()),
            _ => None,
        },
        read: |text, _, run| {
            run.task = text
                .parse()
                .ok()
                .filter(|&is: &bool| is)
                .map(|_| Task::MultiLabel);
            Some(())
        },
    },
];

fn all() -> impl Iterator<Item = &'static RowSetting> {
    COLUMNS.iter().chain(&WORDS).chain(&LABELS)
}

/// What was asked of the rows of a run.
pub(crate) fn of(rows: &RowOptions, run: &RunOptions) -> Vec<(&'static str, String)> {
    let given = all().filter_map(|one| Some((one.setting.name(), (one.write)(rows, run)?)));
    given.collect()
}

/// Reads rows as a certified run did. An error if something else is asked for.
pub(crate) fn apply(
    settings: &[(String, String)],
    rows: &mut RowOptions,
    run: &mut RunOptions,
) -> Result<(), Error> {
    for one in all() {
        let name = one.setting.name();
        let claimed = settings.iter().find(|(key, _)| key == name);
        let claimed = claimed.map(|(_, value)| value.as_str());
        match ((one.write)(rows, run), claimed) {
            (Some(got), claimed) if claimed != Some(got.as_str()) => {
                let is = claimed.unwrap_or("off");
                let what = format!("the certificate is of rows read with {name} {is}, not {got}");
                return Err(Error::refused(what, Remedy::leave_out(&[one.setting])));
            }
            (None, Some(value)) => {
                let read = (one.read)(value, rows, run);
                read.ok_or_else(|| Error::plain(format!("{name} {value}: cannot be")))?;
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use novikoff::classes::Task;
    use novikoff::label::LabelName;
    use novikoff::table::TextForm;
    use novikoff_data::blocks::{Format, Missing, ReadOptions};
    use novikoff_data::options::Dates;

    use super::{apply, of};
    use crate::options::{RowOptions, RunOptions};

    #[test]
    fn what_was_asked_comes_back() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let rows = RowOptions {
            read: ReadOptions {
                format: Some(Format::Csv),
                label: Some("my label".to_owned()),
                categorical: names(&["a"]),
                text: names(&["b", "c"]),
                drop: names(&["d"]),
                only: names(&["a", "b", "c"]),
                text_form: Some(TextForm {
                    ngrams: (1, 2),
                    tfidf: false,
                }),
                header: Some(true),
                missing: Some(Missing::Indicator),
                dates: Some(Dates::Seconds),
                skip_bad: 3,
                zero_based: true,
                ..ReadOptions::default()
            },
            hash: Some(20),
            ..RowOptions::default()
        };
        let pair = ["no", "yes"].map(LabelName::typed);
        let run = RunOptions {
            task: Some(Task::pair(pair[0].clone(), pair[1].clone())),
            ..RunOptions::default()
        };
        let settings = of(&rows, &run);
        assert_eq!(settings.len(), 14);
        let owned: Vec<(String, String)> = settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let (mut back, mut run_back) = (RowOptions::default(), RunOptions::default());
        apply(&owned, &mut back, &mut run_back).expect("they are sound");
        assert_eq!(of(&back, &run_back), settings);
        apply(&owned, &mut back, &mut run_back).expect("they agree");
        back.read.missing = Some(Missing::Zero);
        let error = apply(&owned, &mut back, &mut run_back).expect_err("they differ");
        assert!(error.to_string().contains("indicator, not zero"), "{error}");
    }
}
