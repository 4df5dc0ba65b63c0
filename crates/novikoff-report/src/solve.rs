//! What `solve` came to.

use std::fmt::Write as _;

use novikoff::dual::{Report, Stop};
use novikoff::parameter::Parameters;
use serde_json::{Map, Value, json};

use crate::json::{data, parameters_json, test_of, with_map, with_remarks};
use crate::report::{
    BaselineReport, ConstantAnswer, DataSummary, ErrorCount, MeanBaseline, Noted, error_noun,
};
use crate::table::{TextTable, Width};
use crate::text::data_line;
use novikoff::quantity::{count, plural};

/// One problem: a class against the rest, or the only one.
#[derive(Clone, Debug)]
pub struct ProblemReport {
    /// The class, where there are several problems.
    pub class: Option<String>,
    /// Where it ended.
    pub report: Report,
    /// Why.
    pub stop: Stop,
    /// Weights that are not 0, the constant feature's left out; none in the space of a kernel.
    pub nonzero: Option<u64>,
    /// What is added to `w.x`.
    pub intercept: f64,
    /// `(1/n) sum a_i y_i` of the dual variables, with a free bias.
    pub balance: Option<f64>,
    /// The relative gap that was asked for.
    pub asked: f64,
}

impl ProblemReport {
    /// Why the solver stopped, in one word more than the ending says.
    fn reason(&self) -> &'static str {
        match self.stop {
            Stop::Converged if self.report.certificate.relative_gap() <= self.asked => "gap",
            // the gap is nothing but rounding, and still above what was asked for
            Stop::Converged => "rounding",
            Stop::PassLimit => "passes",
            Stop::Stalled => "no-progress",
            Stop::Asked => "interrupted",
        }
    }

    /// The ending for people.
    fn stop_text(&self) -> String {
        match self.reason() {
            "rounding" => format!("{} (rounding)", stop_name(self.stop)),
            _ => stop_name(self.stop).to_owned(),
        }
    }
}

/// How the solution does on other rows.
#[derive(Clone, Copy, Debug)]
pub enum SolveTest {
    /// Labels.
    Labels(ErrorCount),
    /// Numbers.
    Numbers(NumbersTested),
}

/// How answers that are numbers do on other rows.
#[derive(Clone, Copy, Debug)]
pub struct NumbersTested {
    /// How many rows.
    pub rows: u64,
    /// The mean squared error.
    pub squared_error: f64,
    /// The mean absolute error.
    pub absolute_error: f64,
    /// Always answering the mean, if labels are quantities.
    pub baseline: Option<MeanBaseline>,
}

/// All problems of one lambda.
#[derive(Clone, Debug)]
pub struct SolveReport {
    /// The loss, as typed.
    pub loss: String,
    /// The regulariser, as typed.
    pub reg: String,
    /// The kernel.
    pub kernel: String,
    /// The map that makes features of rows, if there is one.
    pub map: Option<String>,
    /// Values that were `auto`.
    pub parameters: Parameters,
    /// How much the regulariser counts.
    pub lambda: f64,
    /// `off`, a number, or `free`.
    pub bias: String,
    /// The data.
    pub data: DataSummary,
    /// The problems.
    pub problems: Vec<ProblemReport>,
    /// Rows may have several labels, and an error is any label wrong.
    pub is_multilabel: bool,
    /// What always answering the most frequent label so far comes to on these rows, in their order; or always answering the mean.
    pub baseline: Option<ConstantAnswer>,
    /// Errors on other rows.
    pub test: Option<SolveTest>,
    /// What always answering the most frequent label of those rows comes to.
    pub test_baseline: Option<BaselineReport>,
    /// What the reader should know, each once.
    pub remarks: Vec<Noted>,
    /// How long it took to solve: wall time. Of several lambdas, this one's part of the time for all.
    pub seconds: f64,
}

/// The name of an ending.
fn stop_name(stop: Stop) -> &'static str {
    match stop {
        Stop::Converged => "converged",
        Stop::PassLimit => "pass-limit",
        Stop::Stalled => "stalled",
        Stop::Asked => "interrupted",
    }
}

impl SolveReport {
    /// `1/(lambda n)`, what other systems call C.
    fn c(&self) -> f64 {
        1.0 / (self.lambda * self.data.rows as f64)
    }
}

fn problem_json(problem: &ProblemReport, kernel: bool) -> Map<String, Value> {
    let c = &problem.report.certificate;
    let mut object = Map::new();
    if let Some(class) = &problem.class {
        object.insert("class".into(), json!(class));
    }
    object.insert("primal".into(), json!(c.primal));
    object.insert("dual".into(), json!(c.dual));
    object.insert("gap".into(), json!(c.gap));
    object.insert("relative_gap".into(), json!(c.relative_gap()));
    object.insert("method".into(), json!(problem.report.method.name()));
    object.insert("passes".into(), json!(problem.report.passes));
    object.insert("stop".into(), json!(stop_name(problem.stop)));
    object.insert("stop_reason".into(), json!(problem.reason()));
    if let Some(nonzero) = problem.nonzero {
        object.insert("weights".into(), json!({"nonzero": nonzero}));
    }
    if kernel {
        object.insert("support".into(), json!(c.support));
    }
    object.insert("intercept".into(), json!(problem.intercept));
    if let Some(balance) = problem.balance {
        object.insert("balance".into(), json!(balance));
    }
    object
}

/// One lambda.
pub fn solve_json(run: &SolveReport) -> Value {
    let mut object = Map::new();
    object.insert("loss".into(), json!(run.loss));
    object.insert("reg".into(), json!(run.reg));
    object.insert("kernel".into(), json!(run.kernel));
    with_map(&mut object, run.map.as_deref());
    if run.parameters.iter().next().is_some() {
        object.insert("parameters".into(), parameters_json(&run.parameters));
    }
    object.insert("lambda".into(), json!(run.lambda));
    object.insert("c".into(), json!(run.c()));
    object.insert("bias".into(), json!(run.bias));
    object.insert("data".into(), data(&run.data));
    let kernel = run.kernel != "linear";
    match run.problems.as_slice() {
        [one] if one.class.is_none() => object.append(&mut problem_json(one, kernel)),
        several => {
            let passes = several.iter().map(|p| p.report.passes).max();
            object.insert("passes".into(), json!(passes));
            let worst = several.iter().find(|p| p.stop != Stop::Converged);
            let worst = worst.or_else(|| several.iter().find(|p| p.reason() != "gap"));
            if let Some(worst) = worst.or(several.first()) {
                object.insert("stop".into(), json!(stop_name(worst.stop)));
                object.insert("stop_reason".into(), json!(worst.reason()));
            }
            let classes = several.iter().map(|p| problem_json(p, kernel));
            object.insert("classes".into(), classes.map(Value::Object).collect());
        }
    }
    if let Some(baseline) = &run.baseline {
        object.insert("baseline".into(), baseline.json());
    }
    match run.test {
        Some(SolveTest::Labels(test)) => {
            let test = test_of(&test, run.test_baseline.as_ref());
            object.insert("test".into(), test);
        }
        Some(SolveTest::Numbers(test)) => {
            let NumbersTested {
                rows,
                squared_error,
                absolute_error,
                baseline,
            } = test;
            let mut test = json!({"rows": rows, "squared_error": squared_error, "absolute_error": absolute_error});
            if let Some(baseline) = baseline {
                test["baseline"] = baseline.json();
            }
            object.insert("test".into(), test);
        }
        None => {}
    }
    with_remarks(&mut object, &run.remarks);
    object.insert("seconds".into(), json!(run.seconds));
    Value::Object(object)
}

/// One lambda, or several.
pub fn solves_json(runs: &[SolveReport]) -> Value {
    match runs {
        [one] => solve_json(one),
        several => json!({"runs": several.iter().map(solve_json).collect::<Vec<_>>()}),
    }
}

/// What `primal` is beside a baseline that is a squared error.
fn primal_of_numbers(run: &SolveReport, mean: MeanBaseline) -> String {
    let SolveReport { loss, reg, .. } = run;
    if loss == "squared" {
        let half = mean.squared_error / 2.0;
        format!(
            "primal: half the mean squared error on these rows + lambda {reg}; always answering the mean has {half:.6}"
        )
    } else {
        format!(
            "primal: the mean {loss} loss on these rows + lambda {reg}, and not a squared error"
        )
    }
}

/// All lambdas for a person.
pub fn solves_text(runs: &[SolveReport], width: Width) -> String {
    let Some(first) = runs.first() else {
        return String::new();
    };
    let mut out = format!(
        "(1/n) sum of {} + lambda {}{}, kernel {}, bias {}\n{}\n",
        first.loss,
        first.reg,
        // the half of the square is where systems differ
        if first.reg == "l2" { " (|w|^2/2)" } else { "" },
        first.kernel,
        first.bias,
        data_line(&first.data)
    );
    if let Some(baseline) = &first.baseline {
        let _ = writeln!(out, "baseline: {}", baseline.text()); // writing to a String cannot fail
    }
    if let Some(ConstantAnswer::Mean(mean)) = &first.baseline {
        let _ = writeln!(out, "{}", primal_of_numbers(first, *mean)); // writing to a String cannot fail
    }
    let classes = first.problems.iter().any(|p| p.class.is_some());
    let kernel = first.problems.iter().any(|p| p.nonzero.is_none());
    let mut headings = vec![">lambda", ">C"];
    headings.extend(classes.then_some("class"));
    headings.extend([
        "method",
        ">passes",
        ">primal",
        ">dual",
        ">relative gap",
        "stop",
    ]);
    headings.extend((!kernel).then_some(">nonzero"));
    headings.extend([">support", ">intercept", ">seconds"]);
    let least = [
        "C",
        "method",
        "dual",
        "intercept",
        "nonzero",
        "support",
        "seconds",
        "passes",
    ];
    let mut table = TextTable::new(&headings).least(&least);
    for run in runs {
        for problem in &run.problems {
            let c = &problem.report.certificate;
            let mut cells = vec![format!("{}", run.lambda), format!("{:.4}", run.c())];
            cells.extend(classes.then(|| problem.class.clone().unwrap_or_default()));
            cells.extend([
                problem.report.method.name().to_owned(),
                count(u64::from(problem.report.passes)),
                format!("{:.9}", c.primal),
                format!("{:.9}", c.dual),
                format!("{:.2e}", c.relative_gap()),
                problem.stop_text(),
            ]);
            cells.extend(problem.nonzero.map(count));
            cells.extend([
                count(c.support as u64),
                format!("{:.6}", problem.intercept),
                format!("{:.3}", run.seconds),
            ]);
            table.row(cells);
        }
    }
    out.push_str(&table.text(width));
    for run in runs {
        let test = match run.test {
            Some(SolveTest::Labels(test)) => format!(
                "test, lambda {}: {} on {}, {:.2}%\n",
                run.lambda,
                plural(test.errors, error_noun(run.is_multilabel)),
                plural(test.rows, "row"),
                100.0 * test.error()
            ),
            Some(SolveTest::Numbers(test)) => format!(
                "test, lambda {}: mean squared error {:.6}, mean absolute error {:.6} on {}\n",
                run.lambda,
                test.squared_error,
                test.absolute_error,
                plural(test.rows, "row")
            ),
            None => String::new(),
        };
        out.push_str(&test);
        let baseline = match (run.test, &run.test_baseline) {
            (Some(SolveTest::Labels(_)), Some(baseline)) => Some(baseline.of_others()),
            (Some(SolveTest::Numbers(test)), _) => test.baseline.map(|mean| mean.text()),
            _ => None,
        };
        if let Some(baseline) = baseline {
            let _ = writeln!(out, "test baseline: {baseline}"); // writing to a String cannot fail
        }
    }
    out
}
