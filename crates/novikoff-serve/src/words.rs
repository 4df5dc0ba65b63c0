//! Errors and remedies in the words of the service: settings are options of a model or flags of the server.

use std::fmt::Display;

use novikoff::remedy::{self, Door, Hint, Remedy, Setting};
use serde_json::error::Category;

struct ServiceDoor;

impl Door for ServiceDoor {
    fn setting(&self, setting: Setting) -> String {
        match setting {
            Setting::MaxMemory => "the option memory of the model".to_owned(),
            Setting::MaxFeatures => "--max-features of the server".to_owned(),
            // every other setting has one name on all doors
            other => format!("the option {other} of the model"),
        }
    }

    fn choice(&self, setting: Setting, value: &str) -> String {
        match setting {
            Setting::Hash => format!("the option \"hash\": {value} when the model is made"),
            Setting::Text | Setting::Categorical | Setting::Drop => {
                let field = value.trim_matches('"');
                format!("the option \"{setting}\": [\"{field}\"] when the model is made")
            }
            Setting::Labels => {
                let labels = value.replace(',', "\",\"");
                format!("the option \"labels\": [\"{labels}\"] when the model is made")
            }
            other if value.is_empty() => self.setting(other),
            other => format!("the option \"{other}\": \"{value}\" when the model is made"),
        }
    }

    fn hint(&self, hint: &Hint) -> String {
        match hint {
            Hint::Compare => "see how other learners do with `novikoff log replay`".to_owned(),
            Hint::GiveModel | Hint::TrainOnIt => {
                "send the model file that `novikoff train -o` wrote".to_owned()
            }
            Hint::Solve
            | Hint::Calibrate { .. }
            | Hint::MakeCache
            | Hint::Inspect { .. }
            | Hint::GiveCertificate
            | Hint::SaveComparator
            | Hint::FinishRun
            | Hint::WriteTexts
            | Hint::RankRare
            | Hint::ShowTraining { .. } => "see docs/service.md".to_owned(),
        }
    }
}

/// Facts and remedy in one sentence.
pub(crate) fn said(facts: &dyn Display, remedy: Option<&Remedy>) -> String {
    remedy::said(facts, remedy, &ServiceDoor)
}

/// An error of the engine in one sentence.
pub(crate) fn engine_error(error: &novikoff_engine::Error) -> String {
    said(error, error.remedy().as_ref())
}

/// What is wrong with a body that is to be JSON.
pub(crate) fn json_error(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        Category::Syntax | Category::Io => {
            format!("the body is not JSON: line {line}, column {column} has something else")
        }
        Category::Eof => {
            format!("the JSON of the body ends early, at line {line}, column {column}")
        }
        Category::Data => format!("not the JSON that is expected: {error}"),
    }
}
