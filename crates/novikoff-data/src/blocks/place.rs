//! Where rows stand.

use std::fmt;
use std::sync::Arc;

use crate::error::DataError;
use crate::folder::Folder;
use crate::input::Input;
use crate::options::ReadOptions;

/// Where a row stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The input's name; of a folder of texts, the file's.
    pub file: String,
    /// The line, or the row of a binary format, counted from 1 in its file.
    pub line: u64,
}

/// What errors call an input and its rows.
#[derive(Clone, Debug, Default)]
pub struct InputName {
    name: String,
    /// Each line is a file of this folder.
    folder: Option<Arc<Folder>>,
}

impl InputName {
    pub(crate) fn of(input: &Input) -> Self {
        InputName {
            name: input.name(),
            folder: match input {
                Input::Folder(folder) => Some(Arc::clone(folder)),
                _ => None,
            },
        }
    }

    /// The folder that the input is, if it is one.
    pub(crate) fn folder(&self) -> Option<&Arc<Folder>> {
        self.folder.as_ref()
    }

    /// How its lines are read.
    pub(crate) fn options(
        &self,
        options: &Arc<ReadOptions>,
    ) -> Result<Arc<ReadOptions>, DataError> {
        match &self.folder {
            Some(folder) => Ok(Arc::new(folder.options(options)?)),
            None => Ok(Arc::clone(options)),
        }
    }

    /// The input as a whole.
    pub(crate) fn as_str(&self) -> &str {
        &self.name
    }

    /// Where a line stands, which is counted from 1.
    pub(crate) fn place(&self, line: u64) -> Place {
        match &self.folder {
            Some(folder) => Place {
                file: folder.file(line).display().to_string(),
                line: 1,
            },
            None => Place {
                file: self.name.clone(),
                line,
            },
        }
    }

    /// `file:line: ` of a line, which is counted from 1; of a folder, `file: `.
    pub fn before_message(&self, line: u64) -> String {
        let place = self.place(line);
        match self.folder {
            Some(_) => format!("{}: ", place.file),
            None => format!("{}:{}: ", place.file, place.line),
        }
    }
}

impl fmt::Display for InputName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
