//! Text-like rows: Zipfian words, tf-idf values, labels of a sparse target.
//!
//! A row is drawn word by word until it has its number of different words. Each row leans to one
//! side: words of the other side are mostly drawn again, as in real text, where the words of a
//! document agree; without that most rows would lie close to the target's hyperplane.

use novikoff::random::SplitMix64;
use novikoff::rows::Rows;

use super::{GenerateError, GeneratorSettings, normal_pair};

/// The word of rank r has a probability proportional to r^-ZIPF.
const ZIPF: f64 = 1.1;
/// Standard deviation of the logarithm of a row's length.
const SPREAD: f64 = 0.5;
/// Probability that a word of the other side is drawn again.
const LEAN: f64 = 0.7;

/// Draws documents.
#[derive(Clone, Debug)]
pub(super) struct TextProblem {
    words: Vec<Word>,
    /// Mean number of different words in a row.
    nonzeros: f64,
    /// `1 + ln(tf)`; higher counts have the last value.
    log_tf: Vec<f64>,
    /// How often each word occurs in the row being made.
    count: Vec<u32>,
    /// The words of the row being made, and their values.
    row: Vec<u32>,
    value: Vec<f64>,
}

/// A word, and its column of the alias table (Walker 1974).
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    /// The column gives this word if a 32-bit coin is below, else the alias.
    stay: u32,
    alias: u32,
    idf: f32,
    /// Its component of the target: -1, 0 or +1.
    weight: f32,
}

impl TextProblem {
    pub(super) fn new(
        settings: &GeneratorSettings,
        random: &mut SplitMix64,
    ) -> Result<Self, GenerateError> {
        let (features, nonzeros) = (settings.size("features"), settings.real("nonzeros"));
        settings.at_most(
            "nonzeros",
            features as f64 / 10.0,
            "a tenth of the features",
        )?;
        // Feature numbers say nothing of frequency.
        let mut word_of_rank: Vec<usize> = (0..features).collect();
        random.shuffle(&mut word_of_rank);
        // Neither the few words of every row nor the rare ones decide.
        let relevant = features / 1000..features / 20;
        let power = |rank: usize| libm::pow(rank as f64 + 1.0, -ZIPF);
        let total: f64 = (0..features).map(power).sum();

        let mut words = vec![Word::default(); features];
        let mut probability = vec![0.0; features];
        for (rank, &word) in word_of_rank.iter().enumerate() {
            let p = power(rank) / total;
            probability[word] = p;
            // A row has about 1.5 tokens for each of its words: the chance that this is among them.
            let present = 1.0 - libm::exp(-1.5 * nonzeros * p);
            words[word].idf = libm::log(1.0 + 1.0 / present) as f32;
            if relevant.contains(&rank) {
                words[word].weight = side(random);
            }
        }
        fill_alias_table(&mut words, &probability);
        Ok(TextProblem {
            words,
            nonzeros,
            log_tf: (0..256)
                .map(|tf| 1.0 + libm::log(f64::from(tf.max(1))))
                .collect(),
            count: vec![0; features],
            row: Vec::new(),
            value: Vec::new(),
        })
    }

    pub(super) fn features(&self) -> usize {
        self.words.len()
    }

    /// Adds the next row's values and says whether the target's product with it is >= 0.
    pub(super) fn row(&mut self, random: &mut SplitMix64, out: &mut Rows) -> bool {
        self.draw_words(random);
        self.row.sort_unstable();
        self.value.clear();
        let (mut norm_sq, mut dot) = (0.0, 0.0);
        for &word in &self.row {
            let tf = std::mem::take(&mut self.count[word as usize]) as usize;
            let Word { idf, weight, .. } = self.words[word as usize];
            let value = self.log_tf[tf.min(self.log_tf.len() - 1)] * f64::from(idf);
            norm_sq += value * value;
            dot += value * f64::from(weight);
            self.value.push(value);
        }
        let scale = 1.0 / norm_sq.sqrt();
        for (&word, &value) in self.row.iter().zip(&self.value) {
            out.push(word + 1, six_digits(value * scale));
        }
        dot >= 0.0
    }

    /// Draws the different words of a row, as many as a log-normal number says, and counts them.
    fn draw_words(&mut self, random: &mut SplitMix64) {
        let log = SPREAD * normal_pair(random)[0] - SPREAD * SPREAD / 2.0;
        let length = (self.nonzeros * libm::exp(log)).round();
        let length = length.clamp(1.0, self.words.len() as f64 / 4.0) as usize;
        let side = side(random);
        self.row.clear();
        while self.row.len() < length {
            let word = self.draw(random);
            if self.words[word as usize].weight * side < 0.0 && random.uniform() < LEAN {
                continue;
            }
            let count = &mut self.count[word as usize];
            if *count == 0 {
                self.row.push(word);
            }
            *count += 1;
        }
    }

    fn draw(&self, random: &mut SplitMix64) -> u32 {
        let bits = random.next_u64();
        let column = ((bits >> 32) * self.words.len() as u64) >> 32;
        let word = &self.words[column as usize];
        if (bits as u32) < word.stay {
            column as u32
        } else {
            word.alias
        }
    }
}

/// -1 or +1, evenly.
fn side(random: &mut SplitMix64) -> f32 {
    if random.uniform() < 0.5 { -1.0 } else { 1.0 }
}

/// The nearest number of six significant digits, for 0 < v <= 1: files of such rows stay short.
fn six_digits(v: f64) -> f32 {
    let mut power = 1e6;
    while v * power < 1e5 {
        power *= 10.0;
    }
    ((v * power).round() / power) as f32
}

/// Each column keeps a share of its own word and gives the rest of its room to one other.
fn fill_alias_table(words: &mut [Word], probability: &[f64]) {
    let n = words.len() as f64;
    let mut share: Vec<f64> = probability.iter().map(|p| p * n).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..words.len()).partition(|&i| share[i] < 1.0);
    for (i, word) in words.iter_mut().enumerate() {
        (word.stay, word.alias) = (u32::MAX, i as u32);
    }
    while let (Some(i), Some(&j)) = (small.pop(), large.last()) {
        words[i].stay = (share[i] * 4_294_967_296.0) as u32; // 2^32
        words[i].alias = j as u32;
        share[j] -= 1.0 - share[i];
        if share[j] < 1.0 {
            large.pop();
            small.push(j);
        }
    }
}
