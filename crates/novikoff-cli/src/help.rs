//! Lists for `--help`, from the catalogue and the generators themselves.

use std::fmt::Write as _;

use novikoff::catalog::CATALOG;
use novikoff_data::generate::GENERATORS;

/// Every learner with its keys.
pub(crate) fn learners() -> String {
    let mut out = "Learners (name:key=value,key=value,flag):\n".to_owned();
    for entry in CATALOG {
        // writing to a String cannot fail
        let _ = writeln!(out, "  {:<20} {}", entry.name, entry.summary);
        for key in entry.keys {
            let (name, meaning) = (key.name, key.meaning);
            let _ = if key.is_flag() {
                writeln!(out, "  {:<20}   {name}: {meaning} (flag)", "")
            } else {
                let (default, allowed) = (key.default, key.allowed());
                writeln!(
                    out,
                    "  {:<20}   {name}={default}: {meaning} ({allowed})",
                    ""
                )
            };
        }
    }
    out.push_str("\nExample:\n  novikoff compare digits perceptron averaged p-norm:p=4 --epochs 3 --shuffle 1");
    out
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
            let _ = writeln!(
                out,
                "  {:<14}   {}={}: {} ({})",
                "", key.name, key.default, key.meaning, key.range
            );
        }
    }
    out.push_str("\nExample:\n  novikoff generate sparse-target:rows=2000,noise=0.1 -o train.svm");
    out
}
