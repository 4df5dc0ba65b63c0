//! Results as people and machines read them. Renders; computes nothing but sums, means and rates.

mod certificate;
mod check;
mod evaluate;
mod experts;
mod html;
mod json;
mod orders;
mod paper;
mod paper_part;
mod picture;
mod plane;
mod plot;
mod report;
mod rounding;
mod solve;
mod spark;
mod sweep;
mod table;
mod text;
mod tune;

pub use certificate::{CertificateReport, Certified, ComparatorReport, Composed, NotCertified};
pub use check::{CheckFound, CheckReport, CheckedClass, check_json, check_text};
pub use evaluate::{
    EvaluateReport, Result as EvaluateResult, curves_csv, curves_json, evaluate_json, evaluate_text,
};
pub use experts::{experts_json, experts_text};
pub use html::{HtmlPage, html, paper_html};
pub use json::{comparison_json, run_json};
pub use novikoff::quantity::count;
pub use orders::{EpochSpread, OrderReport, Permutations, SplitFacts, Spread};
pub use paper::{
    Mean, PaperCell, PaperChart, PaperClaim, PaperLine, PaperLineKind, PaperReport, PaperSection,
    PaperStanding, PaperVerdict, paper_json, paper_markdown, paper_text,
};
pub use paper_part::{paper_part, with_part};
pub use picture::{Margins, Moment, Picture, RankingPicture, TopFeatures};
pub use plane::{PlaneLine, PlanePicture, PlanePoint, PlaneStep};
pub use plot::{PlotError, PlotFile, paper_plots, plots, sweep_plots};
pub use report::{
    BaselineReport, ClassReport, Comparison, ConstantAnswer, DataSummary, EpochEnd, ErrorCount,
    MeanBaseline, Noted, RunReport, RunSettings, Totals, Validated,
};
pub use solve::{
    NumbersTested, ProblemReport, SolveReport, SolveTest, solve_json, solves_json, solves_text,
};
pub use sweep::{Separation, SweepPoint, sweep_json, sweep_text};
pub use table::{TextTable, Width};
pub use text::{best_first, comparison_text, run_text};
pub use tune::{Measure, TriedReport, TuneReport, tune_json, tune_text};
