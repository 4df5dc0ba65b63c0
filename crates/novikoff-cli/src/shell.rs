//! Completions and the manual page, from the same definitions as the command itself; the command line that goes on with a run.

use std::io::{Write as _, stdout};

use clap::CommandFactory as _;

use novikoff_engine::row_text::quote;

use crate::args::{Cli, CompletionsArgs};
use crate::error::Failure;

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

/// The command line of a process, with `--resume`.
pub(crate) fn command_to_go_on(mut words: Vec<String>, model: &str) -> String {
    if let Some(program) = words.first_mut() {
        "novikoff".clone_into(program);
    }
    if let Some(at) = words.iter().position(|word| word == "--resume") {
        words.drain(at..(at + 2).min(words.len()));
    }
    words.retain(|word| !word.starts_with("--resume="));
    // a certificate is about a whole run
    for (flag, takes) in [
        ("--certify", true),
        ("--require-certificate", false),
        ("--comparator", true),
    ] {
        let joined = format!("{flag}=");
        words.retain(|word| !word.starts_with(&joined));
        while let Some(at) = words.iter().position(|word| word == flag) {
            let value = words.get(at + 1).filter(|_| takes);
            let value = value
                .is_some_and(|word| flag != "--certify" || ["full", "quick"].contains(&&**word));
            words.drain(at..=at + usize::from(value));
        }
    }
    words.extend(["--resume".to_owned(), model.to_owned()]);
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    use super::command_to_go_on;

    #[test]
    fn a_run_goes_on_without_what_is_about_a_whole_run() {
        let go_on = |words: &str| {
            let words = words.split(' ').map(str::to_owned).collect();
            command_to_go_on(words, "m")
        };
        for words in [
            "/bin/novikoff train - -o m",
            "novikoff train --certify - -o m",
            "novikoff train - --certify quick -o m",
            "novikoff train - -o m --certify=full --require-certificate",
            "novikoff train - -o m --comparator u.model --certify",
            "novikoff train - --comparator=u.model -o m --resume old",
        ] {
            assert_eq!(go_on(words), "novikoff train - -o m --resume m", "{words}");
        }
    }
}
