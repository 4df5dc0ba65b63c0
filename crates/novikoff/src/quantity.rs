//! Counts for reading: thousands set apart, nouns in the singular or the plural.

/// A count with its thousands set apart.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count and its noun, which is given in the singular: `1 row`, `2 rows`, `3 classes`.
pub fn plural(n: u64, noun: &str) -> String {
    let ending = match noun {
        _ if n == 1 => "",
        noun if noun.ends_with('s') || noun.ends_with('x') => "es",
        _ => "s",
    };
    format!("{} {noun}{ending}", count(n))
}

/// A share in percent, for reading: two digits after the point.
pub fn percent(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::{count, plural};

    #[test]
    fn counts_and_their_nouns() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(plural(1, "row"), "1 row");
        assert_eq!(plural(0, "row"), "0 rows");
        assert_eq!(plural(1200, "mistake"), "1,200 mistakes");
        assert_eq!(plural(1, "class"), "1 class");
        assert_eq!(plural(10, "class"), "10 classes");
        assert_eq!(plural(2, "pass"), "2 passes");
    }
}
