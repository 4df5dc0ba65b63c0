//! Text as features, in every format of tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use novikoff::random::SplitMix64;

use crate::common::Room;

/// Words of messages: those of one kind, of the other, and of both.
const SPAM: [&str; 6] = ["free", "money", "Winner", "click", "prize", "caf\u{e9}"];
const HAM: [&str; 6] = [
    "meeting",
    "report",
    "Lunch",
    "thanks",
    "monday",
    "na\u{ef}ve",
];
const BOTH: [&str; 8] = ["the", "and", "you", "for", "is", "a", "hello", "x"];

struct Message {
    label: &'static str,
    size: f64,
    subject: String,
    body: String,
}

/// A small corpus, the same every time.
fn corpus(rows: usize, seed: u64) -> Vec<Message> {
    let mut random = SplitMix64::new(seed);
    let mut text = |own: &[&'static str], words: usize| {
        let mut text = String::new();
        for _ in 0..words {
            let word = match random.below(3) {
                0 => own[random.below(own.len())],
                1 if random.below(8) == 0 => SPAM[random.below(6)],
                _ => BOTH[random.below(BOTH.len())],
            };
            let _ = write!(text, "{word}{}", [" ", ", ", "! "][random.below(3)]);
        }
        (text, random.below(5))
    };
    let message = |k: usize| {
        let (label, own) = if (k * 7 + k / 3) % 5 < 2 {
            ("spam", &SPAM)
        } else {
            ("ham", &HAM)
        };
        let (subject, size) = text(own, 1 + k % 3);
        let (body, _) = text(own, k % 11);
        let size = size as f64 / 4.0;
        Message {
            label,
            size,
            subject,
            body,
        }
    };
    (0..rows).map(message).collect()
}

fn table(corpus: &[Message], separator: char) -> String {
    let mut text = ["label", "size", "subject", "body"].join(&separator.to_string());
    for m in corpus {
        let _ = write!(
            text,
            "\n{}{separator}{}{separator}\"{}\"{separator}\"{}\"",
            m.label, m.size, m.subject, m.body
        );
    }
    text + "\n"
}

fn json(corpus: &[Message]) -> String {
    let line = |m: &Message| {
        let line = serde_json::json!({"label": m.label, "size": m.size, "subject": m.subject, "body": m.body});
        format!("{line}\n")
    };
    corpus.iter().map(line).collect()
}

fn batch(corpus: &[Message]) -> RecordBatch {
    let strings = |of: fn(&Message) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(corpus.iter().map(of)))
    };
    let sizes: Vec<f64> = corpus.iter().map(|m| m.size).collect();
    RecordBatch::try_from_iter([
        ("label", strings(|m| m.label)),
        ("size", Arc::new(Float64Array::from(sizes)) as ArrayRef),
        ("subject", strings(|m| &m.subject)),
        ("body", strings(|m| &m.body)),
    ])
    .expect("columns of one length")
}

fn parquet(corpus: &[Message]) -> Vec<u8> {
    let (mut out, batch) = (Vec::new(), batch(corpus));
    let writer = parquet::arrow::ArrowWriter::try_new(&mut out, batch.schema(), None);
    let mut writer = writer.expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
    out
}

/// A room with the corpus as `t.csv`, `t.tsv`, `t.jsonl` and `t.parquet`.
fn room(corpus: &[Message]) -> Room {
    let room = Room::new();
    room.write("t.csv", table(corpus, ','));
    room.write("t.tsv", table(corpus, '\t'));
    room.write("t.jsonl", json(corpus));
    room.write("t.parquet", parquet(corpus));
    room
}

/// The words of a text, by the definition.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let runs = lower.split(|c: char| !c.is_alphanumeric() && c != '_');
    runs.filter(|run| run.chars().count() > 1)
        .map(str::to_owned)
        .collect()
}

/// What the values of a corpus are, by the definition. `frozen` says how many rows n and df are counted over; otherwise each row with
/// those before it.
fn slow(
    corpus: &[Message],
    tfidf: bool,
    lengths: std::ops::RangeInclusive<usize>,
    frozen: Option<usize>,
) -> Vec<BTreeMap<String, f64>> {
    let texts = |m: &Message| [("subject", m.subject.clone()), ("body", m.body.clone())];
    let grams = |text: &str| {
        let words = words(text);
        let grams = lengths.clone().flat_map(|n| {
            words
                .windows(n)
                .map(|run| run.join(" "))
                .collect::<Vec<_>>()
        });
        grams.collect::<Vec<String>>()
    };
    let row = |i: usize| {
        let mut row = BTreeMap::new();
        if corpus[i].size != 0.0 {
            row.insert("size".to_owned(), corpus[i].size);
        }
        let counted = &corpus[..frozen.unwrap_or(i + 1)];
        for (column, text) in texts(&corpus[i]) {
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            for gram in grams(&text) {
                *counts.entry(gram).or_default() += 1.0;
            }
            let having = |gram: &String| {
                let has = |m: &&Message| {
                    let [subject, body] = texts(m);
                    let text = if column == "subject" {
                        subject.1
                    } else {
                        body.1
                    };
                    grams(&text).contains(gram)
                };
                counted.iter().filter(has).count() as f64
            };
            if frozen.is_some() {
                counts.retain(|gram, _| having(gram) > 0.0);
            }
            if tfidf {
                let n = counted.len() as f64;
                for (gram, value) in &mut counts {
                    *value *= libm::log((1.0 + n) / (1.0 + having(gram))) + 1.0;
                }
            }
            let length = counts.values().map(|v| v * v).sum::<f64>().sqrt();
            for (gram, value) in counts {
                row.insert(format!("{column}^{gram}"), value / length);
            }
        }
        row
    };
    (0..corpus.len()).map(row).collect()
}

/// The rows that `convert` writes as VW text, by the names of features.
fn converted(room: &Room, input: &str, flags: &str) -> Vec<BTreeMap<String, f64>> {
    room.run(&format!("convert {input} out.jsonl {flags} -q"))
        .good();
    let parse = |line: &str| {
        let object: serde_json::Value = serde_json::from_str(line).expect("an object");
        let fields = object.as_object().expect("an object").iter();
        let values = fields.filter(|(name, _)| *name != "label");
        values
            .map(|(name, value)| (name.clone(), value.as_f64().expect("a number")))
            .collect()
    };
    room.text("out.jsonl").lines().map(parse).collect()
}

#[track_caller]
fn same_rows(found: &[BTreeMap<String, f64>], expected: &[BTreeMap<String, f64>], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let (names, others): (Vec<_>, Vec<_>) = (found.keys().collect(), expected.keys().collect());
        assert_eq!(names, others, "{what}: row {i}");
        for (name, value) in expected {
            let off = (found[name] - value).abs();
            assert!(
                off < 1e-7,
                "{what}: row {i}, {name}: {} and {value}",
                found[name]
            );
        }
    }
}

const TEXT: &str = "--text subject,body";

#[test]
fn values_are_those_of_the_definition_in_every_format() {
    let corpus = corpus(60, 1);
    let room = room(&corpus);
    for (flags, tfidf, lengths) in [
        ("", true, 1..=1),
        ("--tfidf off", false, 1..=1),
        ("--ngrams 1..2", true, 1..=2),
        ("--ngrams 2 --tfidf off", false, 2..=2),
    ] {
        let expected = slow(&corpus, tfidf, lengths, None);
        for input in ["t.csv", "t.tsv", "t.jsonl", "t.parquet"] {
            let found = converted(&room, input, &format!("{TEXT} {flags}"));
            same_rows(&found, &expected, &format!("{input} {flags}"));
        }
    }
}

#[test]
fn every_format_and_number_of_threads_gives_the_same_model() {
    let corpus = corpus(300, 2);
    let room = room(&corpus);
    for flags in ["", "--epochs 3 --shuffle 5", "--hash 8"] {
        let train = |input: &str, model: &str| {
            room.run(&format!(
                "train {input} -a arow {TEXT} {flags} -o {model} -q"
            ))
            .good();
            room.run(&format!("inspect {model} --weights"))
                .good()
                .stdout
        };
        let weights = train("t.csv", "csv");
        if flags != "--hash 8" {
            assert!(
                weights.contains("body^free") && weights.contains("subject^caf\u{e9}"),
                "{weights}"
            );
        }
        for input in [
            "t.tsv",
            "t.jsonl",
            "t.parquet",
            "t.csv --threads 1",
            "t.csv --threads 7",
            "t.jsonl --threads 3",
        ] {
            assert_eq!(train(input, "other"), weights, "{input} {flags}");
        }
        assert_eq!(train("t.csv", "again"), weights);
        assert_eq!(room.bytes("csv"), room.bytes("again"));
    }
    let from_pipe = room
        .pipe(
            &format!("train - -a arow {TEXT} --labels ham,spam -o pipe -q"),
            room.text("t.csv"),
        )
        .good();
    room.run(&format!(
        "train t.csv -a arow {TEXT} --labels ham,spam -o file -q"
    ))
    .good();
    assert_eq!(room.bytes("pipe"), room.bytes("file"));
    assert_eq!(from_pipe.code, Some(0));
}

#[test]
fn half_a_stream_saved_and_resumed_is_the_whole() {
    let corpus = corpus(400, 3);
    let room = room(&corpus);
    room.write("a.csv", table(&corpus[..150], ','));
    room.write("b.csv", table(&corpus[150..], ','));
    for flags in ["", "--hash 9", "--tfidf off"] {
        let train = |words: &str| {
            room.run(&format!("train {words} --labels ham,spam -q"))
                .good()
        };
        train(&format!("t.csv -a perceptron {TEXT} {flags} -o whole"));
        train(&format!("a.csv b.csv -a perceptron {TEXT} {flags} -o two"));
        train(&format!("a.csv -a perceptron {TEXT} {flags} -o half"));
        room.run("train b.csv --resume half -o rest -q").good();
        assert_eq!(room.bytes("whole"), room.bytes("two"), "{flags}");
        assert_eq!(room.bytes("whole"), room.bytes("rest"), "{flags}");
    }
}

#[test]
fn a_checkpoint_counts_no_row_twice() {
    let corpus = corpus(300, 4);
    let room = room(&corpus);
    room.write("more.csv", table(&corpus[100..], ','));
    let common = format!("-a perceptron {TEXT} --labels ham,spam -q");
    room.run(&format!("train t.csv {common} -o whole")).good();
    room.run("train more.csv --resume whole -o whole2 -q")
        .good();
    // a bad last line stops the run after its last checkpoint
    for (data, before, finished) in [("t.csv", "", "whole"), ("more.csv", "whole", "whole2")] {
        let text = room.text(data);
        let broken = text.trim_end().to_owned() + "x\"y\n";
        let cut = broken.len();
        let resume = if before.is_empty() {
            common.clone()
        } else {
            format!("--resume {before} -q")
        };
        room.write("broken.csv", &broken);
        let run = room.run(&format!(
            "train broken.csv {resume} --checkpoint 40 -o part"
        ));
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        let mut mended = text.into_bytes();
        mended.resize(cut - 1, b'\n');
        mended.push(b'\n');
        room.write("broken.csv", &mended);
        let again = if before.is_empty() {
            common.clone()
        } else {
            "-q".to_owned()
        };
        room.run(&format!(
            "train broken.csv {again} --resume part --checkpoint 40 -o part"
        ))
        .good();
        assert_eq!(room.bytes("part"), room.bytes(finished), "{data}");
    }
}

#[test]
fn predictions_use_the_statistics_of_training() {
    let corpus = corpus(200, 5);
    let (known, new) = corpus.split_at(120);
    let room = room(known);
    let mut unseen = table(new, ',');
    unseen.push_str("ham,0,\"Quixotic zebra\",\"unheard of, free\"\n");
    room.write("new.csv", &unseen);
    room.run(&format!("train t.csv -a perceptron {TEXT} -o m -q"))
        .good();
    let margins = room.run("predict m new.csv --margins").good();
    // new words are no reason to check the columns
    assert!(!margins.stderr.contains("not know"), "{}", margins.stderr);
    let weights: BTreeMap<String, f64> = {
        let result = room.run("inspect m --weights").good().stdout;
        let parse = |line: &str| {
            let (name, weight) = line.rsplit_once('\t')?;
            Some((name.rsplit('\t').next()?.to_owned(), weight.parse().ok()?))
        };
        result.lines().filter_map(parse).collect()
    };
    let mut all: Vec<Message> = known
        .iter()
        .chain(new)
        .map(|m| Message {
            label: m.label,
            size: m.size,
            subject: m.subject.clone(),
            body: m.body.clone(),
        })
        .collect();
    all.push(Message {
        label: "ham",
        size: 0.0,
        subject: "Quixotic zebra".to_owned(),
        body: "unheard of, free".to_owned(),
    });
    let rows = slow(&all, true, 1..=1, Some(known.len()));
    let result: Vec<f64> = margins
        .stdout
        .lines()
        .map(|line| line.trim().parse().expect("a margin"))
        .collect();
    assert_eq!(result.len(), rows.len() - known.len());
    for (result, row) in result.iter().zip(&rows[known.len()..]) {
        let margin: f64 = row
            .iter()
            .map(|(name, value)| value * weights.get(name).copied().unwrap_or(0.0))
            .sum();
        assert!(
            (result - margin).abs() < 1e-5 * (1.0 + margin.abs()),
            "{result} {margin}"
        );
    }
}

#[test]
fn a_cache_keeps_names_values_and_statistics() {
    let corpus = corpus(200, 6);
    let room = room(&corpus);
    room.write("new.csv", table(&self::corpus(50, 66), ','));
    for hash in ["", "--hash 10"] {
        room.run(&format!("train t.csv -a arow {TEXT} {hash} -o raw -q"))
            .good();
        room.run(&format!("convert t.jsonl t.nvk {TEXT} {hash} -q"))
            .good();
        room.run("train t.nvk -a arow -o cached -q").good();
        let predict = |model: &str| {
            room.run(&format!("predict {model} new.csv --margins -q"))
                .good()
                .stdout
        };
        assert_eq!(predict("raw"), predict("cached"), "{hash}");
        assert_eq!(room.bytes("raw"), room.bytes("cached"), "{hash}");
    }
    // two caches are two halves, counted from the first row each; their statistics are added
    room.write("a.csv", table(&corpus[..90], ','));
    room.write("b.csv", table(&corpus[90..], ','));
    room.run(&format!("convert a.csv a.nvk {TEXT} -q")).good();
    room.run(&format!("convert b.csv b.nvk {TEXT} -q")).good();
    room.run("train a.nvk b.nvk -a perceptron -o both -q")
        .good();
    room.run("train a.nvk -a perceptron --labels ham,spam -o one -q")
        .good();
    room.run("train b.nvk --resume one -o one -q").good();
    room.run("train a.nvk b.nvk -a perceptron --labels ham,spam -o two -q")
        .good();
    assert_eq!(room.bytes("one"), room.bytes("two"));
}

#[test]
fn a_bad_row_counts_for_nothing() {
    let corpus = corpus(80, 7);
    let room = room(&corpus);
    let mut lines: Vec<String> = room.text("t.csv").lines().map(str::to_owned).collect();
    lines.insert(
        20,
        "spam,not a number,\"free free\",\"zzz prize\"".to_owned(),
    );
    room.write("bad.csv", lines.join("\n"));
    room.run(&format!("train t.csv -a perceptron {TEXT} -o good -q"))
        .good();
    room.run(&format!(
        "train bad.csv -a perceptron {TEXT} --skip-bad 1 -o bad -q"
    ))
    .good();
    let weights = |model: &str| {
        room.run(&format!("inspect {model} --weights"))
            .good()
            .stdout
    };
    assert_eq!(weights("good"), weights("bad"));
    assert_eq!(room.bytes("good"), room.bytes("bad"));
}

#[test]
fn several_labels_of_json_and_words_of_arrays() {
    let room = Room::new();
    let mut text = String::new();
    for (k, m) in corpus(120, 8).iter().enumerate() {
        let labels = [vec![m.label], vec![m.label, "long"], vec![]][k % 3].clone();
        let host = ["a.org", "b.org"][k % 2];
        let line = serde_json::json!({"labels": labels, "body": m.body, "tags": words(&m.subject), "from": {"host": host}});
        let _ = writeln!(text, "{line}");
    }
    room.write("m.jsonl", &text);
    let run = room.json("train m.jsonl -a perceptron --label labels --multilabel --text body -o m");
    assert_eq!(run["data"]["rows"], 120);
    let weights = room.run("inspect m --weights --class spam").good().stdout;
    for name in ["tags^free", "body^prize", "from.host=a.org"] {
        assert!(weights.contains(name), "{name}\n{weights}");
    }
    let piped = room
        .pipe(
            "train - -a perceptron --label labels --multilabel --text body -o p -q",
            &text,
        )
        .good();
    assert_eq!(piped.code, Some(0));
    assert_eq!(room.bytes("m"), room.bytes("p"));
}

#[test]
fn what_is_asked_of_text_must_fit_the_data_and_the_model() {
    let room = room(&corpus(40, 9));
    for input in ["t.csv", "t.jsonl", "t.parquet"] {
        let wrong = room.run(&format!("train {input} -a perceptron --text bodi"));
        wrong.refused(&["\"bodi\"", "did you mean \"body\"?", "\"subject\""]);
    }
    room.run(&format!("train t.csv -a perceptron {TEXT} -o m -q"))
        .good();
    let other = room.run("predict m t.csv --ngrams 2");
    other.refused(&["n-grams of 1 to 1 words", "leave out --ngrams"]);
    room.run("train t.csv -a perceptron --text body --categorical subject -o c -q")
        .good();
    let other = room.run("train t.csv --resume c --text subject");
    other.refused(&["\"subject\" as category", "\"subject\" as text"]);
    let number = room.run("train t.parquet -a perceptron --text size");
    number.refused(&["column \"size\" is of type Float64; text is strings"]);
}

#[test]
fn text_labels_are_allowed_in_every_format() {
    let room = Room::new();
    room.write(
        "t.svm",
        "spam 1:0.5 2:1\nham 1:-1\nspam 2:1\nham 1:-2 2:0.5\n",
    );
    room.write(
        "t.vw",
        "spam |x 1:0.5 2:1\nham |x 1:-1\nspam |x 2:1\nham |x 1:-2 2:0.5\n",
    );
    room.write(
        "t.csv",
        "class,1,2\nspam,0.5,1\nham,-1,0\nspam,0,1\nham,-2,0.5\n",
    );
    room.write("t.jsonl", "{\"class\":\"spam\",\"1\":0.5,\"2\":1}\n{\"class\":\"ham\",\"1\":-1}\n{\"class\":\"spam\",\"2\":1}\n{\"class\":\"ham\",\"1\":-2,\"2\":0.5}\n");
    let expected = room.json("train t.csv -a perceptron");
    for input in ["t.svm", "t.vw", "t.jsonl"] {
        let run = room.json(&format!("train {input} -a perceptron -o m"));
        for key in ["mistakes", "updates", "classes"] {
            assert_eq!(run[key], expected[key], "{input} {key}");
        }
        let predicted = room.run(&format!("predict m {input}")).good().stdout;
        assert_eq!(predicted, "spam\nham\nspam\nham\n", "{input}");
    }
    for output in ["o.svm", "o.vw", "o.csv", "o.jsonl"] {
        room.run(&format!("convert t.svm {output} -q")).good();
        let run = room.json(&format!("train {output} -a perceptron"));
        assert_eq!(run["mistakes"], expected["mistakes"], "{output}");
    }
    room.write("several.svm", "spam,long 1:1\n? 2:1\nham 1:-1\n");
    let several = room.json("train several.svm -a perceptron --multilabel");
    assert_eq!(several["data"]["rows"], 3);
    room.write("several.vw", "spam,long |x a\n|x b\nham |x c\n");
    let several = room.json("train several.vw -a perceptron --format vw --multilabel");
    assert_eq!(several["data"]["rows"], 3);
    room.write("blank.csv", "label,x\nnot spam,1\nspam,2\n");
    room.run("convert blank.csv blank.svm")
        .refused(&["label `not spam` cannot stand in svmlight text"]);
    room.run("convert blank.csv blank.vw")
        .refused(&["label `not spam` cannot stand in VW text"]);
}

#[test]
fn json_lines_are_read_compressed_and_told_apart_from_arrays() {
    let corpus = corpus(90, 10);
    let room = room(&corpus);
    room.run(&format!("convert t.jsonl t.jsonl.gz {TEXT} -q"))
        .good();
    let plain = room.json(&format!("train t.jsonl -a perceptron {TEXT}"));
    let packed = room.json("train t.jsonl.gz -a perceptron");
    assert_eq!(plain["mistakes"], packed["mistakes"]);
    room.write("array.json", "[{\"label\":1}]\n");
    room.run("train array.json -a perceptron")
        .refused(&["looks like a JSON array", "write one object per line"]);
    room.write("pretty.json", "{\n  \"label\": 1\n}\n");
    room.run("train pretty.json -a perceptron")
        .refused(&["pretty.json:1:2: the line ends in the middle"]);
    let verbose = room
        .run(&format!("train t.jsonl -a perceptron {TEXT} -v"))
        .good();
    assert!(verbose.stderr.contains("json"), "{}", verbose.stderr);
}

/// One line is enough to begin with, so that who asks line by line gets answers.
#[test]
fn a_model_answers_json_lines_as_they_come() {
    let corpus = corpus(60, 11);
    let room = room(&corpus);
    room.run(&format!("train t.jsonl -a perceptron {TEXT} -o m -q"))
        .good();
    let mut late = "{\"body\":\"free money\"}\n".to_owned();
    late.push_str(&json(&corpus));
    room.write("late.jsonl", &late);
    let answers = room.run("predict m late.jsonl --margins -q").good().stdout;
    let alone = room.run("predict m t.jsonl --margins -q").good().stdout;
    assert_eq!(
        answers.split_once('\n').map(|(_, rest)| rest),
        Some(&*alone)
    );
    // the label is known from the model, though the first row lacks it
    room.run("evaluate m late.jsonl")
        .refused(&["late.jsonl:1: no label"]);
    let evaluated = room.run("evaluate m late.jsonl --skip-bad 1 --json").good();
    let plain = room.run("evaluate m t.jsonl --json").good();
    let errors = |done: &crate::common::Done| {
        let json: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
        (json["rows"].clone(), json["errors"].clone())
    };
    assert_eq!(errors(&evaluated), errors(&plain));
}
