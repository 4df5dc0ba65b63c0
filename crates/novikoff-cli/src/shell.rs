//! Completions and the manual page, from the same definitions as the command itself; the command line that resumes a run.

use std::ffi::{OsStr, OsString};
use std::io::{Write as _, stdout};
use std::sync::OnceLock;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory as _};

use novikoff_engine::row_text::quote;

use crate::args::{Cli, CompletionsArgs};
use crate::error::Failure;

/// The words that the command was started with.
static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Keeps the words that the command was started with.
pub(crate) fn begin(words: Vec<OsString>) -> &'static [OsString] {
    WORDS.get_or_init(|| words)
}

/// The words that the command was started with.
pub(crate) fn words() -> Vec<String> {
    let words = WORDS.get().into_iter().flatten();
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "novikoff", &mut text);
    Ok(stdout().lock().write_all(&text)?)
}

pub(crate) fn man() -> Result<(), Failure> {
    let mut text = Vec::new();
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    for sub in command.get_subcommands() {
        if sub.get_name() != "help" {
            let name = format!("novikoff-{}", sub.get_name());
            clap_mangen::Man::new(sub.clone().name(name)).render(&mut text)?;
        }
    }
    Ok(stdout().lock().write_all(&text)?)
}

/// Options that the command to resume leaves out: it names its own model, and a certificate is about a whole run.
const NOT_RESUMED: [&str; 4] = ["resume", "certify", "require_certificate", "comparator"];

/// Options of a comparison that the command to train leaves out: they are about several runs, or about how a result is shown.
const NOT_TRAINED: [&str; 14] = [
    "specs",
    "test",
    "permutations",
    "splits",
    "fraction",
    "stratified",
    "certify",
    "require_certificate",
    "comparator",
    "json",
    "report",
    "plots",
    "quiet",
    "verbose",
];

/// The command that trains a learner as it ran in the comparison which was started by these words. It is rendered from the parsed options.
pub(crate) fn command_to_train(words: &[String], spec: &str) -> String {
    let mut out = vec!["novikoff".to_owned(), "train".to_owned()];
    given_options(words, &NOT_TRAINED, &mut out);
    out.extend(["-a", spec, "-o", "my.model"].map(str::to_owned));
    quoted(&out)
}

/// The command that resumes a run which was started by these words and is saved in `model`. It is rendered from the
/// parsed options.
pub(crate) fn command_to_resume(words: &[String], model: &str) -> String {
    let mut out = vec!["novikoff".to_owned()];
    out.extend(words.get(1).cloned());
    given_options(words, &NOT_RESUMED, &mut out);
    out.extend(["--resume".to_owned(), model.to_owned()]);
    quoted(&out)
}

/// Words as a shell takes them.
fn quoted(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    quoted.join(" ")
}

/// The options and arguments that were given to a command, as words, but for some.
fn given_options(words: &[String], but: &[&str], out: &mut Vec<String>) {
    let mut root = Cli::command();
    root.build(); // options of all commands become options of each
    let matches = root.clone().get_matches_from(words);
    let Some((name, options)) = matches.subcommand() else {
        return;
    };
    let Some(command) = root.find_subcommand(name) else {
        return;
    };
    let given = command.get_arguments().filter(|argument| {
        let id = argument.get_id().as_str();
        options.value_source(id) == Some(ValueSource::CommandLine) && !but.contains(&id)
    });
    for argument in given {
        render(argument, options, out);
    }
}

/// An argument that was given, as words.
fn render(argument: &Arg, options: &ArgMatches, out: &mut Vec<String>) {
    let flag = match (argument.get_short(), argument.get_long()) {
        (Some(short), _) => Some(format!("-{short}")),
        (None, long) => long.map(|long| format!("--{long}")),
    };
    let text = |value: &OsStr| value.to_string_lossy().into_owned();
    let takes_values = argument.get_action().takes_values();
    let occurrences = options.get_raw_occurrences(argument.get_id().as_str());
    match (flag, occurrences.filter(|_| takes_values)) {
        (None, values) => out.extend(values.into_iter().flatten().flatten().map(text)),
        (Some(flag), None) => out.push(flag),
        (Some(flag), Some(occurrences)) => {
            for values in occurrences {
                let separator = argument.get_value_delimiter().unwrap_or(',');
                let values: Vec<String> = values.map(text).collect();
                out.push(flag.clone());
                if !values.is_empty() {
                    out.push(values.join(&separator.to_string()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::command_to_resume;

    #[test]
    fn a_run_resumes_without_what_is_about_a_whole_run() {
        let resume = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            command_to_resume(&words, "m")
        };
        for words in [
            "/bin/novikoff train - -o m",
            "novikoff train --certify -- -",
            "novikoff train - --certify quick -o m",
            "novikoff train - -o m --certify=full --require-certificate",
            "novikoff train - -o m --comparator u.model --certify",
            "novikoff train - --comparator=u.model -o m --resume old",
        ] {
            let out = if words.contains("-o") { " -o m" } else { "" };
            assert_eq!(
                resume(words),
                format!("novikoff train -{out} --resume m"),
                "{words}"
            );
        }
    }

    #[test]
    fn every_kind_of_option_is_rendered() {
        let words = "novikoff train a.svm b.svm -a p-norm:p=4 --epochs=3 -q --labels yes,no --checkpoint 30s -o my.model";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let again = command_to_resume(&words, "my.model");
        for part in [
            "novikoff train a.svm b.svm ",
            " -a p-norm:p=4 ",
            " --epochs 3 ",
            " -q ",
            " --labels yes,no ",
            " --checkpoint 30s ",
            " -o my.model ",
        ] {
            assert!(again.contains(part), "{part} is not in {again}");
        }
        let parsed: Vec<String> = again.split(' ').map(str::to_owned).collect();
        assert_eq!(
            command_to_resume(&parsed, "my.model"),
            again,
            "what it renders can be parsed"
        );
    }
}
