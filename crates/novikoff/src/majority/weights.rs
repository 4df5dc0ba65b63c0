//! The weights of one majority, and what its theorem needs to know of the run.

use crate::cost::FUNCTION;
use crate::learner::{ExpertSequence, Votes};
use crate::state::{State, StateError};

/// The rate of `beta=auto` before anybody has made many mistakes: a mistake halves a weight.
const FIRST_RATE: f64 = core::f64::consts::LN_2;

/// More mistakes than any run makes.
const MISTAKES: u64 = 1 << 48;

/// How fast mistakes make weights smaller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    /// `ln(1/beta)`, if beta is fixed.
    pub(crate) fixed: Option<f64>,
    /// The part of its weight that an expert gives to the others after a mistake of the majority.
    pub(crate) share: f64,
}

impl Rates {
    /// eta: fixed, or `min(eta_0, sqrt(8 ln N / (1 + m)))` where the best of N experts made m mistakes.
    pub(super) fn eta(self, experts: usize, least: u64) -> f64 {
        let falling = || (8.0 * libm::log(experts as f64) / (1.0 + least as f64)).sqrt();
        self.fixed.unwrap_or_else(|| falling().min(FIRST_RATE))
    }

    /// `ln((N-1)(1-s)/s)`: what a change of the expert costs in the bound. Not negative, for s is at most 1/2.
    fn change(self, experts: usize) -> f64 {
        libm::log((experts as f64 - 1.0) * (1.0 - self.share) / self.share)
    }
}

/// `f(eta) = ln(2/(1 + exp(-eta)))/eta`: by how much a mistake of the majority brings the experts forward.
pub(crate) fn progress(eta: f64) -> f64 {
    if eta == 0.0 {
        return 0.5;
    }
    -libm::log1p(libm::expm1(-eta) / 2.0) / eta
}

/// The weight of an expert that made `gap` mistakes more than the best.
fn weight_of(eta: f64, gap: u64) -> f64 {
    libm::exp(-eta * gap as f64)
}

/// The weights of N experts in one vote. With `share` they are kept, else they follow from the mistakes.
#[derive(Clone, Debug)]
pub(super) struct MajorityWeights {
    mistakes: Vec<u64>,
    /// The fewest of them.
    least: u64,
    majority: u64,
    eta: f64,
    progress: f64,
    /// The largest is 1. Without `share`, those of experts that run; nobody asks for the others in a trial.
    weights: Vec<f64>,
    /// Without `share`: the mistakes more than the fewest that each weight is about.
    gaps: Vec<u64>,
    /// With `share`: the best sequence of experts that ends with each.
    sequences: Vec<ExpertSequence>,
}

impl MajorityWeights {
    pub(super) fn new(experts: usize, rates: Rates) -> Self {
        let sequence = |last| ExpertSequence {
            last,
            mistakes: 0,
            switches: 0,
        };
        let sequences = if rates.share > 0.0 { experts } else { 0 };
        MajorityWeights {
            mistakes: vec![0; experts],
            least: 0,
            majority: 0,
            eta: rates.eta(experts, 0),
            progress: 0.0,
            weights: vec![1.0; experts],
            gaps: vec![0; experts],
            sequences: (0..sequences).map(sequence).collect(),
        }
    }

    /// The weights of experts that run, up to a factor.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The weight of any expert, up to the same factor.
    fn weight(&self, expert: usize) -> f64 {
        if self.sequences.is_empty() {
            weight_of(self.eta, self.mistakes[expert] - self.least)
        } else {
            self.weights[expert]
        }
    }

    /// An expert's part of the weight of all.
    pub(super) fn part(&self, expert: usize) -> f64 {
        let all: f64 = (0..self.weights.len()).map(|i| self.weight(i)).sum();
        self.weight(expert) / all
    }

    /// The trial is over: which experts were wrong, which of them still run, and whether the majority was wrong. The multiply-adds that the
    /// weights took.
    pub(super) fn learn(
        &mut self,
        rates: Rates,
        experts: impl Iterator<Item = ExpertOutcome> + Clone,
        majority_wrong: bool,
    ) -> f64 {
        let mut work = 0.0;
        if majority_wrong {
            self.majority += 1;
            self.progress += progress(self.eta);
            work += 2.0 * FUNCTION;
        }
        let mut any = false;
        for (mistakes, expert) in self.mistakes.iter_mut().zip(experts.clone()) {
            *mistakes += u64::from(expert.wrong);
            any |= expert.wrong;
        }
        if rates.share > 0.0 {
            if any || majority_wrong {
                work += FUNCTION + 4.0 * self.weights.len() as f64;
                self.learn_shared(rates, experts, majority_wrong);
            }
        } else if any {
            work += self.follow(rates, experts.map(|expert| expert.runs));
        }
        work
    }

    /// The weights of experts that run, as they follow from the mistakes; those that stay what they are are not computed again. The
    /// multiply-adds that it took.
    fn follow(&mut self, rates: Rates, runs: impl Iterator<Item = bool>) -> f64 {
        let least = self.mistakes.iter().copied().min().unwrap_or(0);
        let (mut eta, mut work) = (self.eta, 0.0);
        if least != self.least {
            eta = rates.eta(self.mistakes.len(), least);
            work += 2.0 * FUNCTION;
        }
        let is_new = eta != self.eta;
        (self.least, self.eta) = (least, eta);
        let weights = self.weights.iter_mut().zip(&mut self.gaps);
        for ((weight, known), (mistakes, runs)) in weights.zip(self.mistakes.iter().zip(runs)) {
            let gap = mistakes - least;
            if runs && (gap != *known || (is_new && gap > 0)) {
                (*known, *weight) = (gap, weight_of(eta, gap));
                work += FUNCTION;
            }
        }
        work
    }

    fn learn_shared(
        &mut self,
        rates: Rates,
        experts: impl Iterator<Item = ExpertOutcome> + Clone,
        majority_wrong: bool,
    ) {
        let beta = libm::exp(-self.eta);
        let states = self.weights.iter_mut().zip(&mut self.sequences);
        for ((weight, sequence), expert) in states.zip(experts.clone()) {
            if expert.wrong {
                *weight *= beta;
                sequence.mistakes += 1;
            }
        }
        if majority_wrong {
            self.share(rates.share, experts.clone());
            self.change_sequences(rates, experts);
        }
        let largest = self.weights.iter().copied().fold(0.0, f64::max);
        for weight in &mut self.weights {
            *weight /= largest;
        }
    }

    /// Every weight gives the part s of itself to the other running experts, in equal parts.
    fn share(&mut self, s: f64, experts: impl Iterator<Item = ExpertOutcome> + Clone) {
        let (mut running, mut of_running, mut of_retired) = (0.0, 0.0, 0.0);
        for (weight, expert) in self.weights.iter().zip(experts.clone()) {
            if expert.runs {
                running += 1.0;
                of_running += weight;
            } else {
                of_retired += weight;
            }
        }
        for (weight, expert) in self.weights.iter_mut().zip(experts) {
            let own = *weight;
            let kept = if expert.runs && running < 2.0 {
                own
            } else {
                (1.0 - s) * own
            };
            let got = match (expert.runs, running > 1.0) {
                (true, true) => s * (of_running - own) / (running - 1.0) + s * of_retired / running,
                (true, false) => s * of_retired,
                (false, _) => 0.0,
            };
            *weight = kept + got;
        }
    }

    /// After a mistake of the majority a sequence may go on with another expert that runs.
    fn change_sequences(
        &mut self,
        rates: Rates,
        experts: impl Iterator<Item = ExpertOutcome> + Clone,
    ) {
        let (eta, change) = (self.eta, rates.change(self.mistakes.len()));
        let price = |s: &ExpertSequence| s.mistakes as f64 * eta + s.switches as f64 * change;
        let Some(best) = self
            .sequences
            .iter()
            .min_by(|a, b| price(a).total_cmp(&price(b)))
        else {
            return;
        };
        let (best, least) = (*best, price(best));
        for (sequence, expert) in self.sequences.iter_mut().zip(experts) {
            if expert.runs && price(sequence) > least + change {
                sequence.mistakes = best.mistakes;
                sequence.switches = best.switches + 1;
            }
        }
    }

    /// What is known of the vote.
    pub(super) fn votes(&self, rates: Rates) -> Votes {
        let change = rates.change(self.mistakes.len());
        let price = |s: &ExpertSequence| s.mistakes as f64 * self.eta + s.switches as f64 * change;
        let cheapest = |a: &&ExpertSequence, b: &&ExpertSequence| price(a).total_cmp(&price(b));
        Votes {
            mistakes: self.mistakes.clone(),
            weights: (0..self.weights.len()).map(|i| self.part(i)).collect(),
            majority: self.majority,
            eta: self.eta,
            progress: self.progress,
            sequence: self.sequences.iter().min_by(cheapest).copied(),
        }
    }

    pub(super) fn save(&self, out: &mut State<'_>) {
        out.put_u64("mistakes", self.mistakes.clone());
        out.put_u64("majority", vec![self.majority]);
        out.put_f64("rate", vec![self.eta, self.progress]);
        if !self.sequences.is_empty() {
            out.put_f64("weights", self.weights.clone());
            let pairs = self.sequences.iter().flat_map(|s| [s.mistakes, s.switches]);
            out.put_u64("sequences", pairs.collect::<Vec<_>>());
        }
    }

    pub(super) fn load(
        experts: usize,
        rates: Rates,
        from: &mut State<'static>,
    ) -> Result<Self, StateError> {
        let mut loaded = Self::new(experts, rates);
        let few = |list: &[u64]| list.iter().all(|&n| n < MISTAKES);
        loaded.mistakes = counts(from, "mistakes", experts)?;
        [loaded.majority] = from.take_counts("majority")?;
        if !few(&loaded.mistakes) || !few(&[loaded.majority]) {
            return Err(from.bad("mistakes", "more than any run makes"));
        }
        let [eta, progress] = from.take_scalars("rate")?;
        loaded.least = loaded.mistakes.iter().copied().min().unwrap_or(0);
        loaded.eta = rates.eta(experts, loaded.least);
        for (i, mistakes) in loaded.mistakes.iter().enumerate() {
            loaded.gaps[i] = mistakes - loaded.least;
            loaded.weights[i] = weight_of(loaded.eta, loaded.gaps[i]);
        }
        if eta != loaded.eta || !(0.0..=loaded.majority as f64).contains(&progress) {
            return Err(from.bad("rate", "no rate of these mistakes"));
        }
        loaded.progress = progress;
        if !loaded.sequences.is_empty() {
            loaded.weights = from.take_vector("weights", experts)?;
            if !loaded.weights.iter().all(|w| (0.0..=1.0).contains(w))
                || !loaded.weights.contains(&1.0)
            {
                return Err(from.bad("weights", "not from 0 to 1"));
            }
            let pairs = counts(from, "sequences", 2 * experts)?;
            if !few(&pairs) {
                return Err(from.bad("sequences", "more than any run makes"));
            }
            for (sequence, pair) in loaded.sequences.iter_mut().zip(pairs.chunks_exact(2)) {
                (sequence.mistakes, sequence.switches) = (pair[0], pair[1]);
            }
        }
        Ok(loaded)
    }
}

/// Takes exactly `len` counts out.
pub(super) fn counts(
    from: &mut State<'static>,
    name: &str,
    len: usize,
) -> Result<Vec<u64>, StateError> {
    let data = from.take_u64(name)?;
    if data.len() == len {
        Ok(data)
    } else {
        Err(from.bad(name, format!("{} counts, not {len}", data.len())))
    }
}

/// What a trial was for an expert.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExpertOutcome {
    /// Its answer was wrong, or it has none any more.
    pub(super) wrong: bool,
    /// It is not retired.
    pub(super) runs: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(wrong: &[bool]) -> impl Iterator<Item = ExpertOutcome> + Clone + '_ {
        wrong
            .iter()
            .map(|&wrong| ExpertOutcome { wrong, runs: true })
    }

    #[test]
    fn progress_is_the_formula() {
        for eta in [1e-9, 1e-3, 0.1, core::f64::consts::LN_2, 3.0] {
            let beta = libm::exp(-eta);
            let want = libm::log(2.0 / (1.0 + beta)) / eta;
            assert!((progress(eta) - want).abs() < 1e-6, "{eta}");
        }
        assert_eq!(progress(0.0), 0.5);
    }

    #[test]
    fn weights_follow_from_mistakes() {
        let rates = Rates {
            fixed: None,
            share: 0.0,
        };
        let mut vote = MajorityWeights::new(2, rates);
        assert_eq!(vote.weights(), [1.0, 1.0]);
        vote.learn(rates, outcomes(&[true, false]), true);
        assert_eq!(vote.mistakes, [1, 0]);
        // the rate is ln 2 as long as sqrt(8 ln 2 / (1 + least)) is larger
        assert!((vote.weights()[0] - 0.5).abs() < 1e-15);
        assert!((vote.part(1) - 2.0 / 3.0).abs() < 1e-15);
        for _ in 0..100 {
            vote.learn(rates, outcomes(&[true, true]), false);
        }
        let eta = (8.0 * core::f64::consts::LN_2 / 101.0).sqrt();
        assert!((vote.votes(rates).eta - eta).abs() < 1e-15);
        assert!((vote.weights()[0] - libm::exp(-eta)).abs() < 1e-15);
        assert_eq!(vote.votes(rates).majority, 1);
    }

    /// Weights that are not computed again are what they would be.
    #[test]
    fn no_weight_is_left_behind() {
        let rates = Rates {
            fixed: None,
            share: 0.0,
        };
        let mut random = crate::random::SplitMix64::new(3);
        let mut vote = MajorityWeights::new(5, rates);
        let mut work = 0.0;
        for trial in 0..2000_u64 {
            // the last expert is retired halfway, and wrong from then on
            let gone = trial >= 1000;
            let outcome = (0..5).map(|i| {
                let runs = !(gone && i == 4);
                let wrong = !runs || random.uniform() < 0.02 * f64::from(i + 1);
                ExpertOutcome { wrong, runs }
            });
            let outcome: Vec<ExpertOutcome> = outcome.collect();
            work += vote.learn(rates, outcome.iter().copied(), outcome[0].wrong);
            let least = vote.mistakes.iter().copied().min().unwrap_or(0);
            assert_eq!(vote.eta, rates.eta(5, least));
            let weight = |i: usize| libm::exp(-vote.eta * (vote.mistakes[i] - least) as f64);
            for i in (0..5).filter(|i| outcome[*i].runs) {
                assert_eq!(vote.weights()[i].to_bits(), weight(i).to_bits(), "{trial}");
            }
            let all: f64 = (0..5).map(weight).sum();
            assert_eq!(vote.part(4), weight(4) / all);
        }
        // five functions per trial would be 200,000
        assert!((1.0..60_000.0).contains(&work), "{work}");
    }

    #[test]
    fn shared_weight_is_kept_whole() {
        let rates = Rates {
            fixed: Some(core::f64::consts::LN_2),
            share: 0.1,
        };
        let mut vote = MajorityWeights::new(3, rates);
        vote.learn(rates, outcomes(&[true, true, false]), true);
        // 1/2, 1/2, 1: each gives a tenth to the other two
        let want = [0.45 + 0.025 + 0.05, 0.45 + 0.025 + 0.05, 0.9 + 0.05_f64];
        for (got, want) in vote.weights().iter().zip(want) {
            // the largest is 1
            assert!((got * 0.95 - want).abs() < 1e-12, "{got}");
        }
        let sequence = vote.votes(rates).sequence;
        assert_eq!(
            sequence.map(|s| (s.last, s.mistakes, s.switches)),
            Some((2, 0, 0))
        );
    }
}
