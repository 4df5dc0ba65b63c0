//! Completions and the manual page, from the same definitions as the command itself.

use std::io::{Write as _, stdout};

use clap::CommandFactory as _;

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
