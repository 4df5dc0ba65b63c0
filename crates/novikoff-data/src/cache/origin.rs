//! What a cache was made from, so that a change of it is noticed.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use novikoff::quantity::{count, plural};
use novikoff::remedy::Setting;
use serde::{Deserialize, Serialize};

use crate::error::DataError;
use crate::folder::Fingerprint;
use crate::input::unreadable;
use crate::options::{Format, Missing, ReadOptions};

/// How much of the beginning and of the end of an input is looked at.
const GLANCE: u64 = 64 << 10;

/// The inputs a cache was made from, and the options they were read with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    inputs: Vec<Identity>,
    /// Options that make a difference to rows, and what they were.
    options: Vec<(String, String)>,
}

/// One input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    /// Its name without links.
    name: String,
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: i128,
    /// BLAKE3 of its beginning and its end.
    digest: [u8; 32],
}

/// The cache that is kept beside inputs: the first one's name and `.nvk`.
///
/// # Panics
/// If there is no input.
pub fn beside(paths: &[PathBuf]) -> PathBuf {
    // without the slash that may end the name of a folder
    let mut name = paths[0].components().as_path().as_os_str().to_owned();
    name.push(".nvk");
    name.into()
}

impl Origin {
    /// What is there now. None if something is no regular file: its changes cannot be seen.
    pub fn of(
        paths: &[PathBuf],
        options: &ReadOptions,
        hash_bits: Option<u32>,
    ) -> Result<Option<Self>, DataError> {
        let mut inputs = Vec::new();
        for path in paths {
            let input = if path.is_dir() {
                Identity::of_folder(path, options).map(Some)
            } else {
                Identity::of(path)
            };
            match input.map_err(|error| unreadable(&path.display().to_string(), None, error))? {
                Some(input) => inputs.push(input),
                None => return Ok(None),
            }
        }
        Ok(Some(Origin {
            inputs,
            options: described(options, hash_bits),
        }))
    }

    /// Says what is different now, if something is. `self` is what a cache was made from.
    pub fn changed(&self, now: &Self) -> Option<String> {
        if self == now {
            return None;
        }
        if self.inputs.len() != now.inputs.len() {
            let (then, now) = (self.inputs.len(), now.inputs.len());
            return Some(format!("it was made from {then} files, not {now}"));
        }
        let pairs = || self.inputs.iter().zip(&now.inputs);
        if let Some((then, now)) = pairs().find(|(then, now)| then.name != now.name) {
            return Some(format!("it was made from {}, not {}", then.name, now.name));
        }
        if let Some((then, now)) = pairs().find(|(then, now)| then != now) {
            let name = &now.name;
            return Some(if then.bytes != now.bytes {
                format!(
                    "{name} had {} and has {}",
                    plural(then.bytes, "byte"),
                    count(now.bytes)
                )
            } else if then.digest == now.digest {
                format!("{name} was written to since")
            } else {
                format!("{name} has another content")
            });
        }
        let mut options = self.options.iter().zip(&now.options);
        match options.find(|(then, now)| then != now) {
            Some(((name, then), (same, now))) if name == same => {
                Some(format!("it was read with {name} {then}, not {now}"))
            }
            _ => Some("it was read with other options".to_owned()),
        }
    }
}

impl Identity {
    /// A folder of texts, by the names, sizes and times of its files.
    fn of_folder(path: &Path, options: &ReadOptions) -> io::Result<Self> {
        let found = Fingerprint::of(path, options).map_err(io::Error::other)?;
        Ok(Identity {
            name: fs::canonicalize(path)?.display().to_string(),
            bytes: found.bytes,
            modified: found.modified,
            digest: found.digest,
        })
    }

    /// What is there now; none if it is no regular file.
    fn of(path: &Path) -> io::Result<Option<Self>> {
        let about = fs::metadata(path)?;
        if !about.is_file() {
            return Ok(None);
        }
        let modified = match about.modified()?.duration_since(UNIX_EPOCH) {
            Ok(since) => since.as_nanos() as i128,
            Err(before) => -(before.duration().as_nanos() as i128),
        };
        let mut file = File::open(path)?;
        let mut seen = Vec::new();
        file.by_ref().take(GLANCE).read_to_end(&mut seen)?;
        let rest = about.len().saturating_sub(GLANCE).max(seen.len() as u64);
        file.seek(SeekFrom::Start(rest))?;
        file.take(GLANCE).read_to_end(&mut seen)?;
        Ok(Some(Identity {
            name: fs::canonicalize(path)?.display().to_string(),
            bytes: about.len(),
            modified,
            digest: *blake3::hash(&seen).as_bytes(),
        }))
    }
}

/// The options that make a difference to rows, in words.
fn described(options: &ReadOptions, hash_bits: Option<u32>) -> Vec<(String, String)> {
    let off = || "off".to_owned();
    let header = match options.header {
        None => "found out",
        Some(true) => "yes",
        Some(false) => "no",
    };
    let missing = options.missing().name();
    let table = options.table.as_ref().map(|table| {
        let text = format!("{table:?}");
        blake3::hash(text.as_bytes()).to_hex().to_string()
    });
    let words = [
        (
            Setting::Format.name(),
            options.format.map_or("found out", Format::name).to_owned(),
        ),
        (
            Setting::Label.name(),
            options.label.clone().unwrap_or_else(off),
        ),
        (
            Setting::Categorical.name(),
            format!("{:?}", options.categorical),
        ),
        (Setting::Header.name(), header.to_owned()),
        (Setting::Missing.name(), missing.to_owned()),
        (Setting::ZeroBased.name(), options.zero_based.to_string()),
        (
            Setting::MaxFeatures.name(),
            options.max_features.to_string(),
        ),
        (
            Setting::Hash.name(),
            hash_bits.map_or_else(off, |bits| bits.to_string()),
        ),
        (Setting::SkipBad.name(), options.skip_bad.to_string()),
        ("a model's table", table.unwrap_or_else(off)),
        ("rows without labels", options.unlabelled.to_string()),
    ];
    let mut words = words.map(|(name, word)| (name.to_owned(), word)).to_vec();
    // caches of before say nothing of these
    let lists = [
        (Setting::Drop, &options.drop),
        (Setting::Only, &options.only),
    ];
    for (setting, names) in lists {
        if !names.is_empty() {
            words.push((setting.name().to_owned(), format!("{names:?}")));
        }
    }
    if options.missing() == Missing::Indicator && options.needs_means() {
        words.push((Setting::Standardize.name().to_owned(), "on".to_owned()));
    }
    if let Some(dates) = options.dates {
        words.push((Setting::Dates.name().to_owned(), dates.name().to_owned()));
    }
    if !options.text.is_empty() || options.text_form.is_some() {
        let text = format!("{:?} {:?}", options.text, options.text_form());
        words.push((Setting::Text.name().to_owned(), text));
    }
    words
}
