//! `novikoff reproduce`: the papers' tables and figures, ours beside theirs.

use std::io::{ErrorKind, Write as _, stdout};
use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;

use novikoff_data::atomic::NewFile;
use novikoff_engine::options::RowOptions;
use novikoff_engine::reproduce::{ListedTable, Reproduce, Reproduced, SkippedTable, list};
use novikoff_engine::row_text::quote;
use novikoff_engine::{Context, memory_for};
use novikoff_report::{TextTable, paper_json, paper_part, paper_text, with_part};
use serde_json::{Value, json};

use crate::args::ReproduceArgs;
use crate::error::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::screen;
use crate::shell;

pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    if args.list {
        return show_list(args);
    }
    let is_all = args.names.iter().any(|name| name == "all");
    if is_all && args.names.len() > 1 {
        return Err("all is every table; leave the other names out".into());
    }
    if let Some(path) = &args.into {
        let named = if is_all || args.names.is_empty() {
            list(None)?.into_iter().map(|table| table.name).collect()
        } else {
            args.names.clone()
        };
        marked(path, &named)?;
    }
    let cores = || available_parallelism().map_or(1, NonZero::get);
    let words = shell::words().into_iter().skip(1);
    let words = words.map(|word| quote(&word));
    let job = Reproduce {
        names: if is_all {
            Vec::new()
        } else {
            args.names.clone()
        },
        data: args.data.clone(),
        quick: args.quick,
        repetitions: args.repetitions,
        out: args.out.clone(),
        command: std::iter::once("novikoff".to_owned())
            .chain(words)
            .collect::<Vec<_>>()
            .join(" "),
        rows: RowOptions {
            threads: args.threads.unwrap_or_else(cores).clamp(1, 256),
            memory: memory_for(args.max_memory),
            ..RowOptions::default()
        },
    };
    let progress = Progress::new(args.quiet);
    let interrupt = interrupt::listen();
    let done = progress.during(|| job.run(Context::new(&progress, &interrupt)))?;
    let text = if args.json {
        format!("{}\n", all_json(&done))
    } else {
        all_text(&done)
    };
    if let Some(path) = &args.into {
        put_into(path, args, &done)?;
    }
    stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// The text of the file that tables are put into. It is read before anything is run, and must have the marks of all that are named.
fn marked(path: &Path, names: &[String]) -> Result<String, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let name = names.first().map_or("NAME", String::as_str);
            format!(
                "{shown}: does not exist; write it first, with the lines <!-- begin {name} --> and <!-- end {name} -->, between which the table is put"
            )
        }
        _ => format!("{shown}: {error}"),
    })?;
    for name in names {
        with_part(&text, name, "").map_err(|mark| without_mark(path, &mark))?;
    }
    Ok(text)
}

fn without_mark(path: &Path, mark: &str) -> String {
    let shown = path.display();
    format!("{shown}: has no line {mark}, where a table is put; write it, and the one that ends it")
}

/// Puts what was run into a Markdown file.
fn put_into(path: &Path, args: &ReproduceArgs, done: &Reproduced) -> Result<(), Failure> {
    let mut text = marked(path, &[])?;
    for (report, _) in &done.tables {
        let mut command = format!("novikoff reproduce {} --data DIR", report.name);
        if args.quick {
            command = format!("novikoff reproduce {} --quick", report.name);
        }
        if let Some(repetitions) = args.repetitions {
            command = format!("{command} --repetitions {repetitions}");
        }
        let part = paper_part(report, &command);
        text = with_part(&text, &report.name, &part).map_err(|mark| without_mark(path, &mark))?;
    }
    let mut file = NewFile::create(path)?;
    match file.write_all(text.as_bytes()) {
        Ok(()) => Ok(file.commit()?),
        Err(error) => Err(file.failed(error).into()),
    }
}

fn all_text(done: &Reproduced) -> String {
    let mut parts = Vec::new();
    for (report, folder) in &done.tables {
        let text = paper_text(report, screen::width());
        parts.push(format!("{text}\npages: {}\n", folder.display()));
    }
    if !done.skipped.is_empty() {
        let lines = done.skipped.iter().map(skipped);
        let lines: Vec<String> = lines.map(|line| format!("{line}\n")).collect();
        parts.push(lines.concat());
    }
    parts.join("\n")
}

/// What was not run, and why.
pub(crate) fn skipped(skipped: &SkippedTable) -> String {
    let (name, files) = (&skipped.name, skipped.missing.join(", "));
    if skipped.sets.is_empty() {
        return format!("skipped {name}: {files} not found; --data DIR names the directory");
    }
    let sets = skipped.sets.join("; ");
    format!("{name}: left out {sets}: {files} not found")
}

fn all_json(done: &Reproduced) -> Value {
    let tables = done.tables.iter();
    let tables: Vec<Value> = tables.map(|(report, _)| paper_json(report)).collect();
    let skipped = done.skipped.iter().map(
        |skipped| json!({"name": skipped.name, "sets": skipped.sets, "missing": skipped.missing}),
    );
    json!({"tables": tables, "skipped": skipped.collect::<Vec<_>>()})
}

/// What each table needs, and whether it is there.
fn show_list(args: &ReproduceArgs) -> Result<(), Failure> {
    let all = list(args.data.as_deref())?;
    let text = if args.json {
        let tables: Vec<Value> = all.iter().map(listed_json).collect();
        format!("{}\n", json!({"tables": tables}))
    } else {
        let mut table = TextTable::new(&["name", "data", "quick form", "shows"])
            .least(&["shows", "quick form"]);
        for listed in &all {
            table.row(vec![
                listed.name.clone(),
                data(listed, args.data.is_some()),
                quick(listed).to_owned(),
                listed.title.clone(),
            ]);
        }
        table.text(screen::width())
    };
    Ok(stdout().lock().write_all(text.as_bytes())?)
}

fn quick(listed: &ListedTable) -> &'static str {
    if listed.quick_needs_none {
        "needs no files"
    } else {
        "needs the same files"
    }
}

fn data(listed: &ListedTable, is_named: bool) -> String {
    if listed.needs.is_empty() {
        return "generated".to_owned();
    }
    let named = |there: bool| {
        let files = listed.needs.iter().filter(|(_, is)| *is == there);
        files
            .map(|(name, _)| name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (there, missing) = (named(true), named(false));
    match (is_named, missing.is_empty(), there.is_empty()) {
        (false, _, _) => format!("--data DIR with {missing}"),
        (true, true, _) => format!("there: {there}"),
        (true, false, true) => format!("missing: {missing}"),
        (true, false, false) => format!("there: {there}; missing: {missing}"),
    }
}

fn listed_json(listed: &ListedTable) -> Value {
    let needs = listed.needs.iter();
    let needs: Vec<Value> = needs
        .map(|(file, there)| json!({"file": file, "there": there}))
        .collect();
    let (full, quick) = listed.repetitions;
    json!({
        "name": listed.name,
        "title": listed.title,
        "paper": listed.paper,
        "needs": needs,
        "quick_needs_files": !listed.quick_needs_none,
        "repetitions": {"full": full, "quick": quick},
    })
}
