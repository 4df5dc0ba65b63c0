//! Runs that are killed, interrupted or starved of disk, and resumed to the same bytes as a run that was
//! never stopped. `NOVIKOFF_KILLS` sets how many are killed.

#![cfg(unix)]
#![allow(clippy::print_stderr)] // how many were killed, and what was skipped, is worth knowing

use crate::common;

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::data::{Shape, SplitMix64};
use common::{Room, signal};

/// Runs with their data, learners of several kinds among them.
const RUNS: &[(&str, &str)] = &[
    ("binary", "-a perceptron --epochs 4 --shuffle 7"),
    ("many", "-a averaged --epochs 3 --shuffle 3 --bias 1"),
    (
        "binary",
        "-a perceptron --until-separated --epochs 4 --shuffle 7",
    ),
    ("multi", "-a passive-aggressive --epochs 3"),
    ("many", "-a voted --normalize 2"),
    (
        "many",
        "-a perceptron --use averaged --epochs 2 --shuffle 5",
    ),
    ("many", "-a romma:aggressive,noise=1 --epochs 3 --shuffle 3"),
    ("binary", "-a averaged --epochs 2 --cache"),
    ("binary", "--epochs 2 --shuffle 6"),
    (
        "multi",
        "-a auto(perceptron;arow@bias=1):beta=0.7,share=0.02 --epochs 2",
    ),
    ("named.vw", "-a perceptron"),
    ("named.vw", "-a averaged --epochs 2 --shuffle 4 --hash 7"),
    ("table.csv", "-a perceptron --cache --label y"),
    ("bad", "-a passive-aggressive --skip-bad 400"),
    (
        "binary",
        "-a arow:form=full --epochs 2 --shuffle 1 --standardize",
    ),
];

fn room() -> Room {
    let room = Room::new();
    let shape = || Shape {
        rows: 3000,
        ..Shape::default()
    };
    room.write("binary", shape().binary());
    room.write("many", shape().many(5, 500));
    room.write("multi", shape().multi(4, 700));
    let text = room.text("binary");
    room.write("named.vw", named(&text));
    room.write("table.csv", table(&text));
    room.write("bad", with_bad_lines(&text));
    room
}

/// Rows of svmlight text as VW writes them, with new names to the end.
fn named(text: &str) -> String {
    let line = |(row, line): (usize, &str)| {
        let (label, features) = line.split_once(' ').unwrap_or((line, ""));
        format!("{label} |n {features} met{}", row / 100)
    };
    common::lines(text.lines().enumerate().map(line))
}

/// A table of categories and numbers, some of whose categories appear late.
fn table(text: &str) -> String {
    let line = |(row, line): (usize, &str)| {
        let label = line.split(' ').next().unwrap_or_default();
        format!("c{},{label},{}", row % (row / 50 + 2), row % 7)
    };
    let rows = text.lines().enumerate().map(line);
    common::lines(["colour,y,size".to_owned()].into_iter().chain(rows))
}

/// Every tenth line is bad, every other such line a row without a label.
fn with_bad_lines(text: &str) -> String {
    let bad = |row: usize| (row % 10 == 3).then_some(["1 x", "? 1:1"][row / 10 % 2]);
    let rows = text.lines().enumerate();
    common::lines(rows.flat_map(|(row, line)| [Some(line), bad(row)].into_iter().flatten()))
}

fn start(room: &Room, words: &str) -> Child {
    let mut command = room.command(words);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("starts")
}

/// The words that begin a run, or resume it once something was saved.
fn words(room: &Room, data: &str, run: &str) -> String {
    let resume = if room.path("m").exists() {
        " --resume m"
    } else {
        ""
    };
    format!("train {data} {run} -o m --checkpoint 40 -q{resume}")
}

#[test]
fn killed_runs_end_with_the_bytes_of_runs_that_were_not() {
    let kills: usize = std::env::var("NOVIKOFF_KILLS").map_or(15, |n| n.parse().expect("a number"));
    let room = room();
    let mut random = SplitMix64(11);
    let mut killed = 0;
    let mut resumed = 0;
    let mut rounds = 0;
    for (data, run) in RUNS.iter().cycle() {
        let begun = Instant::now();
        room.run(&format!("train {data} {run} -o whole --checkpoint 40 -q"))
            .good();
        let time = begun.elapsed().as_secs_f64();
        room.run(&format!("train {data} {run} -o plain -q")).good();
        assert_eq!(room.bytes("whole"), room.bytes("plain"), "{data} {run}");
        let cache = room.path(&format!("{data}.nvk"));
        let cached = fs::metadata(&cache).map(|about| about.modified().ok()).ok();
        let _ = fs::remove_file(room.path("m"));
        let mut stops = 0;
        loop {
            let goes_on = room.path("m").exists();
            let mut child = start(&room, &words(&room, data, run));
            // a run that is always killed at once would never end
            let reach = if stops < 8 { 0.6 * time } else { 2.0 * time };
            sleep(Duration::from_secs_f64(random.uniform() * reach));
            let ended = child.try_wait().expect("waits").is_some();
            if !ended {
                child.kill().expect("killed");
            }
            let done = child.wait_with_output().expect("waits");
            if ended || done.status.success() {
                let reported = String::from_utf8_lossy(&done.stderr).into_owned();
                // the one before was killed when it had just saved its last
                let is_finished = reported.contains("holds a finished run");
                assert!(
                    done.status.success() || is_finished,
                    "{data} {run}: {reported}"
                );
                break;
            }
            resumed += usize::from(goes_on);
            (killed, stops) = (killed + 1, stops + 1);
        }
        assert_eq!(room.bytes("m"), room.bytes("whole"), "{data} {run}");
        let now = fs::metadata(&cache).map(|about| about.modified().ok()).ok();
        assert_eq!(
            now, cached,
            "{data} {run}: the cache is that of the first run"
        );
        rounds += 1;
        if killed >= kills && rounds >= RUNS.len() {
            break;
        }
    }
    assert!(resumed > 0, "no run was resumed");
    // what the killed left behind is gone with the next write
    room.run("train binary -a perceptron -o m -q").good();
    let left = room
        .files()
        .into_iter()
        .filter(|name| name.starts_with('.'));
    assert_eq!(left.count(), 0);
    eprintln!("{killed} runs killed, {resumed} of them after they had been resumed");
}

#[test]
fn interrupted_runs_are_saved_and_say_how_to_go_on() {
    let room = room();
    for (name, data, run) in [
        ("INT", "binary", "--epochs 300 --shuffle 5"),
        ("TERM", "many", "--epochs 70"),
    ] {
        let run = |model: &str| format!("train {data} -a arow:form=full -o {model} {run} -q");
        let line = run("m");
        let _ = fs::remove_file(room.path("m"));
        let child = start(&room, &line);
        sleep(Duration::from_millis(150));
        signal(&child, name);
        let done = child.wait_with_output().expect("waits");
        let reported = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{reported}");
        assert!(
            reported.contains("the run is saved in m: to go on, type"),
            "{reported}"
        );
        let go_on = reported.lines().last().expect("a command").trim();
        assert_eq!(go_on, format!("novikoff {line} --resume m"));
        let rest = room.json(go_on.strip_prefix("novikoff ").expect("a command"));
        let whole = room.json(&run("whole"));
        assert_eq!(rest, whole, "the report is that of an uninterrupted run");
        assert_eq!(room.bytes("m"), room.bytes("whole"));
    }
}

/// While it waits for a pipe, too; what was learned is kept, and the same stream resumes the run.
#[test]
fn a_run_that_waits_for_a_pipe_can_be_interrupted() {
    let room = room();
    let text = room.text("binary");
    let half = text
        .lines()
        .take(2000)
        .fold(String::new(), |s, l| s + l + "\n");
    for threads in [1, 2] {
        let line = format!("train - -a averaged -o m -q --threads {threads}");
        let _ = fs::remove_file(room.path("m"));
        let mut command = room.command(&line);
        command.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.stdout(Stdio::null()).spawn().expect("starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut pipe, half.as_bytes()).expect("written");
        sleep(Duration::from_millis(300));
        signal(&child, "INT");
        let done = child.wait_with_output().expect("waits");
        drop(pipe);
        let reported = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{reported}");
        assert!(reported.contains("the run is saved in m"), "{reported}");
        room.pipe(&format!("{line} --resume m"), &text).good();
        room.run("train binary -a averaged -o whole -q").good();
        assert_eq!(room.bytes("m"), room.bytes("whole"));
    }
}

/// Before there is anything to save, a signal ends the command all the same, and soon.
#[test]
fn a_run_that_has_nothing_yet_can_be_interrupted() {
    let room = room();
    let nothing = "nothing was learned, and nothing was saved";
    // no byte, then a line and no more, then rows that are to be held
    for (words, input, reported) in [
        ("train - -a averaged -o m", "", nothing),
        ("train - -a averaged -o m --epochs 2", "", nothing),
        ("train - -a averaged -o m --epochs 2", "1 1:1\n", nothing),
        (
            "train binary -a arow:form=full --permutations 3000 --epochs 9",
            "",
            "--permutations saves nothing",
        ),
        (
            "train text:rows=90000000 -a averaged -o m --epochs 2",
            "",
            nothing,
        ),
    ] {
        let mut command = room.command(&format!("{words} -q"));
        command.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.stdout(Stdio::null()).spawn().expect("starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut pipe, input.as_bytes()).expect("written");
        sleep(Duration::from_millis(300));
        signal(&child, "INT");
        // the pipe is still open: what ends the run is the signal
        let done = child.wait_with_output().expect("waits");
        drop(pipe);
        let error = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{words}: {error}");
        assert!(error.contains(reported), "{words}: {error}");
        assert!(!room.path("m").exists(), "{words}");
    }
}

#[test]
fn without_a_model_to_save_nothing_is_promised() {
    let room = room();
    let child = start(&room, "train binary -a arow:form=full --epochs 20000 -q");
    sleep(Duration::from_millis(100));
    signal(&child, "TERM");
    let done = child.wait_with_output().expect("waits");
    let reported = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{reported}");
    assert!(
        reported.contains("nothing is saved, for there was no -o MODEL"),
        "{reported}"
    );
}

/// A run in the middle, by the clock of its rows.
fn unfinished(room: &Room, data: &str, run: &str) {
    let line = format!("train {data} {run} -o m --checkpoint 200 -q");
    kill_when_saved(room, start(room, &line));
}

fn kill_when_saved(room: &Room, mut child: Child) {
    while !room.path("m").exists() {
        assert!(
            child.try_wait().expect("waits").is_none(),
            "ended too early"
        );
        sleep(Duration::from_millis(2));
    }
    child.kill().expect("killed");
    child.wait().expect("waits");
}

#[test]
fn the_course_of_a_resumed_run_is_that_of_one_that_never_stopped() {
    let room = room();
    for (data, run) in [
        ("many", "-a averaged --epochs 3 --shuffle 3 --bias 1"),
        ("binary", "-a perceptron"),
        ("multi", "-a perceptron --kernel gaussian:gamma=0.1"),
    ] {
        let course = |words: &str| {
            let done = room.run(words).good();
            let line = done.stdout.lines().find(|line| line.starts_with("course"));
            line.expect("a course").to_owned()
        };
        let whole = course(&format!("train {data} {run}"));
        let _ = fs::remove_file(room.path("m"));
        unfinished(&room, data, run);
        let resumed = course(&format!("train {data} {run} --resume m -o m"));
        assert_eq!(resumed, whole, "{data} {run}");
    }
}

/// The options of its rows are in the checkpoint as the command of version 0.1.0 wrote them.
#[test]
fn a_checkpoint_of_the_first_version_goes_on() {
    let room = Room::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/checkpoints");
    for name in ["rows.csv", "run.model", "whole.model"] {
        let bytes = fs::read(format!("{folder}/{name}")).expect("a file of testdata");
        room.write(name, bytes);
    }
    let go_on = |options: &[&str]| {
        let mut command = room.command("train rows.csv --resume run.model -o ended.model -q");
        command.args(options);
        Room::pipe_to(command, "train --resume", "")
    };
    let mut options = vec!["--label", "my label", "--categorical", "zip,b c"];
    options.extend(["--header", "yes", "--missing", "zero", "--skip-bad", "1"]);
    go_on(&options).refused(&["--max-features 500"]);
    options.extend(["--max-features", "500"]);
    go_on(&options).good();
    // what missing values are is kept since, and nothing else differs
    let [ended, whole] = ["ended.model", "whole.model"].map(|model| {
        let done = room.run(&format!("inspect {model} --json")).good();
        let mut about: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
        let object = about.as_object_mut().expect("an object");
        object.remove("blake3").expect("a digest");
        let missing = about["table"]["missing"].take();
        (about, missing)
    });
    assert_eq!(ended.0, whole.0);
    assert_eq!((ended.1, whole.1), ("zero".into(), "refuse".into()));
}

#[test]
fn a_run_goes_on_only_as_it_was_begun() {
    let room = room();
    unfinished(
        &room,
        "binary",
        "-a arow:form=full --epochs 500 --shuffle 5",
    );
    for (words, parts) in [
        (
            "binary --epochs 4",
            ["--epochs 500, not 4", "leave --resume out"],
        ),
        (
            "binary --shuffle 6",
            ["--shuffle 5, not 6", "leave --resume out"],
        ),
        ("many", ["binary of", "not many of"]),
        ("binary binary", ["1 input, not 2 inputs", "give the same"]),
        (
            "binary --skip-bad 3",
            ["no options for its rows", "--skip-bad 3"],
        ),
        (
            "binary -a perceptron",
            ["trained with -a arow:form=full", "perceptron"],
        ),
        ("gone", ["gone: no such file", "check the name"]),
        (
            "binary --positive -1",
            ["labels: +1 against -1", "not -1 against the rest"],
        ),
        (
            "binary --labels 1,2",
            ["labels: +1 against -1", "not 2 against 1"],
        ),
        ("binary --multilabel", ["labels: +1", "several a row"]),
        (
            "binary --format svmlight",
            ["no options", "--format svmlight"],
        ),
        (
            "binary --max-features 20",
            ["no options", "--max-features 20"],
        ),
    ] {
        room.run(&format!("train {words} --resume m -q"))
            .refused(&parts);
    }
    let info = inspected(&room, "m");
    assert_eq!(info["unfinished"]["epochs"], 500);
    assert!(info["unfinished"]["done"].as_u64().is_some(), "{info}");
    let reported = room.run("inspect m").good().stdout;
    let command = "`novikoff train binary --resume m -o m` goes on";
    assert!(reported.contains(command), "{reported}");
    // what was saved on the way predicts like any model
    room.run("predict m binary -q").good();
}

/// The command that resumes a run does not train everything again once nothing is left to do.
#[test]
fn a_finished_run_is_not_run_again() {
    let room = room();
    let line = "train binary -a perceptron --epochs 2 -o m --checkpoint 1000 -q";
    room.run(line).good();
    let saved = room.bytes("m");
    for name in ["m", "./m"] {
        room.run(&format!("{line} --resume {name}"))
            .refused(&["m: holds a finished run", "leave --checkpoint out"]);
    }
    assert_eq!(room.bytes("m"), saved);
    room.run("train binary --resume m -o m2 --checkpoint 1000 -q")
        .good();
    room.run("train binary --resume m -o m -q").good();
    assert_eq!(room.bytes("m"), room.bytes("m2"));
}

/// A run on a stream is resumed with the whole stream; less of it is not enough.
#[test]
fn a_stream_goes_on_where_it_was_and_is_not_shorter() {
    let room = room();
    let text = room.text("binary");
    let half = common::lines(text.lines().take(1500));
    let line = "train - -a perceptron -o m --checkpoint 1000 --labels -1,+1";
    // the last line is bad: the run stops, and its last checkpoint is there
    room.pipe(line, text.clone() + "1 x\n")
        .refused(&["<stdin>:3001"]);
    let saved = room.bytes("m");
    let line = format!("{line} --resume m");
    room.pipe(&line, &half)
        .refused(&["the input has 1,500 rows", "3,000", "give the whole"]);
    assert_eq!(room.bytes("m"), saved);
    let more = text.clone() + &half;
    let done = room.pipe(&line, &more).good();
    let reported = "passing over 3,000 rows learned before";
    assert!(done.stderr.contains(reported), "{}", done.stderr);
    room.write("more", &more);
    room.run("train more -a perceptron -o whole -q").good();
    assert_eq!(room.bytes("m"), room.bytes("whole"));
    room.write("m", saved);
    let quiet = room.pipe(&format!("{line} -q"), &more).good();
    assert_eq!(quiet.stderr, "");
}

#[test]
fn a_stream_that_is_held_is_as_long_as_it_was() {
    let room = room();
    let text = room.text("binary");
    let line = "train - -a arow:form=full --epochs 500 --shuffle 2 -o m -q";
    let mut command = room.command(&format!("{line} --checkpoint 200"));
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().expect("starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut pipe, text.as_bytes()).expect("written");
    drop(pipe);
    kill_when_saved(&room, child);
    let saved = room.bytes("m");
    room.pipe(&format!("{line} --resume m"), text.clone() + "1 1:1\n")
        .refused(&["the input has 3,001 rows", "3,000", "give the whole"]);
    assert_eq!(room.bytes("m"), saved);
}

/// The trace of a run that was killed and went on is that of a run that was not.
#[test]
fn the_trace_goes_on_with_the_run() {
    let room = room();
    for (data, run) in [
        ("binary", "-a averaged --epochs 20 --shuffle 2"),
        ("many", "-a perceptron --epochs 20"),
        ("multi", "-a perceptron"),
    ] {
        let line = format!("train {data} {run} -q --checkpoint 300");
        room.run(&format!("{line} -o whole --trace whole.trace"))
            .good();
        let line = format!("{line} -o m --trace trace");
        for name in ["m", "trace"] {
            let _ = fs::remove_file(room.path(name));
        }
        kill_when_saved(&room, start(&room, &line));
        let line = format!("{line} --resume m");
        for _ in 0..2 {
            let mut child = start(&room, &line);
            sleep(Duration::from_millis(30));
            let _ = child.kill();
            child.wait().expect("waits");
        }
        if inspected(&room, "m")["unfinished"].is_null() {
            eprintln!("{data} {run}: was not to be killed");
        } else {
            let trace = room.bytes("trace");
            // a torn line, as a power cut leaves it
            room.write("trace", [&trace[..], br#"{"epoch":19,"ro"#].concat());
            if data == "binary" {
                room.run(&format!("{line} --trace other"))
                    .refused(&["cannot be used multiple times"]);
                let other = line.replace("--trace trace", "--trace other");
                let parts = ["other: is not the trace of the run", "leave --trace out"];
                room.run(&other).refused(&parts);
                room.write("other", &room.bytes("whole.trace")[..500]);
                room.run(&other).refused(&parts);
                room.write("other", "1 1:1\n");
                room.run(&other).refused(&parts);
                assert_eq!(room.text("other"), "1 1:1\n");
            }
            room.run(&line).good();
        }
        assert_eq!(room.bytes("m"), room.bytes("whole"), "{data} {run}");
        common::same_lines(&room.text("trace"), &room.text("whole.trace"), run);
    }
}

#[test]
fn inspect_says_how_to_go_on() {
    let room = room();
    let run = "-a perceptron --labels +1,-1 --format svmlight --skip-bad 400 --max-features 99";
    let line = format!("train bad {run}");
    let bad = room.text("bad");
    room.write("bad", bad.clone() + "1 x\n".repeat(400).as_str());
    room.run(&format!("{line} -o m --checkpoint 1000 -q"))
        .refused(&["--skip-bad allows: 400"]);
    // of the same size, but with good rows
    room.write("bad", bad.clone() + "#..\n".repeat(400).as_str());
    let reported = room.run("inspect m").good().stdout;
    let command = reported.split('`').nth(1).expect("a command");
    assert_eq!(
        command,
        "novikoff train bad --format svmlight --skip-bad 400 --max-features 99 --resume m -o m"
    );
    room.run(command.strip_prefix("novikoff ").expect("a command"))
        .good();
    room.run(&format!("{line} -o whole -q")).good();
    assert_eq!(room.bytes("m"), room.bytes("whole"));
}

#[test]
fn bad_words_are_refused() {
    let room = room();
    room.run("train binary -a perceptron --checkpoint 10")
        .refused(&["--output", "required"]);
    for bad in ["0", "5d", "-1", "s"] {
        room.run(&format!(
            "train binary -a perceptron -o m --checkpoint={bad}"
        ))
        .refused(&["--checkpoint", "rows, as in 100000, or a time, as in 30s"]);
    }
    assert!(!room.path("m").exists());
}

fn inspected(room: &Room, model: &str) -> serde_json::Value {
    let done = room.run(&format!("inspect {model} --json")).good();
    serde_json::from_str(&done.stdout).expect("JSON")
}

/// Mounts a small file system on `full`; false, visibly, where that is not allowed.
fn mounted(room: &Room, options: &str) -> bool {
    fs::create_dir(room.path("full")).expect("created");
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", options, "tmpfs"])
        .arg(room.path("full"))
        .stderr(Stdio::null())
        .status();
    let done = mount.is_ok_and(|status| status.success());
    if !done {
        eprintln!("skipped: mounting a small disk is not allowed here");
    }
    done
}

fn unmount(room: &Room) {
    let done = Command::new("umount").arg(room.path("full")).status();
    assert!(done.expect("umount").success());
}

#[test]
fn a_full_disk_leaves_the_last_checkpoint_as_it_was() {
    let room = room();
    if !mounted(&room, "size=64k") {
        return;
    }
    let run = "-a voted --epochs 3 --shuffle 2";
    let line = format!("train binary {run} -o full/m --checkpoint 20 -q");
    // voted grows with every mistake, until there is no more room
    let done = room.run(&line);
    done.refused(&["full/m: cannot write it", "make room"]);
    let info = inspected(&room, "full/m");
    assert!(info["unfinished"]["done"].as_u64() > Some(0), "{info}");
    fs::copy(room.path("full/m"), room.path("m")).expect("copied");
    let files = fs::read_dir(room.path("full")).expect("listed").count();
    unmount(&room);
    assert_eq!(files, 1, "nothing half-written is left");
    room.run("train binary --resume m -o m -q").good();
    room.run(&format!("train binary {run} -o whole -q")).good();
    assert_eq!(room.bytes("m"), room.bytes("whole"));
}

#[test]
fn a_directory_that_cannot_be_written_is_noticed_at_once() {
    let room = room();
    if !mounted(&room, "size=64k,ro") {
        return;
    }
    let done = room.run("train binary -a perceptron -o full/m --checkpoint 20 -q");
    unmount(&room);
    done.refused(&["full/m: cannot create a file in its directory"]);
}

#[test]
fn an_input_that_vanished_is_named_and_the_checkpoint_stays() {
    let room = room();
    unfinished(&room, "binary", "-a arow:form=full --epochs 500");
    let saved = room.bytes("m");
    let text = room.bytes("binary");
    fs::remove_file(room.path("binary")).expect("removed");
    room.run("train binary --resume m -o m -q")
        .refused(&["binary: no such file"]);
    room.write("binary", &text[..text.len() / 2]);
    room.run("train binary --resume m -o m -q")
        .refused(&["bytes, not binary of"]);
    assert_eq!(room.bytes("m"), saved);
}
