//! Lists for `--help`, from the catalogue and the generators themselves.

use std::fmt::Write as _;

use novikoff::catalog::CATALOG;
use novikoff::dual::named::{LOSSES, NamedEntry, REGULARISERS};
use novikoff::parameter::Key;
use novikoff_data::generate::GENERATORS;

/// A key with its default, meaning and range.
fn words(key: &Key) -> String {
    let (name, default, meaning) = (key.name, key.default, key.meaning);
    if key.is_flag() {
        format!("{name}: {meaning} (flag)")
    } else if default.is_empty() {
        format!("{name}=...: {meaning}")
    } else {
        format!("{name}={default}: {meaning} ({})", key.allowed())
    }
}

/// Every learner with its keys.
pub(crate) fn learners() -> String {
    let mut out = "Learners (name:key=value,flag, also selective(second-order:a=1):b=2; a final @normalize=N,bias=B overrides the options):\n".to_owned();
    for entry in CATALOG {
        // writing to a String cannot fail
        let _ = writeln!(out, "  {:<21} {}", entry.name, entry.summary);
        for key in entry.keys {
            let _ = writeln!(out, "  {:<21}   {}", "", words(key));
        }
    }
    out.push_str("\nExample:\n  novikoff compare digits perceptron averaged p-norm:p=4 --epochs 3 --shuffle 1");
    out
}

/// Every loss and regulariser with its keys.
pub(crate) fn solver() -> String {
    let mut out = "Minimises the mean loss plus lambda times the regulariser, where t = y w.x for labels and t = w.x for numbers.\n\nLosses:\n".to_owned();
    list(&mut out, LOSSES);
    out.push_str("\nRegularisers:\n");
    list(&mut out, REGULARISERS);
    out.push_str("\nExample:\n  novikoff solve train.svm --loss hinge --lambda 1e-3,1e-4 --bias free --test test.svm");
    out
}

fn list<B>(out: &mut String, entries: &[NamedEntry<B>]) {
    for entry in entries {
        let _ = writeln!(out, "  {:<24} {}", entry.name, entry.summary);
        for key in entry.keys {
            let _ = writeln!(out, "  {:<24}   {}", "", words(key));
        }
    }
}

/// Every generator with its keys.
pub(crate) fn generators() -> String {
    let mut out = "Data sets (name:key=value,key=value):\n".to_owned();
    let _ = writeln!(
        out,
        "  {:<14} 1,797 handwritten digits, 8x8, ten classes",
        "digits"
    );
    for generator in GENERATORS {
        let _ = writeln!(out, "  {:<14} {}", generator.name, generator.summary);
        for key in generator.keys {
            let _ = writeln!(out, "  {:<14}   {}", "", words(key));
        }
    }
    out.push_str("\nExample:\n  novikoff generate sparse-target:rows=2000,noise=0.1 -o train.svm");
    out
}

/// What `certify --help` ends with.
pub(crate) const CERTIFY: &str = "\
The bound holds for every vector U. The dual solver searches for a U that makes the bound small over all trials of the run. The bound is then \
computed from that U and rounded up. `mistakes <= bound` is proved for this run; it is not an estimate.\n\n\
Examples:\n  novikoff certify digits -a second-order --positive 0\n  \
novikoff certify rows.svm -a perceptron --json --trace trace.jsonl --save-comparator u.model > cert.json\n  \
novikoff certify --check cert.json rows.svm";
