//! The model file: what goes in comes out, and nothing else is ever accepted.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::fs;
use std::path::Path;

use novikoff::random::SplitMix64;
use novikoff::remedy::{Library, said};
use novikoff::state::{Array, State};
use novikoff_data::container::{
    ArrayKind, ContainerError, from_bytes, load, load_within, save, to_bytes,
};

const HEADER: &[u8] = b"spec and counts";

/// Facts and remedy in one line, as a person without a door reads them.
fn reported(error: &ContainerError) -> String {
    said(error, error.remedy().as_ref(), &Library)
}

/// How many random cases: NOVIKOFF_CASES in all, or `default`.
fn cases(default: usize) -> usize {
    std::env::var("NOVIKOFF_CASES")
        .ok()
        .map_or(default, |v| v.parse().unwrap())
}

/// Every type, empty arrays, and numbers whose bits are easily lost.
fn state() -> State<'static> {
    let mut s = State::new();
    let nan = f64::from_bits(0x7ff8_0000_dead_beef);
    s.put_f64(
        "w",
        vec![-0.0, nan, f64::MIN_POSITIVE / 4.0, f64::NEG_INFINITY, 1.5],
    );
    s.put_f64("empty", vec![]);
    s.put_u64("counts", vec![0, u64::MAX, 7]);
    s.under("class 3");
    s.put_f32("value", vec![f32::from_bits(0x7fc0_1234), -0.0, 1e-45]);
    s.put_u32("index", vec![0, u32::MAX, 12]);
    s.put_u32("none", vec![]);
    s.under("");
    s.put_f64("", vec![2.0]);
    s
}

/// A larger state of random bits.
fn random_state(numbers: usize) -> State<'static> {
    let mut g = SplitMix64::new(3);
    let mut s = State::new();
    s.put_f64(
        "w",
        (0..numbers)
            .map(|_| f64::from_bits(g.next_u64()))
            .collect::<Vec<_>>(),
    );
    s.put_u32(
        "index",
        (0..numbers)
            .map(|_| g.next_u64() as u32)
            .collect::<Vec<_>>(),
    );
    s.put_u64("small", vec![g.next_u64()]);
    s
}

/// Names, types and bits of a state: NaN compares by its bits.
fn bits(s: &State<'_>) -> Vec<(String, &'static str, Vec<u64>)> {
    let describe = |a: &Array<'_>| match a {
        Array::F64(a) => ("f64", a.iter().map(|x| x.to_bits()).collect()),
        Array::U64(a) => ("u64", a.to_vec()),
        Array::F32(a) => ("f32", a.iter().map(|x| x.to_bits().into()).collect()),
        Array::U32(a) => ("u32", a.iter().map(|&x| x.into()).collect()),
    };
    let arrays = s.arrays().map(|(name, a)| (name.to_owned(), describe(a)));
    arrays
        .map(|(name, (kind, bits))| (name, kind, bits))
        .collect()
}

/// The bytes with a digest that fits them.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 32;
    let digest = blake3::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(digest.as_bytes());
    bytes
}

#[test]
fn what_goes_in_comes_out() {
    for header in [HEADER, b"", &[0; 1000]] {
        for state in [state(), State::new(), random_state(20_000)] {
            let bytes = to_bytes(header, &state).unwrap();
            let loaded = from_bytes(&bytes).unwrap();
            assert_eq!(loaded.header, header);
            assert_eq!(bits(&loaded.state), bits(&state));
            assert_eq!(loaded.digest.as_bytes(), &bytes[bytes.len() - 32..]);
            assert_eq!(to_bytes(&loaded.header, &loaded.state).unwrap(), bytes);
        }
    }
}

/// The format is a promise to other languages and later versions: these bytes are worked out by hand.
#[test]
fn the_bytes_are_as_documented() {
    let mut s = State::new();
    s.put_u32("ab", vec![1, 0x0203_0405]);
    let mut want = b"NOVIKOFF\x01\0\0\0\x01\0\0\0\0\0\0\0h".to_vec();
    want.extend(crc32fast::hash(b"h").to_le_bytes());
    want.extend(b"\x01\0\0\0\x02\0ab\x03\x02\0\0\0\0\0\0\0");
    assert_eq!(want.len(), 42);
    want.extend([0; 6]); // to 48
    let data = b"\x01\0\0\0\x05\x04\x03\x02";
    want.extend(data);
    want.extend(crc32fast::hash(data).to_le_bytes());
    want.extend(blake3::hash(&want).as_bytes());
    assert_eq!(to_bytes(b"h", &s).unwrap(), want);
    // The CRC is the one of gzip and zlib.
    assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
}

#[test]
fn sections_are_described() {
    let sections = from_bytes(&to_bytes(HEADER, &state()).unwrap())
        .unwrap()
        .sections;
    let names: Vec<_> = sections
        .iter()
        .map(|s| (s.name.as_str(), s.kind, s.count))
        .collect();
    let want = [
        ("", ArrayKind::F64, 1),
        ("class 3/index", ArrayKind::U32, 3),
        ("class 3/none", ArrayKind::U32, 0),
        ("class 3/value", ArrayKind::F32, 3),
        ("counts", ArrayKind::U64, 3),
        ("empty", ArrayKind::F64, 0),
        ("w", ArrayKind::F64, 5),
    ];
    assert_eq!(names, want);
    assert_eq!(sections[0].crc, crc32fast::hash(&2.0_f64.to_le_bytes()));
}

#[test]
fn every_flipped_bit_is_refused() {
    for state in [state(), State::new()] {
        let good = to_bytes(HEADER, &state).unwrap();
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            let error = from_bytes(&bad).unwrap_err();
            match (bit / 8, &error) {
                (0..8, ContainerError::NotAModel { .. })
                | (8.., ContainerError::Damaged { .. }) => {}
                _ => panic!("bit {bit}: {error}"),
            }
            // under a fitting digest it is refused, or a model in its one form
            only_canonical(&signed(bad));
        }
    }
}

/// Bytes with a fitting digest are refused or are exactly what we would write.
fn only_canonical(bytes: &[u8]) -> bool {
    let loaded = from_bytes(bytes);
    if let Ok(l) = &loaded {
        assert!(
            to_bytes(&l.header, &l.state).unwrap() == bytes,
            "a second form was accepted"
        );
    }
    loaded.is_ok()
}

#[test]
fn every_truncation_and_every_addition_is_refused() {
    let good = to_bytes(HEADER, &state()).unwrap();
    for length in 0..good.len() {
        let error = from_bytes(&good[..length]).unwrap_err();
        let expected = match length {
            0 => matches!(error, ContainerError::NotAModel { .. }),
            _ => matches!(error, ContainerError::Damaged { at, .. } if at <= length as u64),
        };
        assert!(expected, "{length}: {error}");
        if length >= 44 {
            assert!(
                !only_canonical(&signed(good[..length].to_vec())),
                "signed, cut to {length}"
            );
        }
    }
    for extra in [1, 7, 8, 32, 100] {
        let longer = [good.clone(), vec![0; extra]].concat();
        assert!(matches!(
            from_bytes(&longer),
            Err(ContainerError::Damaged { .. })
        ));
        assert!(matches!(
            from_bytes(&signed(longer)),
            Err(ContainerError::Invalid { .. })
        ));
    }
}

/// Deletes, inserts, swaps or overwrites blocks.
fn mangle(bytes: &mut Vec<u8>, g: &mut SplitMix64) {
    let (i, j) = (g.below(bytes.len()), g.below(bytes.len()));
    let length = (1 << g.below(14)).min(bytes.len() - i.max(j));
    match g.below(4) {
        0 => drop(bytes.drain(i..i + length)),
        1 => {
            let block = bytes[j..j + length].to_vec();
            bytes.splice(i..i, block);
        }
        2 if i.abs_diff(j) >= length => {
            let (low, high) = bytes.split_at_mut(i.max(j));
            low[i.min(j)..i.min(j) + length].swap_with_slice(&mut high[..length]);
        }
        _ => bytes[i..i + length].fill_with(|| g.next_u64() as u8),
    }
}

#[test]
fn random_damage_is_refused() {
    let mut g = SplitMix64::new(cases(0) as u64);
    let files = [&state(), &random_state(5_000)].map(|s| to_bytes(HEADER, s).unwrap());
    let (mut changed, mut accepted) = (0, 0);
    for case in 0..cases(4_000) {
        let good = &files[case % 2];
        let mut bad = good.clone();
        mangle(&mut bad, &mut g);
        if &bad == good {
            continue;
        }
        changed += 1;
        assert!(from_bytes(&bad).is_err(), "case {case}");
        if bad.len() >= 44 {
            accepted += usize::from(only_canonical(&signed(bad)));
        }
    }
    assert!(
        changed > cases(4_000) / 2,
        "only {changed} cases changed anything"
    );
    assert!(
        accepted < changed / 10,
        "{accepted} of {changed} accepted under a new digest"
    );
}

/// The offset of the first section's length, in a file with an empty header.
fn with_count(count: u64) -> Vec<u8> {
    let mut s = State::new();
    s.put_f64("w", vec![1.0; 4]);
    let mut bytes = to_bytes(b"", &s).unwrap();
    let at = 8 + 4 + 8 + 4 + 4 + 2 + 1 + 1;
    assert_eq!(bytes[at..at + 8], 4_u64.to_le_bytes());
    bytes[at..at + 8].copy_from_slice(&count.to_le_bytes());
    signed(bytes)
}

/// Allocating any of these would abort the test.
#[test]
fn lengths_are_checked_before_use() {
    assert!(from_bytes(&with_count(4)).is_ok());
    for count in [5, 1 << 40, 1 << 60, 1 << 61, (1 << 61) + 4, u64::MAX] {
        let error = from_bytes(&with_count(count)).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("section `w` runs past the end of the file"),
            "{error}"
        );
    }
    let good = to_bytes(HEADER, &state()).unwrap();
    for length in [1 << 20, 1 << 62, u64::MAX] {
        let mut bad = good.clone();
        bad[12..20].copy_from_slice(&length.to_le_bytes());
        let error = from_bytes(&signed(bad)).unwrap_err();
        assert!(
            error.to_string().contains("the header runs past the end"),
            "{error}"
        );
    }
}

#[test]
fn sections_out_of_order_or_twice_are_refused() {
    let mut s = State::new();
    s.put_u64("a", vec![]);
    s.put_u64("b", vec![]);
    let good = to_bytes(b"", &s).unwrap();
    let at = |name: &[u8]| good.windows(3).position(|w| w == name).unwrap() + 2;
    for (first, second) in [(b'b', b'a'), (b'a', b'a')] {
        let mut bad = good.clone();
        (bad[at(b"\x01\0a")], bad[at(b"\x01\0b")]) = (first, second);
        let error = from_bytes(&signed(bad)).unwrap_err();
        assert!(
            error.to_string().contains("section `a` is out of order"),
            "{error}"
        );
    }
    let mut long = State::new();
    long.put_u64(&"n".repeat(65_535), vec![1]);
    assert!(from_bytes(&to_bytes(b"", &long).unwrap()).is_ok());
    long.put_u64(&"n".repeat(65_536), vec![1]);
    assert!(matches!(
        to_bytes(b"", &long),
        Err(ContainerError::NameTooLong { .. })
    ));
}

#[test]
fn messages_say_where_what_and_what_to_do() {
    let mut newer = to_bytes(HEADER, &state()).unwrap();
    newer[8] = 2;
    let mut flipped = to_bytes(HEADER, &state()).unwrap();
    let last_number = flipped.len() - 32 - 4 - 1;
    flipped[last_number] ^= 1;
    let cases: [(&[u8], &str); 12] = [
        (
            b"+1 1:0.5 7:2\n",
            "m: not a novikoff model but svmlight text; train on it, and give the model",
        ),
        (b"1 | a b", "but VW text; train"),
        (b"a,b\n1,2\n", "but CSV or TSV text; train"),
        (b"", "but an empty file; its content was lost"),
        (&[0; 100], "but a file of zeros; its content was lost"),
        (b"\x1f\x8b\x08\0", "but a gzip file; unpack it first"),
        (b"\x7fELF\x02\x01\x01\0", "but binary data; give"),
        (
            b"solver_type L2R_LR\n",
            "but a LIBLINEAR model; models of other programs",
        ),
        (b"hello", "but text; give"),
        (
            b"NOVI",
            "m: damaged or cut short, at byte 4: the file ends in its first field; restore",
        ),
        (
            &signed(newer),
            "m: model format 2, and this program reads up to 1; upgrade novikoff",
        ),
        (
            &flipped,
            "do not fit the checksum of section `w`; restore it from a copy or train again",
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    for (bytes, want) in cases {
        fs::write(&path, bytes).unwrap();
        let message = reported(&load(&path).unwrap_err());
        let short = message.replace(path.to_str().unwrap(), "m");
        assert!(short.contains(want), "{short}");
    }
    fs::write(&path, to_bytes(HEADER, &state()).unwrap()).unwrap();
    let size = fs::metadata(&path).unwrap().len();
    assert!(load_within(&path, size).is_ok());
    assert!(matches!(
        load_within(&path, size - 1),
        Err(ContainerError::TooLarge { .. })
    ));
    assert!(matches!(
        load(folder.path()),
        Err(ContainerError::NotAFile { .. })
    ));
    let missing = reported(&load(&folder.path().join("none")).unwrap_err());
    assert!(missing.contains("none: cannot read it") && missing.contains("check the path"));
}

/// The names in a directory.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn saving_replaces_in_one_step_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.nvk");
    let digest = save(&path, HEADER, &random_state(100_000)).unwrap();
    assert_eq!(load(&path).unwrap().digest, digest);
    save(&path, b"second", &state()).unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!(
        (loaded.header.as_slice(), bits(&loaded.state)),
        (&b"second"[..], bits(&state()))
    );
    assert_eq!(
        fs::read(&path).unwrap(),
        to_bytes(b"second", &state()).unwrap()
    );
    assert_eq!(names(folder.path()), ["m.nvk"]);
}

#[cfg(unix)]
#[test]
fn a_saved_file_has_the_usual_permissions_and_links_are_followed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |name| {
        fs::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode()
    };
    save(&folder.path().join("m"), HEADER, &state()).unwrap();
    fs::File::create(folder.path().join("plain")).unwrap();
    assert_eq!(mode("m"), mode("plain"));
    std::os::unix::fs::symlink("m", folder.path().join("link")).unwrap();
    save(&folder.path().join("link"), b"new", &state()).unwrap();
    assert!(folder.path().join("link").is_symlink());
    assert_eq!(load(&folder.path().join("m")).unwrap().header, b"new");
    assert!(matches!(
        save(Path::new("/dev/null"), HEADER, &state()),
        Err(ContainerError::NotAFile { .. })
    ));
}

#[test]
fn a_failed_save_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("no such directory").join("m");
    let error = reported(&save(&inside, HEADER, &state()).unwrap_err());
    assert!(error.contains("that its directory exists"), "{error}");
    assert!(matches!(
        save(folder.path(), HEADER, &state()),
        Err(ContainerError::NotAFile { .. })
    ));
    // The name is too long for the rename, after all else went well.
    let error = save(&folder.path().join("n".repeat(300)), HEADER, &state()).unwrap_err();
    assert!(matches!(error, ContainerError::Io { .. }), "{error}");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_directory_that_is_not_writable_keeps_the_old_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    save(&path, b"old", &state()).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    if tempfile::tempfile_in(folder.path()).is_ok() {
        eprintln!("SKIPPED: this user (root?) may write to a directory of mode 555");
        return;
    }
    let error = save(&path, b"new", &state()).unwrap_err().to_string();
    assert!(
        error.contains("cannot create a file in its directory"),
        "{error}"
    );
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(load(&path).unwrap().header, b"old");
    assert_eq!(names(folder.path()), ["m"]);
}

/// A full disk, by a limit on file sizes that only a process of its own can have.
#[cfg(unix)]
#[test]
fn a_full_disk_keeps_the_old_file() {
    const CHILD: &str = "NOVIKOFF_TEST_SAVE_HERE";
    if let Some(path) = std::env::var_os(CHILD) {
        let error = save(Path::new(&path), b"new", &random_state(100_000)).unwrap_err();
        assert!(error.to_string().contains("cannot write it"), "{error}");
        assert!(reported(&error).contains("; make room;"), "{error}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    save(&path, b"old", &state()).unwrap();
    // Files up to 64 blocks, and the signal ignored so that writing fails instead.
    let script = "trap '' XFSZ && ulimit -f 64 && exec \"$0\" --exact container::a_full_disk_keeps_the_old_file";
    let child = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .env(CHILD, &path)
        .output();
    let Ok(child) = child else {
        eprintln!("SKIPPED: no shell to set a limit with");
        return;
    };
    assert!(
        child.status.success(),
        "{}",
        String::from_utf8_lossy(&child.stdout)
    );
    assert!(String::from_utf8_lossy(&child.stdout).contains("1 passed"));
    assert_eq!(load(&path).unwrap().header, b"old");
    assert_eq!(names(folder.path()), ["m"]);
}
