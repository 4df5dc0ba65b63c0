//! Rows give the same mistakes, margins and weights in every format.

use crate::common;

use std::fmt::Write as _;

use common::Room;
use common::data::SplitMix64;
use novikoff_data::options::Format;

const D: usize = 7;

/// Dense rows without a zero, so that every format has every value; the label is the sign of a sum.
fn rows(seed: u64, n: usize) -> Vec<(i32, Vec<f32>)> {
    let mut random = SplitMix64(seed);
    let row = |_| {
        let value = |_| {
            let v = (random.uniform() * 4.0 - 2.0) as f32;
            if v == 0.0 { 0.5 } else { v }
        };
        let x: Vec<f32> = (0..D).map(value).collect();
        let y = if x[0] - x[3] + 0.3 * x[5] >= 0.1 {
            1
        } else {
            -1
        };
        (y, x)
    };
    (0..n).map(row).collect()
}

/// Writes the rows as text in four formats.
fn write_all(room: &Room, stem: &str, rows: &[(i32, Vec<f32>)]) {
    let (mut svm, mut vw, mut csv, mut tsv) = Default::default();
    let (svm, vw): (&mut String, &mut String) = (&mut svm, &mut vw);
    let (csv, tsv): (&mut String, &mut String) = (&mut csv, &mut tsv);
    csv.push_str("f1,f2,y,f3,f4,f5,f6,f7\n");
    for (y, x) in rows {
        let values: Vec<String> = x.iter().map(f32::to_string).collect();
        write!(svm, "{y}").expect("text");
        write!(vw, "{y} |").expect("text");
        for (j, value) in values.iter().enumerate() {
            write!(svm, " {}:{value}", j + 1).expect("text");
            write!(vw, " {}:{value}", j + 1).expect("text");
        }
        svm.push('\n');
        vw.push('\n');
        let mut fields = values.clone();
        fields.insert(2, y.to_string());
        writeln!(csv, "{}", fields.join(",")).expect("text");
        writeln!(tsv, "{y}\t{}", values.join("\t")).expect("text");
    }
    room.write(&format!("{stem}.svm"), &*svm);
    room.write(&format!("{stem}.vw"), &*vw);
    room.write(&format!("{stem}.csv"), &*csv);
    room.write(&format!("{stem}.tsv"), &*tsv);
}

/// Weights by name, with names such as `f3` taken as numbers.
fn weights(room: &Room, model: &str) -> Vec<(String, String)> {
    let text = room
        .run(&format!("inspect {model} --weights"))
        .good()
        .stdout;
    let mut weights: Vec<(String, String)> = text
        .lines()
        .map(|line| line.split_once('\t').expect("two columns"))
        .map(|(name, w)| (name.trim_start_matches('f').to_owned(), w.to_owned()))
        .collect();
    weights.sort();
    weights
}

fn extension(format: Format) -> &'static str {
    match format {
        Format::Svmlight => "svm",
        Format::Vw => "vw",
        Format::Csv => "csv",
        Format::Json => "jsonl",
        Format::Parquet => "parquet",
        Format::Arrow => "arrow",
        Format::Cache => "nvk",
    }
}

#[test]
fn formats_have_one_name_in_the_command_and_in_the_library() {
    let room = Room::new();
    let names = Format::ALL.map(Format::name).join(", ");
    let wrong = room.run("train x -a perceptron --format nothing");
    wrong.refused(&[&format!("[possible values: {names}]")]);
}

/// The word by which people know a format.
fn called(format: Format) -> &'static str {
    match format {
        Format::Svmlight => "svmlight",
        Format::Vw => "VW",
        Format::Csv => "CSV",
        Format::Json => "JSON lines",
        Format::Parquet => "Parquet",
        Format::Arrow => "Arrow",
        Format::Cache => "cache",
    }
}

#[test]
fn every_format_is_on_the_pages_that_list_them() {
    let room = Room::new();
    let help = room.run("--help").good().stdout;
    // lines are broken as wide as the screen is
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let formats = include_str!("../../../docs/formats.md");
    let table = formats.lines().filter(|line| line.starts_with('|'));
    let table = table.collect::<Vec<_>>().join("\n");
    for format in Format::ALL {
        let name = called(format);
        for (page, text) in [
            ("README.md", include_str!("../../../README.md")),
            ("the table of docs/formats.md", &table),
            ("novikoff --help", &help),
        ] {
            assert!(text.contains(name), "{page}: {name}");
        }
    }
}

#[test]
fn the_same_rows_in_every_format_give_the_same_run() {
    let room = Room::new();
    write_all(&room, "train", &rows(1, 400));
    write_all(&room, "test", &rows(2, 100));
    let mut names = Vec::new();
    for name in ["train", "test"] {
        for target in [
            "nvk", "jsonl", "parquet", "arrow", "vw.gz", "csv.zst", "tsv.gz", "svm.zst",
            "jsonl.gz", "2.csv", "2.vw",
        ] {
            room.run(&format!("convert {name}.svm {name}.{target} -q"))
                .good();
        }
        // and once more around, from tables
        room.run(&format!("convert {name}.csv {name}.3.parquet --label y -q"))
            .good();
        room.run(&format!("convert {name}.parquet {name}.4.vw -q"))
            .good();
        room.run(&format!("convert {name}.3.parquet {name}.4.jsonl -q"))
            .good();
        room.run(&format!("convert {name}.arrow {name}.4.nvk -q"))
            .good();
    }
    let kinds = [
        "svm",
        "vw",
        "csv",
        "tsv",
        "nvk",
        "jsonl",
        "parquet",
        "arrow",
        "vw.gz",
        "csv.zst",
        "tsv.gz",
        "svm.zst",
        "jsonl.gz",
        "2.csv",
        "2.vw",
        "3.parquet",
        "4.vw",
        "4.jsonl",
        "4.nvk",
    ];
    for format in Format::ALL {
        assert!(kinds.contains(&extension(format)), "{format:?}");
    }
    for spec in [
        "perceptron",
        "averaged",
        "p-norm",
        "arow:form=full",
        "voted",
    ] {
        let mut first = None;
        for kind in kinds {
            let label = if kind == "csv" { "--label y" } else { "" };
            let words = format!("-a {spec} --epochs 2 --shuffle 3 --bias 1 {label} -q");
            let mut run = room.json(&format!(
                "train train.{kind} {words} --test test.{kind} -o m"
            ));
            let object = run.as_object_mut().expect("an object");
            object.remove("seconds");
            // that there is no error is said of named columns
            object.remove("remarks");
            let margins = room
                .run(&format!("predict m test.{kind} --margins -q {label}"))
                .good()
                .stdout;
            let piped = room.bytes(&format!("train.{kind}"));
            let from_pipe = room.pipe(&format!("train - {words} -o m2"), piped);
            from_pipe.good();
            assert_eq!(
                room.bytes("m"),
                room.bytes("m2"),
                "{spec} {kind}: a pipe is a file"
            );
            let found = (run, margins, weights(&room, "m"));
            match &first {
                None => first = Some(found),
                Some(first) => assert_eq!(&found, first, "{spec} {kind}"),
            }
            names.push(kind);
        }
    }
    assert_eq!(names.len(), 5 * kinds.len());
}

#[test]
fn names_travel_from_the_data_to_the_weights() {
    let room = Room::new();
    room.write(
        "a.vw",
        "1 |w red:2 blue\n-1 |w green |n size:0.5\n1 |w red |n size:3\n",
    );
    room.run("train a.vw -a perceptron -o m -q").good();
    let shown = room.run("inspect m --weights").good().stdout;
    assert_eq!(shown, "n^size\t2.5\nw^red\t1\nw^green\t-1\n");
    assert!(room.run("inspect m").good().stdout.contains("n^size:2.500"));
    // a name the model has not met is left out, and said to be
    room.write("b.vw", "|w green purple\n");
    let done = room.run("predict m b.vw --margins").good();
    assert_eq!(done.stdout, "-1\n");
    assert!(
        done.stderr.contains("1 of 2 values (50.00%) was left out"),
        "{}",
        done.stderr
    );
    room.write(
        "c.csv",
        "colour,size,label\nred,2,yes\nblue,1,no\nred,4,yes\n",
    );
    room.run("train c.csv -a perceptron -o m -q").good();
    let shown = room.run("inspect m --weights").good().stdout;
    assert_eq!(shown, "size\t3\ncolour=red\t1\ncolour=blue\t-1\n");
    // the label's column may be missing, columns may move
    room.write("d.csv", "size,colour\n9,red\n1,blue\n");
    assert_eq!(room.run("predict m d.csv -q").good().stdout, "yes\nyes\n");
}

#[test]
fn a_column_is_of_one_kind_in_all_files() {
    let room = Room::new();
    room.write("a.csv", "y,colour,size\n1,red,2\n-1,blue,3\n");
    room.write("b.csv", "y,colour\n-1,7\n-1,red\n");
    let words = "train a.csv b.csv -a perceptron -o m -q";
    room.run(words)
        .refused(&["b.csv: column \"size\" is missing", "--missing zero"]);
    room.run(&format!("{words} --missing zero")).good();
    let names = room.run("inspect m --weights").good().stdout;
    for name in ["colour=red", "colour=blue", "colour=7", "size"] {
        assert!(names.contains(name), "{names}");
    }
    let model = room.run("inspect m --json").good().stdout;
    let columns = r#"[{"name":"colour","kind":"category","categorical":true},{"name":"size","kind":"number","categorical":false}]"#;
    assert!(model.contains(columns), "{model}");
}

#[test]
fn the_number_of_a_label_column_is_not_its_name() {
    let room = Room::new();
    room.write("nh.csv", "1,5,0\n0,0,5\n1,4,1\n0,1,3\n");
    room.run("train nh.csv -a perceptron -o m -q").good();
    let margins = room.run("predict m nh.csv --margins -q").good().stdout;
    for kind in ["csv", "tsv", "parquet", "arrow"] {
        room.run(&format!("convert nh.csv named.{kind} -q")).good();
        let words = format!("predict m named.{kind} --margins -q");
        assert_eq!(room.run(&words).good().stdout, margins, "{kind}");
    }
}

#[test]
fn a_table_that_lacks_a_column_is_refused_in_every_format() {
    let room = Room::new();
    room.write("a.csv", "y,size,height\n1,2,1\n-1,3,0\n1,1,4\n");
    room.write("b.csv", "y,height\n1,1\n-1,0\n");
    room.run("train a.csv -a perceptron -o m -q").good();
    room.run("convert b.csv b.svm -q").good();
    // svmlight text knows features by number only
    room.run("predict m b.svm -q --lenient").good();
    for kind in ["csv", "tsv", "parquet", "arrow", "nvk"] {
        if kind != "csv" {
            room.run(&format!("convert b.csv b.{kind} -q")).good();
        }
        let words = format!("predict m b.{kind} -q");
        room.run(&words)
            .refused(&[&format!("b.{kind}: column \"size\" is missing")]);
        room.run(&format!("{words} --missing zero")).good();
    }
}

#[test]
fn hashed_slots_are_counted_where_they_collide() {
    let room = Room::new();
    let text: String = (0..300).fold(String::new(), |mut s, i| {
        writeln!(
            s,
            "{} |a f{i}:1 g{}",
            if i % 2 == 0 { 1 } else { -1 },
            i % 7
        )
        .expect("text");
        s
    });
    room.write("a.vw", text);
    let run = room.json("train a.vw -a perceptron --hash 6 -o m -q");
    assert_eq!(run["hash"]["bits"], 6);
    assert!(
        run["hash"]["collisions"].as_u64() >= Some(307 - 64),
        "{run}"
    );
    assert_eq!(run["data"]["features"], 64);
    for _ in 0..2 {
        // the second time from the cache
        let cached = room.json("train a.vw -a perceptron --hash 6 --cache -q");
        assert_eq!(cached["hash"], run["hash"]);
    }
    room.run("predict m a.vw -q").good();
    room.run("train a.vw -a perceptron --hash 7 --resume m")
        .refused(&["--hash 6", "not 7"]);
    let exact = room.json("train a.vw -a perceptron -q");
    assert_eq!(exact["data"]["features"], 307);
    assert!(exact.get("hash").is_none());
}

#[test]
fn weights_of_rows_scale_the_step() {
    let room = Room::new();
    room.write("a.vw", "-1 2.5 |x a:2\n1 |x b\n-1 0 |x c\n");
    room.run("train a.vw -a perceptron -o m -q").good();
    assert_eq!(room.run("inspect m --weights").good().stdout, "x^a\t-5\n");
    room.run("train a.vw -a arow")
        .refused(&["a.vw:1: the row has weight 2.5", "remove the weights"]);
    room.run("convert a.vw b.nvk -q").good();
    room.run("train b.nvk -a perceptron -o m2 -q").good();
    assert_eq!(room.bytes("m"), room.bytes("m2"));
    room.run("convert a.vw b.csv").refused(&["weight"]);
    room.run("convert a.vw b.svm")
        .refused(&["b.svm: a row of weight 2.5", "choose vw or nvk"]);
}

#[test]
fn bad_lines_are_passed_over_counted_and_shown() {
    let room = Room::new();
    room.write("a.svm", "1 1:1\n1 x\n-1 1:nan\n? 1:2\n-1 2:1\n");
    room.run("train a.svm -a perceptron --skip-bad 2")
        .refused(&["a.svm:4: no label"]);
    room.run("train a.svm -a perceptron --skip-bad 1")
        .refused(&[
            "a.svm:3:",
            "(bad lines passed over before it, as --skip-bad allows: 1)",
        ]);
    let run = room.json("train a.svm -a perceptron --skip-bad 3 -q");
    assert_eq!(run["data"]["rows"], 2);
    assert_eq!(run["skipped"]["lines"], 3);
    let samples = run["skipped"]["samples"].as_array().expect("samples");
    assert_eq!(samples.len(), 3);
    assert!(
        samples[0]
            .as_str()
            .expect("text")
            .starts_with("a.svm:2:3: "),
        "{run}"
    );
    let reported = room.run("train a.svm -a perceptron --skip-bad 3").good();
    assert!(
        reported.stdout.contains("3 bad lines, such as"),
        "{}",
        reported.stdout
    );
    for threads in 1..4 {
        let again = room.json(&format!(
            "train a.svm -a perceptron --skip-bad 3 -q --threads {threads}"
        ));
        assert_eq!(again["skipped"], run["skipped"]);
    }
}

/// A row without a label is a bad line, however the rows are read; it is no row of the run.
#[test]
fn rows_without_a_label_are_passed_over_in_every_run() {
    let room = Room::new();
    let text = "? 2:1\n1 1:1 2:1\n1 x\n? 1:2\n-1 2:1\n1 1:1\n-1 2:3\n";
    room.write("a.svm", text);
    room.write("good.svm", "1 1:1 2:1\n-1 2:1\n1 1:1\n-1 2:3\n");
    for run in [
        "train a.svm -a perceptron",
        "train a.svm -a perceptron --epochs 2",
        "train a.svm -a perceptron --epochs 3 --shuffle 2 --labels -1,1",
        "train a.svm -a perceptron --standardize",
        "train a.svm -a perceptron --permutations 3",
        "train a.svm -a perceptron --epochs 2 --test a.svm",
        "train a.svm -a perceptron --permutations 3 --test a.svm",
        "compare a.svm perceptron arow --test a.svm",
    ] {
        let mut all = room.json(&format!("{run} --skip-bad 3 -q"));
        let good = run.replace("a.svm", "good.svm");
        let mut good = room.json(&format!("{good} -q"));
        let skipped = match all.get_mut("runs") {
            Some(runs) => runs[0]["skipped"].take(),
            None => all["skipped"].take(),
        };
        assert_eq!(skipped["lines"], 3, "{run}");
        assert_eq!(skipped["samples"].as_array().map(Vec::len), Some(3));
        for report in [&mut all, &mut good] {
            assert_eq!(report["data"]["rows"], 4, "{run}");
            let runs = report.get_mut("runs").and_then(|runs| runs.as_array_mut());
            for run in runs.into_iter().flatten() {
                run.as_object_mut().expect("a run").remove("skipped");
            }
            report.as_object_mut().expect("a run").remove("skipped");
        }
        assert_eq!(all, good, "{run}");
        room.run(&format!("{run} --skip-bad 2 -q"))
            .refused(&["no label, but learning", "--skip-bad allows: 2"]);
    }
    let run = "train a.svm -a perceptron --skip-bad 3 --trace";
    room.run(&format!("{run} streamed -q")).good();
    room.run(&format!("{run} held --shuffle 1 -q")).good();
    room.run("train good.svm -a perceptron --trace good -q")
        .good();
    assert_eq!(room.text("streamed"), room.text("good"));
}

/// What is accepted does not depend on where a pipe was cut.
#[test]
fn bad_lines_and_rows_without_a_label_share_one_count() {
    let room = Room::new();
    for (text, bad) in [
        ("? 1:1\n1 1:1\n1 x\n-1 2:1\n", 2),
        ("1 x\n? 1:1\n1 1:1\n? 2:1\n-1 2:1\n", 3),
    ] {
        for allowed in 1..4 {
            let words = format!("train - -a perceptron --labels -1,1 -q --skip-bad {allowed}");
            let code = if allowed < bad { Some(2) } else { Some(0) };
            assert_eq!(room.pipe(&words, text).code, code, "{words}");
            let mut command = room.command(&words);
            command.stdin(std::process::Stdio::piped());
            command.stdout(std::process::Stdio::null());
            command.stderr(std::process::Stdio::null());
            let mut child = command.spawn().expect("starts");
            let mut pipe = child.stdin.take().expect("a pipe");
            for line in text.lines() {
                // it may have had enough
                let _ = std::io::Write::write_all(&mut pipe, format!("{line}\n").as_bytes());
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            drop(pipe);
            let cut = child.wait().expect("ends").code();
            assert_eq!(cut, code, "{words}: line by line");
        }
    }
}

#[test]
fn a_cache_is_kept_beside_the_data_and_notices_changes() {
    let room = Room::new();
    write_all(&room, "a", &rows(5, 60));
    room.run("train a.svm -a perceptron -o plain -q").good();
    let made = room.run("train a.svm -a perceptron -o m --cache").good();
    assert!(
        made.stderr.contains("making the cache a.svm.nvk"),
        "{}",
        made.stderr
    );
    let used = room.run("train a.svm -a perceptron -o m --cache -v").good();
    assert!(
        used.stderr.contains("using the cache a.svm.nvk"),
        "{}",
        used.stderr
    );
    assert_eq!(room.bytes("m"), room.bytes("plain"));
    let mut text = room.text("a.svm");
    text.push_str("1 1:9\n");
    room.write("a.svm", &text);
    let made = room.run("train a.svm -a perceptron -o m --cache").good();
    assert!(
        made.stderr.contains("making the cache a.svm.nvk: "),
        "{}",
        made.stderr
    );
    room.run("train a.svm -a perceptron -o plain -q").good();
    assert_eq!(room.bytes("m"), room.bytes("plain"));
    // a damaged cache is rebuilt
    let mut bytes = room.bytes("a.svm.nvk");
    let middle = bytes.len() / 2;
    bytes.truncate(middle);
    room.write("a.svm.nvk", bytes);
    room.run("train a.svm -a perceptron -o m --cache -q").good();
    assert_eq!(room.bytes("m"), room.bytes("plain"));
}

#[test]
fn what_is_no_cache_is_not_replaced_by_one() {
    let room = Room::new();
    write_all(&room, "a", &rows(5, 60));
    let run = "-a perceptron --cache -q";
    for (words, bytes) in [("train a.svm", "1 1:1\n"), ("compare a.svm", "")] {
        room.write("a.svm.nvk", bytes);
        let words = if words.starts_with("train") {
            format!("{words} {run}")
        } else {
            format!("{words} perceptron --cache")
        };
        room.run(&words)
            .refused(&["a.svm.nvk: is no cache", "move it elsewhere"]);
        assert_eq!(room.text("a.svm.nvk"), bytes);
    }
    std::fs::remove_file(room.path("a.svm.nvk")).expect("removed");
    for option in ["-o a.svm.nvk", "-o ./a.svm.nvk", "--trace a.svm.nvk"] {
        room.run(&format!("train a.svm {run} {option}"))
            .refused(&["a.svm.nvk: is where the cache keeps", "another name"]);
        assert!(!room.path("a.svm.nvk").exists());
    }
    room.run(&format!("train a.svm {run} -o m")).good();
    room.run("convert a.svm b.nvk -q").good();
    std::fs::rename(room.path("b.nvk"), room.path("a.svm.nvk")).expect("renamed");
    room.run(&format!("train a.svm {run}"))
        .refused(&["is a cache that `convert` made"]);
}

/// A cache is a help, not a need.
#[cfg(unix)]
#[test]
fn a_run_goes_on_without_a_cache_that_cannot_be_written() {
    let room = Room::new();
    write_all(&room, "a", &rows(5, 60));
    room.run("train a.svm -a perceptron -o plain -q").good();
    // with .nvk the name is longer than names can be
    let name = "x".repeat(252);
    room.write(&name, room.bytes("a.svm"));
    let done = room.run(&format!("train {name} -a perceptron --cache -o m"));
    let done = done.good();
    let reported = "the run goes on without a cache: xxx";
    assert_eq!(done.stderr.matches(reported).count(), 1, "{}", done.stderr);
    assert_eq!(room.bytes("m"), room.bytes("plain"));
}

#[test]
fn outputs_that_cannot_be_are_refused() {
    let room = Room::new();
    write_all(&room, "a", &rows(5, 10));
    for (words, parts) in [
        ("a.svm a.xyz", ["must end in .svm", ".nvk"]),
        (
            "a.svm a.parquet.gz",
            ["only text is compressed", "leave the .gz"],
        ),
        ("a.svm a.svm", ["is read as data", "another name"]),
        ("gone a.vw", ["gone: no such file", "check the name"]),
        ("a.csv b.svm --label z", ["z", "f1"]),
    ] {
        room.run(&format!("convert {words}")).refused(&parts);
    }
    assert_eq!(room.files(), ["a.csv", "a.svm", "a.tsv", "a.vw"]);
}

/// A number as people and programs write it.
fn written(random: &mut SplitMix64) -> String {
    let (sign, value) = (["", "-"][random.below(2)], random.uniform());
    match random.below(8) {
        0 => format!("{sign}{}", 1 + random.below(99_999)),
        1 => format!("{sign}{value:.17}"),
        2 => format!("{sign}{value:.28}"),
        3 => format!("{sign}{:.4}e-{}", 1.0 + value, random.below(20)),
        4 => format!("{sign}{}E+{}", 1 + random.below(9), random.below(12)),
        5 => format!("{sign}.{}", 1 + random.below(999)),
        _ => format!("{sign}{:.5}", 100.0 * value + 1e-5),
    }
}

/// Blanks are read many tokens at a time where the machine can, and tabs one by one.
#[test]
fn tokens_are_the_same_behind_blanks_and_tabs() {
    let room = Room::new();
    let mut random = SplitMix64(11);
    let mut rows = Vec::new();
    for _ in 0..1000 {
        let mut slot = 0;
        let tokens = (0..random.below(40)).map(|_| {
            slot += 1 + random.below(50);
            format!("{slot}:{}", written(&mut random))
        });
        let tokens: Vec<String> = tokens.collect();
        rows.push((["-1", "+1"][random.below(2)], tokens));
    }
    for (format, bar) in [("svmlight", ""), ("vw", "|")] {
        let with = |blank: &str| {
            let rows = rows.iter().map(|(label, tokens)| {
                let head = format!("{label} {bar}");
                let head = head.trim_end();
                let tokens = tokens.iter().map(|token| format!("{blank}{token}"));
                format!("{head}{}", tokens.collect::<String>())
            });
            room.write("t.txt", common::lines(rows));
            let convert = format!("convert t.txt {}.svm --format {format} -q", blank.len());
            room.run(&convert).good();
            room.bytes(&format!("{}.svm", blank.len()))
        };
        let (blanks, tabs) = (with(" "), with(" \t"));
        assert!(blanks == tabs, "{format}");
        assert!(blanks.len() > 100_000, "{format}");
    }
}
