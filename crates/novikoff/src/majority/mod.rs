//! Auto: the weighted majority of several learners, its experts.
//!
//! Every expert is a whole learner that is given every row after a preparation of its own, and learns from it as it would alone. The answer
//! is the label with the most weight behind it, of several the lowest. Nobody has to choose a learner: the mistakes are few more than those of
//! the best expert.
//!
//! Update: every expert's own. The weight of expert i is `exp(-eta m_i)` after `m_i` mistakes. `beta=auto`: `eta = min(ln 2,
//! sqrt(8 ln N / (1 + m)))` where m are the mistakes of the best of N experts; `beta=B`: `eta = ln(1/B)`. `share=s` (fixed share): after a
//! mistake of the majority every weight gives the part s of itself to the other running experts. An expert that does not take a row, or that
//! costs more than it is worth, is retired: it counts as wrong from then on.
//!
//! Cost: those of all experts, at most `cost` (8) times that of the perceptron, where reading a value counts as 10 multiply-adds in both.
//! Experts share what is prepared of a row, and the linear ones one sweep over its values for all their inner products.
//!
//! Bound: WM, `m <= (m_i + ln N / eta) / F` for every expert i; with `share` for every sequence of experts (docs/theory/majority.md).
//!
//! Paper: Littlestone and Warmuth, The Weighted Majority Algorithm, Information and Computation 108, 1994; Herbster and Warmuth, Tracking the
//! Best Expert, Machine Learning 32, 1998 (fixed share); Auer, Cesa-Bianchi and Gentile, Adaptive and Self-Confident On-Line Learning
//! Algorithms, JCSS 64, 2002 (rates that fall).

mod ballots;
mod costs;
mod course;
mod expert;
mod shared;
mod weights;

use std::cell::Cell;

use crate::cost::Size;
use crate::kernel::Kernel;
use crate::learner::{
    ExpertFacts, Hypothesis, LaneCounts, Learner, Lookahead, Panel, Predictor, Refusal,
    RetiredBecause, Retirement, StoredRows, Support, Survey, Trial, UpcomingRows, Voter, Voting,
};
use crate::parameter::Parameters;
use crate::preparation::{Preparation, RowBuffer};
use crate::row::Row;
use crate::state::{State, StateError};
use ballots::{Ballot, best, each_lane, one_of};
pub(crate) use costs::READING;
use costs::{Costs, Excess, Spending, updates_of_perceptron};
use course::Course;
pub(crate) use expert::CostOf;
use expert::Expert;
use shared::{SharedRows, VisitBuffer};
use weights::{ExpertOutcome, MajorityWeights};
pub(crate) use weights::{Rates, progress};

/// An expert that is to join.
pub(crate) struct NewExpert {
    /// Its spec, for people.
    pub(crate) spec: String,
    /// Its name in the catalogue.
    pub(crate) name: &'static str,
    /// The learner, which knows nothing yet.
    pub(crate) learner: Box<dyn Learner>,
    /// What is done to its rows.
    pub(crate) preparation: Preparation,
    /// Its parameters.
    pub(crate) parameters: Parameters,
    /// Its kernel.
    pub(crate) kernel: Kernel,
    /// Its own statement of its cost.
    pub(crate) cost_of: CostOf,
}

/// The weighted majority of several learners.
#[derive(Clone)]
pub(crate) struct Majority {
    experts: Vec<Expert>,
    /// What is done to the rows of experts.
    shared: SharedRows,
    /// One per lane where each is a question of its own, else one.
    votes: Vec<MajorityWeights>,
    rates: Rates,
    voting: Voting,
    lanes: usize,
    trials: u64,
    /// Trials on which the majority was wrong.
    mistakes: u64,
    /// The most that everything may cost, in passes of the perceptron.
    most: f64,
    costs: Costs,
    /// The perceptron's statement of its cost.
    perceptron: CostOf,
    kernel: Kernel,
    course: Course,
    /// Memory that every trial uses again.
    buffer: VisitBuffer,
}

impl Majority {
    /// A majority of learners that know nothing yet.
    pub(crate) fn new(
        experts: Vec<NewExpert>,
        rates: Rates,
        most: f64,
        (perceptron, kernel): (CostOf, Kernel),
    ) -> Self {
        let mut shared = SharedRows::default();
        let experts = experts.into_iter().map(|new| Expert {
            spec: new.spec,
            name: new.name,
            learner: new.learner,
            rows: shared.place(new.preparation),
            parameters: new.parameters,
            kernel: new.kernel,
            cost_of: new.cost_of,
            counts: vec![LaneCounts::default()],
            mistakes: 0,
            retired: None,
            spent: 0.0,
            sizes: (0.0, 0),
            trial: Trial::default(),
            was_zero: false,
            was_wrong: false,
            refusal: None,
        });
        let experts: Vec<Expert> = experts.collect();
        Majority {
            votes: vec![MajorityWeights::new(experts.len(), rates)],
            course: Course::new(experts.len()),
            experts,
            shared,
            rates,
            voting: Voting::default(),
            lanes: 1,
            trials: 0,
            mistakes: 0,
            most,
            costs: Costs::default(),
            perceptron,
            kernel,
            buffer: VisitBuffer::default(),
        }
    }

    /// What the majority says, given the scores of the running experts: `scores(expert)` by lane.
    fn decide<'s>(&'s self, scores: impl Fn(usize) -> &'s [f64] + Copy, out: &mut [f64]) {
        let ballots = |vote: &'s MajorityWeights| {
            let running = self
                .experts
                .iter()
                .enumerate()
                .filter(|(_, expert)| expert.runs());
            running.map(move |(i, expert)| Ballot {
                weight: vote.weights()[i],
                scores: scores(i),
                usual: expert.usual(),
            })
        };
        match &self.voting {
            Voting::EachLane | Voting::EachLabel => {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = each_lane(ballots(&self.votes[lane]), lane);
                }
            }
            Voting::OneOf(order) => one_of(&ballots(&self.votes[0]), order, out),
        }
    }

    /// The expert that runs and has made the fewest mistakes, the first of several; its place.
    fn leader(&self) -> usize {
        let running = self
            .experts
            .iter()
            .enumerate()
            .filter(|(_, expert)| expert.runs());
        let least = running.min_by_key(|(i, expert)| (expert.mistakes, *i));
        least.map_or(0, |(i, _)| i)
    }

    /// An expert's part of the weight of all, the mean over the votes.
    fn part(&self, expert: usize) -> f64 {
        let sum: f64 = self.votes.iter().map(|vote| vote.part(expert)).sum();
        sum / self.votes.len() as f64
    }

    /// Every expert that runs tries the row. An error if none takes it.
    fn try_experts(&mut self, x: Row<'_>, positive: &[usize], of: &Trial) -> Result<(), Refusal> {
        self.shared.visit(
            x,
            &mut self.experts[..],
            self.lanes,
            &mut self.buffer,
            |experts, i, x, inner| experts[i].attempt(x, inner, positive, of),
        );
        let taken = |expert: &Expert| expert.runs() && expert.refusal.is_none();
        if !self.experts.iter().any(taken) {
            let first = self
                .experts
                .iter_mut()
                .find_map(|expert| expert.refusal.take());
            return Err(first.unwrap_or(Refusal::NotFinite));
        }
        Ok(())
    }

    /// Retires those that do not take a row that others take.
    fn retire_refusing(&mut self) {
        let trial = self.trials;
        for expert in self.experts.iter_mut().filter(|expert| expert.runs()) {
            if let Some(because) = expert.refused_because() {
                expert.retired = Some(Retirement { trial, because });
                expert.refusal = None;
            }
        }
    }

    /// The lanes of classes: lane 0 of several is none.
    fn class_lanes(&self) -> std::ops::Range<usize> {
        let is_several = self.lanes > 1 || self.voting != Voting::EachLane;
        usize::from(is_several)..self.lanes
    }

    /// Whether an expert that runs was wrong about a lane, or about the one label.
    fn was_wrong(&self, expert: &Expert, lane: Option<usize>, positive: &[usize]) -> bool {
        match (&self.voting, lane) {
            (Voting::OneOf(order), _) => {
                let answer = best(order, |lane| expert.trial.score[lane]);
                !answer.is_some_and(|lane| positive.contains(&lane))
            }
            (_, Some(lane)) => (expert.trial.margin[lane] >= 0.0) != positive.contains(&lane),
            (_, None) => {
                let mut classes = self.class_lanes();
                classes.any(|lane| self.was_wrong(expert, Some(lane), positive))
            }
        }
    }

    /// Counts the trial and changes the weights; the multiply-adds that it took.
    fn learn_weights(&mut self, positive: &[usize], margins: &[f64]) -> f64 {
        let is_wrong = |lane: usize| (margins[lane] >= 0.0) != positive.contains(&lane);
        let any_wrong = self.class_lanes().any(is_wrong);
        self.mistakes += u64::from(any_wrong);
        for i in 0..self.experts.len() {
            let expert = &self.experts[i];
            let wrong = !expert.runs() || self.was_wrong(expert, None, positive);
            self.experts[i].was_wrong = wrong;
            self.experts[i].mistakes += u64::from(wrong);
        }
        let mut votes = std::mem::take(&mut self.votes);
        let mut work = 0.0;
        let is_one = matches!(self.voting, Voting::OneOf(_));
        for (lane, vote) in votes.iter_mut().enumerate() {
            let outcomes = self.experts.iter().map(|expert| ExpertOutcome {
                wrong: match (is_one, expert.runs()) {
                    (true, _) | (_, false) => expert.was_wrong,
                    (false, true) => self.was_wrong(expert, Some(lane), positive),
                },
                runs: expert.runs(),
            });
            let majority_wrong = if is_one { any_wrong } else { is_wrong(lane) };
            work += vote.learn(self.rates, outcomes, majority_wrong);
        }
        self.votes = votes;
        work
    }

    /// Pays for the trial, and retires experts that cost too much.
    fn pay(&mut self, row: RowSize, of_weights: f64) {
        let nnz = row.nnz;
        self.costs.features = self.costs.features.max(row.last);
        let lanes = self.lanes as f64;
        let size = Size {
            nnz,
            features: self.costs.features,
            updates: 0.0,
            trials: self.trials as f64,
        };
        let running = || self.experts.iter().filter(|expert| expert.runs());
        let updates = updates_of_perceptron(self.kernel, running().map(Expert::updates));
        let alone = (self.perceptron)(
            &Parameters::default(),
            self.kernel,
            Size { updates, ..size },
        );
        self.costs.perceptron += READING * nnz + lanes * alone.trial;
        let votes = running().count() as f64 * lanes;
        self.costs.pay(READING * nnz + votes, of_weights);
        for expert in self.experts.iter_mut().filter(|expert| expert.runs()) {
            self.costs.spent += expert.pay(size);
        }
        self.retire_for_cost();
    }

    /// While too much is spent, the expert with the least weight for its cost is retired, or the one that costs too much alone; the last one
    /// stays.
    fn retire_for_cost(&mut self) {
        let trials = self.trials as f64 + 1.0;
        loop {
            let running = || {
                self.experts
                    .iter()
                    .enumerate()
                    .filter(|(_, expert)| expert.runs())
            };
            let spent = || running().map(|(_, expert)| expert.spent);
            let spending = Spending {
                all: self.experts.iter().map(|expert| expert.spent).sum(),
                running: spent().sum(),
                costliest: spent().fold(0.0, f64::max),
            };
            let excess = self.costs.excess(self.most, trials, &spending);
            let Some(excess) = excess.filter(|_| running().count() > 1) else {
                return;
            };
            let worth = |i: usize, expert: &Expert| match excess {
                Excess::Costliest => -expert.spent,
                Excess::Together => self.part(i) / expert.spent.max(f64::MIN_POSITIVE),
            };
            let least = running().min_by(|(i, a), (j, b)| worth(*i, a).total_cmp(&worth(*j, b)));
            let Some((least, _)) = least else { return };
            self.experts[least].retired = Some(Retirement {
                trial: self.trials + 1,
                because: RetiredBecause::Cost,
            });
        }
    }

    fn note(&mut self) {
        let votes = &self.votes;
        let experts = self.experts.iter().enumerate().map(|(i, expert)| {
            let parts: f64 = votes.iter().map(|vote| vote.part(i)).sum();
            (expert.mistakes, parts / votes.len() as f64)
        });
        self.course.note(self.trials, self.mistakes, experts);
    }
}

/// How large a row is.
#[derive(Clone, Copy, Debug)]
struct RowSize {
    /// Values that are not zero.
    nnz: f64,
    /// The last slot of such a value.
    last: f64,
}

impl RowSize {
    /// None of a row whose values are not all finite: a preparation may hide them from some experts.
    fn of(x: Row<'_>) -> Option<Self> {
        let (nnz, last) = x.extent()?;
        Some(RowSize {
            nnz: nnz as f64,
            last: last as f64,
        })
    }
}

impl Learner for Majority {
    fn copy(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }

    fn lanes(&self) -> usize {
        self.lanes
    }

    fn is_weighted(&self) -> bool {
        let mut running = self.experts.iter().filter(|expert| expert.runs());
        running.any(|expert| expert.learner.is_weighted())
    }

    fn add_lane(&mut self, like: usize) -> Result<(), Refusal> {
        // on copies, so that a refusal leaves nothing behind
        let mut added = Vec::new();
        for expert in self.experts.iter().filter(|expert| expert.runs()) {
            let mut learner = expert.learner.clone();
            learner.add_lane(like)?;
            added.push(learner);
        }
        let mut added = added.into_iter();
        for expert in &mut self.experts {
            if expert.runs()
                && let Some(learner) = added.next()
            {
                expert.learner = learner;
            }
            expert.counts.push(expert.counts[like]);
        }
        if !matches!(self.voting, Voting::OneOf(_)) {
            self.votes.push(self.votes[like].clone());
        }
        self.lanes += 1;
        Ok(())
    }

    fn trial(&mut self, x: Row<'_>, positive: &[usize], out: &mut Trial) -> Result<(), Refusal> {
        let size = RowSize::of(x).ok_or(Refusal::NotFinite)?;
        self.try_experts(x, positive, out)?;
        for buffer in [&mut out.margin, &mut out.deployed] {
            buffer.clear();
            buffer.resize(self.lanes, 0.0);
        }
        match out.validates {
            Some(Hypothesis::Best) => {
                let leader = &self.experts[self.leader()];
                out.deployed.clone_from(&leader.trial.deployed);
            }
            Some(_) => self.decide(|i| &self.experts[i].trial.deployed, &mut out.deployed),
            None => {}
        }
        // the predictor before the trial had them
        self.retire_refusing();
        match self.voting {
            Voting::EachLane | Voting::EachLabel => {
                self.decide(|i| &self.experts[i].trial.margin, &mut out.margin);
            }
            Voting::OneOf(_) => self.decide(|i| &self.experts[i].trial.score, &mut out.margin),
        }
        out.score.clone_from(&out.margin);
        out.updates.clear();
        for lane in 0..self.lanes {
            let running = self.experts.iter().filter(|expert| expert.runs());
            let updated = running.filter(|expert| expert.trial.updated[lane]);
            out.updates.push(updated.count() as u64);
        }
        out.updated.clear();
        out.updated
            .extend(out.updates.iter().map(|&updates| updates > 0));
        for expert in self.experts.iter_mut().filter(|expert| expert.runs()) {
            expert.count(positive);
        }
        let of_weights = self.learn_weights(positive, &out.margin);
        self.pay(size, of_weights);
        self.trials += 1;
        self.note();
        Ok(())
    }

    fn end_pass(&mut self) {
        for expert in self.experts.iter_mut().filter(|expert| expert.runs()) {
            expert.learner.end_pass();
        }
    }

    fn keep_average(&mut self) -> bool {
        false
    }

    fn set_voting(&mut self, voting: Voting) {
        if matches!(voting, Voting::OneOf(_)) {
            self.votes.truncate(1);
        }
        self.voting = voting;
    }

    fn panel(&self) -> Option<Panel> {
        let all: f64 = self.experts.iter().map(|expert| expert.spent).sum();
        let facts = self
            .experts
            .iter()
            .enumerate()
            .map(|(i, expert)| ExpertFacts {
                spec: expert.spec.clone(),
                mistakes: expert.mistakes,
                weight: self.part(i),
                retired: expert.retired,
                cost: if all > 0.0 { expert.spent / all } else { 0.0 },
            });
        Some(Panel {
            experts: facts.collect(),
            votes: self
                .votes
                .iter()
                .map(|vote| vote.votes(self.rates))
                .collect(),
            trials: self.trials,
            cost: self.costs.ratio(),
            most: self.most,
            course: self
                .course
                .moments(|least| self.rates.eta(self.experts.len(), least)),
        })
    }

    fn voters(&self, by: Hypothesis) -> Vec<Voter<'_>> {
        let only = (by == Hypothesis::Best).then(|| self.leader());
        let experts = self.experts.iter().enumerate();
        let asked = experts.filter(|(i, expert)| expert.runs() && only.is_none_or(|one| one == *i));
        let voter = |(i, expert): (usize, &'_ Expert)| {
            let (bias, normalize) = self.shared.constant_and_norm(expert.rows);
            Voter {
                learner: &*self.experts[i].learner,
                by: expert.deployed(),
                bias,
                normalize,
                weights: self.votes.iter().map(|vote| vote.weights()[i]).collect(),
                usual: expert.usual(),
            }
        };
        asked.map(voter).collect()
    }

    fn expert(&self, number: usize) -> Option<(Box<dyn Learner>, Vec<LaneCounts>)> {
        let expert = self.experts.get(number)?;
        Some((expert.learner.clone(), expert.counts.clone()))
    }

    fn save<'a>(&'a self, out: &mut State<'a>) {
        let one_label = u64::from(matches!(self.voting, Voting::OneOf(_)));
        out.put_u64("trials", vec![self.trials, self.mistakes, one_label]);
        self.costs.save(out);
        self.course.save(out);
        for (k, vote) in self.votes.iter().enumerate() {
            out.within(&format!("vote/{k}"), |out| vote.save(out));
        }
        for (i, expert) in self.experts.iter().enumerate() {
            out.within(&format!("expert/{i}"), |out| expert.save(out));
        }
    }

    fn load(&mut self, lanes: usize, from: &mut State<'static>) -> Result<(), StateError> {
        let [trials, mistakes, one_label] = from.take_counts("trials")?;
        if trials >= 1 << 48 || mistakes > trials || one_label > 1 || lanes == 0 {
            return Err(from.bad("trials", "no counts of a run"));
        }
        let costs = Costs::load(from)?;
        let course = Course::load(self.experts.len(), from)?;
        let votes = if one_label == 1 { 1 } else { lanes };
        let votes = (0..votes).map(|k| {
            from.within(&format!("vote/{k}"), |from| {
                MajorityWeights::load(self.experts.len(), self.rates, from)
            })
        });
        let votes: Vec<MajorityWeights> = votes.collect::<Result<_, _>>()?;
        let experts = self.experts.iter().enumerate();
        let experts = experts.map(|(i, expert)| {
            from.within(&format!("expert/{i}"), |from| expert.load(lanes, from))
        });
        let experts: Vec<Expert> = experts.collect::<Result<_, _>>()?;
        if !experts.iter().any(Expert::runs) {
            return Err(from.bad("trials", "no expert is left"));
        }
        (self.trials, self.mistakes, self.lanes) = (trials, mistakes, lanes);
        (self.costs, self.course, self.votes, self.experts) = (costs, course, votes, experts);
        if one_label == 1 {
            // the classes are in order once the model says so
            self.voting = Voting::OneOf((1..lanes).collect());
        } else {
            self.voting = Voting::EachLane;
        }
        Ok(())
    }
}

thread_local! {
    /// Memory that every prediction of a thread uses again.
    static BUFFER: Cell<VisitBuffer> = Cell::default();
}

impl Predictor for Majority {
    fn is_zero(&self, _x: Row<'_>) -> bool {
        // a row that is zero for one expert need not be for another
        false
    }

    fn zero_margin(&self) -> f64 {
        0.0
    }

    fn hypotheses(&self) -> &'static [Hypothesis] {
        &[Hypothesis::Final, Hypothesis::Best]
    }

    fn scores(&self, x: Row<'_>, by: Hypothesis, out: &mut [f64]) {
        // taken and put back: whoever predicts within would begin with an empty one
        let mut buffer = BUFFER.take();
        if by == Hypothesis::Best {
            let leader = &self.experts[self.leader()];
            let x = self.shared.apply(leader.rows, x, &mut buffer.row);
            leader.scores(x, out);
        } else {
            self.shared.visit(
                x,
                &self.experts[..],
                self.lanes,
                &mut buffer,
                |experts, i, x, scores| experts[i].scores_given(x, scores),
            );
            let scores = &buffer.by_lane;
            self.decide(|i| &scores[i * self.lanes..][..self.lanes], out);
        }
        BUFFER.set(buffer);
    }

    fn scores_of(&self, rows: &StoredRows, by: Hypothesis, threads: usize, out: &mut [f64]) {
        let size = rows.len() * self.lanes;
        let of_expert = |expert: &Expert| {
            let (mut own, mut buffer) = (StoredRows::default(), RowBuffer::default());
            rows.rows()
                .for_each(|x| own.push(self.shared.apply(expert.rows, x, &mut buffer)));
            let mut scores = vec![0.0; size];
            expert
                .learner
                .scores_of(&own, expert.deployed(), threads, &mut scores);
            for (x, scores) in own.rows().zip(scores.chunks_exact_mut(self.lanes)) {
                if expert.learner.is_zero(x) {
                    scores.fill(expert.learner.zero_margin());
                }
            }
            scores
        };
        if by == Hypothesis::Best {
            out.copy_from_slice(&of_expert(&self.experts[self.leader()]));
            return;
        }
        let none = |expert: &Expert| {
            if expert.runs() {
                of_expert(expert)
            } else {
                vec![0.0; size]
            }
        };
        let scores: Vec<Vec<f64>> = self.experts.iter().map(none).collect();
        for (row, out) in out.chunks_exact_mut(self.lanes).enumerate() {
            self.decide(|i| &scores[i][row * self.lanes..][..self.lanes], out);
        }
    }

    /// Those of the expert with the fewest mistakes, about rows as it is given them.
    fn weights(&self, k: usize) -> Vec<f64> {
        self.experts[self.leader()].learner.weights(k)
    }

    fn stored(&self) -> Option<usize> {
        let running = self.experts.iter().filter(|expert| expert.runs());
        let stored = running.filter_map(|expert| expert.learner.stored());
        stored.reduce(|sum, more| sum + more)
    }

    fn support(&self) -> Option<&Support> {
        None
    }
}

impl Survey for Majority {
    fn surveys(&self) -> bool {
        let mut running = self.experts.iter().filter(|expert| expert.runs());
        running.any(|expert| expert.learner.surveys())
    }

    fn survey(&mut self, x: Row<'_>) -> Result<(), Refusal> {
        let mut buffer = RowBuffer::default();
        for expert in self.experts.iter_mut().filter(|expert| expert.runs()) {
            if expert.learner.surveys() {
                let x = self.shared.apply(expert.rows, x, &mut buffer);
                expert.learner.survey(x)?;
            }
        }
        Ok(())
    }

    fn surveyed(&mut self) {
        for expert in &mut self.experts {
            expert.learner.surveyed();
        }
    }
}

impl Lookahead for Majority {
    fn lookahead(&self) -> usize {
        let running = self.experts.iter().filter(|expert| expert.runs());
        let wanted = running.map(|expert| expert.learner.lookahead());
        wanted.filter(|&rows| rows > 0).min().unwrap_or(0)
    }

    fn prefetch(&mut self, coming: UpcomingRows, threads: usize) {
        let mut buffer = RowBuffer::default();
        for expert in self.experts.iter_mut().filter(|expert| expert.runs()) {
            if expert.learner.lookahead() > 0 {
                let mut own = UpcomingRows {
                    ids: coming.ids.clone(),
                    ..UpcomingRows::default()
                };
                for x in coming.rows.rows() {
                    own.rows
                        .push(self.shared.apply(expert.rows, x, &mut buffer));
                }
                expert.learner.prefetch(own, threads);
            }
        }
    }

    fn set_cache_bytes(&mut self, bytes: usize) {
        let each = bytes / self.experts.len().max(1);
        for expert in &mut self.experts {
            expert.learner.set_cache_bytes(each);
        }
    }
}
