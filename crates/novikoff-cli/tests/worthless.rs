//! What looks like a result and is none: probabilities of weighted rows, models of one label, tests on the rows that were learned from, rows of
//! other tables. And messages that name the right culprit.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use common::remarks::text_of;

/// A table with six numbers, a category that all rows have, and the label `yes` on a third of the rows.
fn table(rows: usize, seed: u64) -> String {
    let mut random = SplitMix64(seed);
    let mut text = "a,b,c,d,e,f,country,y\n".to_owned();
    for _ in 0..rows {
        let cells: Vec<f64> = (0..6).map(|_| random.uniform() - 0.5).collect();
        let noise = 0.6 * (random.uniform() - 0.5);
        let label = if cells[0] + cells[1] + noise > 0.25 {
            "yes"
        } else {
            "no"
        };
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:.4}")).collect();
        let _ = writeln!(text, "{},DE,{label}", cells.join(","));
    }
    text
}

fn room() -> Room {
    let room = Room::new();
    room.write("t.csv", table(1500, 1));
    room.write("u.csv", table(500, 2));
    room
}

#[test]
fn probabilities_of_weighted_rows_are_not_those_of_rows_as_they_come() {
    let room = room();
    let train = "train t.csv --label y -a logistic --bias 1 -q";
    room.run(&format!("{train} --class-weight balanced -o w"))
        .good();
    room.run(&format!("{train} -o m")).good();
    let said = "its probabilities are those of rows with these weights";
    for asked in ["--probabilities", "--cost 1:20", "--threshold 0.3"] {
        let done = room.run(&format!("predict w u.csv {asked} -q")).good();
        assert!(done.stderr.contains(said), "{asked}: {}", done.stderr);
        assert!(
            done.stderr.contains("novikoff calibrate w"),
            "{}",
            done.stderr
        );
        let plain = room.run(&format!("predict m u.csv {asked} -q")).good();
        assert!(!plain.stderr.contains(said), "{asked}: {}", plain.stderr);
    }
    assert!(!room.run("predict w u.csv -q").good().stderr.contains(said));
    room.run("calibrate w u.csv -o c -q").good();
    let calibrated = room.run("predict c u.csv --probabilities -q").good();
    assert!(!calibrated.stderr.contains(said), "{}", calibrated.stderr);
}

#[test]
fn a_test_on_the_rows_that_were_learned_from_is_said() {
    let room = room();
    let said = "the test rows are those that were learned from";
    for words in [
        "train t.csv --label y -a perceptron --bias 1 --test ./t.csv -q",
        "compare t.csv perceptron --label y --bias 1 --test t.csv -q",
        "solve t.csv --label y --loss hinge --lambda 0.01 --bias 1 --test t.csv -q",
    ] {
        let done = room.run(words).good();
        assert!(done.stderr.contains(said), "{words}: {}", done.stderr);
        let other = room.run(&words.replace("t.csv -q", "u.csv -q")).good();
        assert!(!other.stderr.contains(said), "{}", other.stderr);
    }
}

#[test]
fn a_label_with_a_typing_error_is_named() {
    let room = Room::new();
    let mut text = table(1500, 1).replacen(",no\n", ",noo\n", 3);
    text = text.replacen(",yes\n", ",yess\n", 2);
    room.write("t.csv", text);
    let json = room.json("train t.csv --label y -a perceptron --bias 1 -q");
    let said = text_of(&json, "labels");
    assert!(said.contains("`noo` (3 rows) and `no` ("), "{json}");
    assert!(said.contains("`yess` (2 rows) and `yes` ("), "{json}");
}

#[test]
fn a_model_of_one_label_says_so_when_it_answers() {
    let room = Room::new();
    room.write("one.csv", table(300, 1).replace(",yes\n", ",no\n"));
    room.run("train one.csv --label y -a perceptron -o m -q")
        .good();
    let done = room.run("predict m one.csv -q").good();
    let said = "the model knows one label only, no, so every answer is no";
    assert!(done.stderr.contains(said), "{}", done.stderr);
}

#[test]
fn rows_of_another_table_are_refused_by_one_message() {
    let room = room();
    let train = "train t.csv --label y -a perceptron --bias 1 --missing indicator -o m -q";
    room.run(train).good();
    room.write("foreign.csv", "a,x1,x2,x3\n0.5,1,2,3\n0.1,2,3,4\n");
    let done = room.run("predict m foreign.csv -q");
    done.refused(&[
        "6 of the 7 columns of the model are missing: b, c, country, d, e and 1 more",
        "the data has x1, x2, x3 instead",
        "--lenient",
    ]);
    assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
    let lenient = room.run("predict m foreign.csv --lenient -q").good();
    assert_eq!(lenient.stdout.lines().count(), 2);
    assert!(
        lenient.stderr.contains("6 of the 7 columns"),
        "{}",
        lenient.stderr
    );
    // one column that is missing has its own remark, and is filled in
    let without = table(50, 3).replacen("a,b,", "z,b,", 1);
    room.write("without.csv", without);
    let done = room.run("predict m without.csv -q").good();
    assert!(
        done.stderr.contains("column a is missing"),
        "{}",
        done.stderr
    );
}

#[test]
fn learners_without_the_predictor_asked_for_are_left_out_of_a_grid() {
    let room = room();
    let words =
        "tune t.csv --label y --bias 1 -a arow -a perceptron -a passive-aggressive --use averaged";
    let done = room.run(words).good();
    assert!(
        done.stderr.contains("leaving out arow: "),
        "{}",
        done.stderr
    );
    assert!(done.stdout.contains("-a passive-aggressive") || done.stdout.contains("-a perceptron"));
    assert!(!done.stdout.contains("arow"), "{}", done.stdout);
    let json = room.json(&format!("{words} --json -q").replace("--json ", ""));
    assert_eq!(json["runs"].as_array().map(Vec::len), Some(2), "{json}");
    room.run("tune t.csv --label y -a arow --use averaged")
        .refused(&["arow"]);
}

#[test]
fn what_is_no_better_than_the_baseline_is_not_recommended() {
    let room = Room::new();
    let mut random = SplitMix64(4);
    let rows = (0..800).map(|_| {
        let label = if random.uniform() < 0.3 { "yes" } else { "no" };
        format!("{:.3},{:.3},{label}\n", random.uniform(), random.uniform())
    });
    room.write("noise.csv", format!("a,b,y\n{}", rows.collect::<String>()));
    let done = room
        .run("compare noise.csv perceptron romma --label y --bias 1 -q")
        .good();
    let next = "next: none of these learners is better than the baseline\n";
    assert!(done.stdout.ends_with(next), "{}", done.stdout);
    let room = Room::with("-1 1:-1\n+1 1:1\n-1 1:-2\n+1 1:2\n");
    let done = room.run("compare data.svm -q").good();
    assert!(done.stdout.contains("left out: "), "{}", done.stdout);
}

#[test]
fn a_vote_is_compared_with_the_baseline_of_the_test() {
    let room = Room::new();
    let mut random = SplitMix64(4);
    let mut noise = |rows: usize| {
        let rows = (0..rows).map(|_| {
            let label = if random.uniform() < 0.3 { "yes" } else { "no" };
            format!("{:.3},{:.3},{label}\n", random.uniform(), random.uniform())
        });
        format!("a,b,y\n{}", rows.collect::<String>())
    };
    room.write("t.csv", noise(600));
    room.write("u.csv", noise(300));
    let json = room.json("compare t.csv voted --label y --bias 1 --test u.csv -q");
    let kinds = json["runs"][0]["remarks"].as_array().expect("remarks");
    assert!(kinds.iter().any(|r| r["kind"] == "baseline"), "{json}");
}

#[test]
fn messages_name_the_right_culprit() {
    let room = room();
    let train = "train t.csv --label y -a perceptron --bias 1 -o m -q";
    room.run(train).good();
    room.run("evaluate m u.csv --drop a").refused(&[
        "m: --drop: the model was trained with column \"a\" as number, not column \"a\" as ignored",
    ]);
    let words = "train - --label y -a perceptron --missing indicator --standardize";
    let done = room.pipe(words, table(50, 1));
    done.refused(&["--standardize needs all rows before it begins"]);
    let done = room.run("train t.csv --label y -a perceptron --positive Yes");
    done.refused(&["no row has the label Yes"]);
    assert!(!done.stderr.contains("same label"), "{}", done.stderr);
    let done = room
        .run("train t.csv --label y -a perceptron --drop country -q")
        .good();
    assert!(
        done.stderr.contains("no constant feature"),
        "{}",
        done.stderr
    );
}

#[test]
fn counts_that_differ_say_why() {
    let room = room();
    let done = room.run("train digits -a arow -q").good();
    let said = "; the first row of a class is always one";
    assert!(done.stdout.contains(said), "{}", done.stdout);
    assert!(
        done.stdout.contains("rows/s, reading included"),
        "{}",
        done.stdout
    );
    let folds = "tune t.csv --label y --bias 1 --loss hinge --lambda 1e-3|1e-2 --folds 3";
    let done = room.run(&format!("{folds} -q")).good();
    let said = "± is the standard deviation over the folds";
    assert!(done.stdout.contains(said), "{}", done.stdout);
    let said = "of always answering their most frequent label (no)";
    assert!(done.stdout.contains(said), "{}", done.stdout);
}

#[test]
fn a_column_that_is_empty_in_all_rows_is_said() {
    let room = room();
    // every seventh row of training lacks the first cell
    let gapped = |text: &str, every: usize| {
        let rows = text.lines().enumerate().map(|(k, line)| {
            let rest = line.split_once(',').map_or("", |(_, rest)| rest);
            if k > 0 && k % every == 0 {
                format!(",{rest}")
            } else {
                line.to_owned()
            }
        });
        common::lines(rows)
    };
    room.write("t.csv", gapped(&table(1500, 1), 7));
    room.write("u.csv", gapped(&table(500, 2), 1));
    room.write("v.csv", gapped(&table(500, 2), 7));
    for missing in ["mean", "indicator", "zero"] {
        let train = format!("train t.csv --label y -a averaged --missing {missing} -o m -q");
        room.run(&train).good();
        for job in ["predict m", "evaluate m"] {
            let stderr = room.run(&format!("{job} u.csv -q")).stderr;
            let what = "column a is empty in all 500 rows, and the model has learned from it; it is read as ";
            assert!(stderr.contains(what), "{missing}, {job}: {stderr}");
            let stderr = room.run(&format!("{job} v.csv -q")).stderr;
            assert!(!stderr.contains("column a"), "{missing}, {job}: {stderr}");
        }
    }
}

#[test]
fn a_text_that_is_empty_in_all_rows_is_said() {
    let room = Room::new();
    let rows = |count: usize, text: &dyn Fn(usize) -> &'static str| {
        let rows = (0..count).map(|k| format!("{},{},{}", k % 7, text(k), ["a", "b"][k % 2]));
        common::lines(["size,note,y".to_owned()].into_iter().chain(rows))
    };
    let note = |k: usize| match k % 9 {
        0 => "",
        _ => ["cheap red car", "dear blue boat"][k % 2],
    };
    room.write("t.csv", rows(200, &note));
    room.run("train t.csv --label y --text note --missing indicator -a averaged -o m -q")
        .good();
    room.write("u.csv", rows(150, &note));
    let stderr = room.run("predict m u.csv -q").good().stderr;
    assert!(!stderr.contains("note"), "{stderr}");
    room.write("u.csv", rows(90, &|_| ""));
    let stderr = room.run("predict m u.csv -q").stderr;
    assert!(!stderr.contains("is empty in all"), "few rows: {stderr}");
    room.write("u.csv", rows(150, &|_| ""));
    let stderr = room.run("predict m u.csv -q").stderr;
    let what =
        "column note is empty in all 150 rows, and the model has learned from it; it is read as ";
    assert!(stderr.contains(what), "{stderr}");
}

#[test]
fn several_solutions_of_noise_have_a_remark() {
    let room = room();
    let mut random = SplitMix64(7);
    let mut text = "a,b,c,y\n".to_owned();
    for _ in 0..400 {
        let mut cell = || random.uniform();
        let (a, b, c) = (cell(), cell(), cell());
        let label = ["no", "yes"][random.below(2)];
        let _ = writeln!(text, "{a:.4},{b:.4},{c:.4},{label}"); // writing to a String cannot fail
    }
    room.write("noise.csv", text);
    let solve = "--label y --loss hinge --lambda 1e-4,1e-2 --standardize --bias 1 -q";
    let remarks = |file: &str| {
        let done = room.run(&format!("solve {file} {solve}"));
        done.good().stderr.matches("no better than").count()
    };
    assert_eq!(remarks("noise.csv"), 1);
    assert_eq!(remarks("t.csv"), 0);
}

#[test]
fn a_solution_of_one_label_has_a_remark() {
    let room = room();
    let one = table(300, 3).replace(",yes", ",no");
    room.write("one.csv", one);
    let done = room.run("solve one.csv --label y --lambda 1e-3 -q");
    assert!(
        done.stderr.contains("all 300 rows have the same label, no"),
        "{}",
        done.stderr
    );
}

#[test]
fn the_baseline_of_folds_is_one_label() {
    let room = room();
    let rows = (0..120).map(|k| {
        let label = ["no", "yes"][usize::from((k * 71 % 120) < 60)];
        format!("{},{},{label}", k * 37 % 101, k * 53 % 97)
    });
    let rows: Vec<String> = rows.collect();
    room.write("half.csv", format!("a,b,y\n{}\n", rows.join("\n")));
    let tune = "tune half.csv --label y --standardize --folds 5 -a averaged -q";
    assert_eq!(room.json(tune)["baseline"]["errors"], 60);
}

#[test]
fn a_column_of_some_inputs_only_is_said() {
    let room = room();
    let with_more = |text: &str| {
        let rows = text.lines().enumerate().map(|(k, line)| match k {
            0 => format!("referred,{line}"),
            _ => format!("{},{line}", k % 3),
        });
        common::lines(rows)
    };
    room.write("more.csv", with_more(&table(500, 4)));
    let train = "--label y -a averaged --missing indicator -q";
    let stderr = room.run(&format!("train t.csv more.csv {train}")).stderr;
    assert!(
        stderr.contains("more.csv: column referred is new, and no row before this input has it")
            && stderr.contains("take it out of this input"),
        "{stderr}"
    );
    room.write("more.csv", table(500, 4));
    let without = room.run(&format!("train t.csv more.csv {train}"));
    assert!(!without.stderr.contains("is new"), "{}", without.stderr);
}
