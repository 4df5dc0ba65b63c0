//! What a cache was made from, and whether it is still that.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use novikoff::table::Table;
use novikoff_data::blocks::{Format, Missing, ReadOptions};
use novikoff_data::cache::{CacheFile, Origin, beside};
use novikoff_data::error::DataError;

use super::{convert, reader, svmlight};

#[test]
fn a_change_of_the_input_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (input, cache) = (folder.path().join("a.svm"), folder.path().join("a.svm.nvk"));
    let paths = [input.clone()];
    assert_eq!(beside(&paths), cache);
    let text = svmlight(10_000);
    fs::write(&input, &text).unwrap();
    let defaults = ReadOptions::default;
    let now = |options: &ReadOptions| Origin::of(&paths, options, None).unwrap().unwrap();
    let then = now(&defaults());
    convert(
        &mut reader(&input, defaults(), 1),
        &cache,
        Some(then.clone()),
    );
    let kept = CacheFile::open(&cache).unwrap().origin().unwrap().clone();
    assert_eq!((kept.changed(&then), kept == then), (None, true));
    let says = |now: &Origin, words: &str| {
        let said = kept.changed(now).expect(words);
        assert!(said.contains(words) && !said.contains('\n'), "{said}");
        assert!(kept != *now);
    };
    // the same content, size and time, in a new file: nothing changed
    let time = input.metadata().unwrap().modified().unwrap();
    let put = |text: &str, time: SystemTime| {
        fs::write(&input, text).unwrap();
        File::options()
            .write(true)
            .open(&input)
            .unwrap()
            .set_modified(time)
            .unwrap();
    };
    put(&text, time);
    assert_eq!(kept.changed(&now(&defaults())), None);
    put(&format!("{text}1 1:1\n"), time);
    says(&now(&defaults()), "bytes and has");
    put(&text, time + Duration::from_micros(1));
    says(&now(&defaults()), "was written to since");
    put(&text, SystemTime::UNIX_EPOCH - Duration::from_secs(1));
    says(&now(&defaults()), "was written to since");
    put(&text.replacen("remark", "Remark", 1), time);
    says(&now(&defaults()), "has another content");
    put(&(text[..text.len() - 2].to_owned() + "9\n"), time);
    says(&now(&defaults()), "has another content");
    put(&text, time);
    options_are_noticed(&now, &says);
    let hashed = Origin::of(&paths, &defaults(), Some(20)).unwrap().unwrap();
    says(&hashed, "hash off, not 20");
    let two = [input.clone(), input.clone()];
    let two = Origin::of(&two, &defaults(), None).unwrap().unwrap();
    says(&two, "from 1 files, not 2");
    let other = folder.path().join("b.svm");
    fs::copy(&input, &other).unwrap();
    let other = Origin::of(&[other], &defaults(), None).unwrap().unwrap();
    says(&other, "b.svm");
    let missing = Origin::of(&[folder.path().join("c")], &defaults(), None);
    assert!(matches!(missing, Err(DataError::Missing { .. })));
    let directory = Origin::of(&[folder.path().to_owned()], &defaults(), None);
    assert!(matches!(directory, Err(DataError::Content { .. })));
    let device = Origin::of(&["/dev/null".into()], &defaults(), None);
    assert!(matches!(device, Ok(None)));
}

fn options_are_noticed(now: &dyn Fn(&ReadOptions) -> Origin, says: &dyn Fn(&Origin, &str)) {
    let defaults = ReadOptions::default;
    let cases = [
        (
            ReadOptions {
                format: Some(Format::Svmlight),
                ..defaults()
            },
            "format",
        ),
        (
            ReadOptions {
                label: Some("y".to_owned()),
                ..defaults()
            },
            "label off, not y",
        ),
        (
            ReadOptions {
                categorical: vec!["a".to_owned()],
                ..defaults()
            },
            "categorical",
        ),
        (
            ReadOptions {
                header: Some(false),
                ..defaults()
            },
            "header",
        ),
        (
            ReadOptions {
                missing: Some(Missing::Zero),
                ..defaults()
            },
            "missing refuse, not zero",
        ),
        (
            ReadOptions {
                zero_based: true,
                ..defaults()
            },
            "zero_based",
        ),
        (
            ReadOptions {
                max_features: 7,
                ..defaults()
            },
            "max_features 100000000, not 7",
        ),
        (
            ReadOptions {
                skip_bad: 3,
                ..defaults()
            },
            "skip_bad 0, not 3",
        ),
        (
            ReadOptions {
                table: Some(Table::default()),
                ..defaults()
            },
            "table",
        ),
        (
            ReadOptions {
                unlabelled: true,
                ..defaults()
            },
            "without labels",
        ),
    ];
    for (options, words) in cases {
        says(&now(&options), words);
    }
    // rows are kept without the constant feature, and these say when reading fails
    for options in [
        ReadOptions {
            bias: Some(1.0),
            ..defaults()
        },
        ReadOptions {
            max_line: 1000,
            ..defaults()
        },
        ReadOptions {
            max_name_bytes: 1000,
            ..defaults()
        },
    ] {
        assert_eq!(now(&options), now(&defaults()));
    }
}
