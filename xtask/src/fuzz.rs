//! Runs the fuzz targets with cargo-fuzz, one after another, and records what they did.
//!
//! What is found interesting goes to `fuzz/found/TARGET`, which is not committed and makes the next
//! run begin where this one ended; the committed corpus and regressions are read only.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{read, sources};

const USAGE: &str = "\
cargo xtask fuzz [TARGET] [--seconds N] [--asan] [--record]

  TARGET      one of the targets in fuzz/fuzz_targets; all of them if none is given
  --seconds N how long each runs (60)
  --asan      with AddressSanitizer, which is slower
  --record    append what they did to fuzz/record.md
";

/// Inputs no longer than this: most faults need little, and short ones are quick.
fn max_len(target: &str) -> usize {
    match target {
        "arrow" | "body_arrow" | "cache" | "parquet" => 4096,
        "container" | "log_record" | "log_segment" => 1024,
        "model" => 2048,
        _ => 512,
    }
}

struct Words<'a> {
    target: Option<&'a str>,
    seconds: u64,
    asan: bool,
    record: bool,
}

/// What one target did.
struct Outcome {
    target: String,
    executions: u64,
    /// Executions a second.
    rate: u64,
    /// How many inputs were kept.
    corpus: usize,
    passed: bool,
}

pub(crate) fn run(root: &Path, words: &[&str]) -> Result<(), String> {
    let words = understand(words)?;
    let all = sources(&root.join("fuzz/fuzz_targets"))?;
    let names = all.iter().filter_map(|path| path.file_stem()?.to_str());
    let chosen: Vec<&str> = names
        .clone()
        .filter(|name| words.target.is_none_or(|target| target == *name))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = names.collect();
        return Err(format!("no such target; there are {}", names.join(", ")));
    }
    let installed = Command::new("cargo-fuzz").arg("--version").output();
    if installed.is_err() {
        return Err("cargo-fuzz is not installed; type: cargo install cargo-fuzz".to_owned());
    }
    let mut outcomes = Vec::new();
    for target in chosen {
        println!("== {target}: {} seconds", words.seconds);
        let outcome = fuzz(root, target, &words)?;
        println!("{}", line(&outcome, &words));
        outcomes.push(outcome);
    }
    println!("\n{HEAD}");
    for outcome in &outcomes {
        println!("{}", line(outcome, &words));
    }
    let sum: u64 = outcomes.iter().map(|o| o.executions).sum();
    println!("{sum} executions in all");
    if words.record {
        record(root, &outcomes, &words)?;
    }
    let failed: Vec<_> = outcomes.iter().filter(|o| !o.passed).collect();
    if failed.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = failed.iter().map(|o| &*o.target).collect();
    Err(format!(
        "== {} failed; the inputs are in fuzz/artifacts, fuzz/README.md says what to do",
        names.join(", ")
    ))
}

fn understand<'a>(words: &[&'a str]) -> Result<Words<'a>, String> {
    let mut understood = Words {
        target: None,
        seconds: 60,
        asan: false,
        record: false,
    };
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        match word {
            "--asan" => understood.asan = true,
            "--record" => understood.record = true,
            "--seconds" => {
                let seconds = words.next().and_then(|n| n.parse().ok());
                understood.seconds = seconds.filter(|&n| n > 0).ok_or(USAGE)?;
            }
            _ if word.starts_with('-') || understood.target.is_some() => {
                return Err(USAGE.to_owned());
            }
            _ => understood.target = Some(word),
        }
    }
    Ok(understood)
}

/// Runs one target and reads libFuzzer's own account of it.
fn fuzz(root: &Path, target: &str, words: &Words<'_>) -> Result<Outcome, String> {
    let folder = root.join("fuzz");
    let found = folder.join("found").join(target);
    fs::create_dir_all(&found).map_err(|e| format!("{}: {e}", found.display()))?;
    let mut command = Command::new(env!("CARGO"));
    command.args(["fuzz", "run", "--fuzz-dir"]).arg(&folder);
    if words.asan {
        // the sanitizers' flags are unstable, but the stable compiler has them
        command.env("RUSTC_BOOTSTRAP", "1");
    } else {
        // noting comparisons finds little more here, at two thirds of the speed
        command.args(["--sanitizer", "none", "--no-trace-compares"]);
    }
    command.arg(target).arg(&found);
    for kept in ["corpus", "regressions"] {
        let kept = folder.join(kept).join(target);
        if kept.is_dir() {
            command.arg(kept);
        }
    }
    command
        .arg("--")
        .arg(format!("-max_total_time={}", words.seconds))
        .arg(format!("-max_len={}", max_len(target)))
        .args(["-timeout=10", "-rss_limit_mb=1024", "-print_final_stats=1"])
        // nobody else writes there
        .arg("-reload=0")
        .current_dir(root)
        .stdout(Stdio::inherit())
        .stderr(Stdio::piped());
    let failed = |error| format!("cannot run cargo fuzz: {error}");
    let mut child = command.spawn().map_err(failed)?;
    let (mut executions, mut rate) = (0, 0);
    if let Some(stderr) = child.stderr.take() {
        for text in BufReader::new(stderr).lines() {
            let text = text.map_err(failed)?;
            let stat = |name: &str| text.strip_prefix(name)?.trim().parse::<u64>().ok();
            if let Some(number) = stat("stat::number_of_executed_units:") {
                executions = number;
            } else if let Some(number) = stat("stat::average_exec_per_sec:") {
                rate = number;
            } else if !is_chatter(&text) {
                eprintln!("{text}");
            }
        }
    }
    let status = child.wait().map_err(failed)?;
    let corpus = fs::read_dir(&found).map_or(0, Iterator::count);
    Ok(Outcome {
        target: target.to_owned(),
        executions,
        rate,
        corpus,
        passed: status.success(),
    })
}

/// The fuzzer's talk about its progress, which says little to people.
fn is_chatter(text: &str) -> bool {
    let talk = ["#", "\"", "INFO:", "stat::", "######", "\tNEW_FUNC"];
    talk.iter().any(|start| text.starts_with(start)) || text.contains("NEW_FUNC[")
}

const HEAD: &str = "\
| date | target | executions | exec/s | mode | found |
| --- | --- | --: | --: | --- | --: |";

fn line(outcome: &Outcome, words: &Words<'_>) -> String {
    let mode = if words.asan { "asan" } else { "plain" };
    format!(
        "| {} | {} | {} | {} | {mode}{} | {} |",
        today(),
        outcome.target,
        outcome.executions,
        outcome.rate,
        if outcome.passed { "" } else { ", FAILED" },
        outcome.corpus,
    )
}

fn record(root: &Path, outcomes: &[Outcome], words: &Words<'_>) -> Result<(), String> {
    let path = root.join("fuzz/record.md");
    let failed = |error| format!("{}: {error}", path.display());
    let fresh = read(&path).map_or(true, |text| text.is_empty());
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(failed)?;
    let mut text = String::new();
    if fresh {
        text = format!("# What the fuzz targets have done\n\n{HEAD}\n");
    }
    for outcome in outcomes {
        text.push_str(&line(outcome, words));
        text.push('\n');
    }
    file.write_all(text.as_bytes()).map_err(failed)
}

/// The date as `year-month-day`.
fn today() -> String {
    let date = Command::new("date").arg("+%F").output();
    date.map_or_else(
        |_| "?".to_owned(),
        |date| String::from_utf8_lossy(&date.stdout).trim().to_owned(),
    )
}
