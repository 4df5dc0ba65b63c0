//! What a learner that consists of several learners, its experts, says of them.

/// What the labels of classes are to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Voting {
    /// Each class is a question of its own: yes or no. Of several, lane 0 is no class.
    #[default]
    EachLane,
    /// A row has any number of labels, each a question of its own. Lane 0 is no class, even before the first label appears.
    EachLabel,
    /// A row has one label. These are the lanes of the classes in the order of their labels; lane 0 is no class.
    OneOf(Vec<usize>),
}

/// Mistakes and updates of one expert in one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneCounts {
    /// Trials on which the sign was wrong.
    pub mistakes: u64,
    /// Trials that changed the state.
    pub updates: u64,
}

/// All experts and the majority that they form.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// In the order of the spec.
    pub experts: Vec<ExpertFacts>,
    /// One vote per class where each is a question of its own, else one.
    pub votes: Vec<Votes>,
    /// Trials so far.
    pub trials: u64,
    /// Multiply-adds so far, over those of the perceptron; reading is counted in both.
    pub cost: f64,
    /// The most that `cost` may be.
    pub most: f64,
    /// Moments of the run so far, oldest first.
    pub course: Vec<PanelMoment>,
}

/// One expert.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpertFacts {
    /// Its spec with the values it has, and how its rows are prepared.
    pub spec: String,
    /// Trials on which its answer was wrong; all trials since it was retired are among them.
    pub mistakes: u64,
    /// Its part of the weight of all; where each class is a question of its own, the mean over the classes.
    pub weight: f64,
    /// When it was retired, if it was.
    pub retired: Option<Retirement>,
    /// Its part of the multiply-adds of all experts.
    pub cost: f64,
}

/// The end of an expert's part in the vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retirement {
    /// The first trial that it did not answer, counted from 0.
    pub trial: u64,
    /// Why.
    pub because: RetiredBecause,
}

/// Why an expert was retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RetiredBecause {
    /// It cost more than its weight was worth, and all together cost too much.
    Cost,
    /// It does not take a value of a row.
    Value,
    /// It does not take weights of rows.
    Weight,
    /// Its state did not fit into memory.
    Memory,
    /// Its numbers left the range of f64.
    NotFinite,
}

impl RetiredBecause {
    /// All of them; the place of one is its number in states that are kept.
    pub const ALL: [RetiredBecause; 5] = [
        RetiredBecause::Cost,
        RetiredBecause::Value,
        RetiredBecause::Weight,
        RetiredBecause::Memory,
        RetiredBecause::NotFinite,
    ];

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            RetiredBecause::Cost => "its cost was more than its weight was worth",
            RetiredBecause::Value => "it does not take a value of that row",
            RetiredBecause::Weight => "it takes rows of weight 1 only",
            RetiredBecause::Memory => "its state does not fit into memory",
            RetiredBecause::NotFinite => "its score was no longer a finite number",
        }
    }
}

/// One weighted majority: of a class where each is a question of its own, else of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Votes {
    /// Mistakes of each expert.
    pub mistakes: Vec<u64>,
    /// Weight of each expert; they sum to 1.
    pub weights: Vec<f64>,
    /// Mistakes of the majority.
    pub majority: u64,
    /// The rate of the last trial.
    pub eta: f64,
    /// The sum of `ln(2/(1 + exp(-eta)))/eta` over the trials on which the majority was wrong.
    pub progress: f64,
    /// Where weight is shared: the sequence of experts that the bound is about.
    pub sequence: Option<ExpertSequence>,
}

/// A sequence of experts that changes only after mistakes of the majority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpertSequence {
    /// The expert that it ends with.
    pub last: usize,
    /// Mistakes of the sequence.
    pub mistakes: u64,
    /// Changes of the expert.
    pub switches: u64,
}

/// How the experts stood at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelMoment {
    /// Trials so far.
    pub trials: u64,
    /// The rate of the next trial.
    pub eta: f64,
    /// Mistakes of the majority.
    pub majority: u64,
    /// Mistakes of each expert.
    pub mistakes: Vec<u64>,
    /// Weight of each expert; they sum to 1.
    pub weights: Vec<f64>,
}
