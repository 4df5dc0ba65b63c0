//! Handwritten digits: 1,797 images of 8 x 8 pixels, built in (`data/README.md` has the source).

use novikoff::rows::Rows;

const PIXELS: usize = 64;
/// For each image 64 pixels, row by row and from 0 to 16, then the digit.
static IMAGES: &[u8; 1797 * (PIXELS + 1)] = include_bytes!("../data/digits.bin");

/// All images in their original order: labels `0` to `9`, features 1 to 64, zeros left out.
///
/// `bias`, if any, becomes the constant feature of every row.
pub fn digits(bias: Option<f32>) -> Rows {
    let mut rows = Rows::new();
    let (images, _) = IMAGES.as_chunks::<{ PIXELS + 1 }>();
    for (line, image) in (0..).zip(images) {
        let digit = image[PIXELS];
        rows.push_label(f64::from(digit), &[b'0' + digit]);
        if let Some(b) = bias {
            rows.push(0, b);
        }
        for (slot, &v) in (1..).zip(&image[..PIXELS]) {
            rows.push(slot, f32::from(v));
        }
        rows.end_row(line);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_is_the_one_of_uci() {
        let rows = digits(None);
        assert_eq!((rows.len(), rows.width()), (1797, 64));
        let mut counts = [0; 10];
        let mut sum = 0.0;
        for i in 0..rows.len() {
            let mut labels = rows.labels(i);
            let label = labels.next().expect("a label");
            let digit = label.number().expect("a number") as u8;
            assert_eq!(label.text(), [b'0' + digit]);
            assert!(labels.next().is_none());
            counts[usize::from(digit)] += 1;
            assert!(
                rows.row(i)
                    .iter()
                    .all(|(j, v)| (1..=64).contains(&j) && (1.0..=16.0).contains(&v))
            );
            sum += rows.row(i).iter().map(|(_, v)| v).sum::<f64>();
        }
        // The counts of the set's own description, and the sum of all its pixels.
        assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
        assert_eq!(sum, 561_718.0);
        let first: Vec<_> = rows.row(0).iter().take(4).collect();
        assert_eq!(first, [(3, 5.0), (4, 13.0), (5, 9.0), (6, 1.0)]);
    }

    #[test]
    fn the_constant_feature_comes_first_and_changes_nothing_else() {
        let (plain, biased) = (digits(None), digits(Some(0.5)));
        assert_eq!(biased.values(), plain.values() + 1797);
        for i in 0..plain.len() {
            let row = biased.row(i);
            let mut with = row.iter();
            assert_eq!(with.next(), Some((0, 0.5)));
            assert!(with.eq(plain.row(i).iter()));
        }
    }
}
