//! `dual_fit FILE LOSS LAMBDA GAP [--bias free] [--threads N] [--runs K]`: the time it takes to solve, rows being in
//! memory, as wall and CPU seconds of all threads; one line of JSON a run.
#![allow(clippy::print_stdout)] // it is what the example is for

use std::error::Error;
use std::time::Instant;

use novikoff::dual::named::{NamedLoss, NamedRegulariser};
use novikoff::dual::{Aim, Problem, Report, Settings, solve_by_name};
use novikoff::rows::Rows;
use novikoff::source::Source as _;
use novikoff_data::blocks::{Input, ReadOptions, Reader};

/// CPU seconds of the process so far, as the system counts them.
fn cpu_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let times = tasks.flatten().filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    times.sum::<f64>() / 1e9
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().collect();
    let option = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + 1).cloned()
    };
    let threads = option("--threads").map_or(Ok(1), |n| n.parse())?;
    let runs = option("--runs").map_or(Ok(3), |n| n.parse())?;
    let [_, file, loss, lambda, gap, ..] = words.as_slice() else {
        return Err("usage: dual_fit FILE LOSS LAMBDA GAP".into());
    };
    let inputs = vec![Input::Path(file.into())];
    let mut reader = Reader::open(inputs, ReadOptions::default(), 2)?;
    let mut rows = Rows::new();
    while let Some(block) = reader.next_block()? {
        rows.append(block, 0);
    }
    let aims = (0..rows.len()).map(|i| {
        let label = rows.labels(i).next().and_then(|label| label.number());
        let sign = if label.unwrap_or(0.0) > 0.0 {
            1.0
        } else {
            -1.0
        };
        Aim {
            sign,
            target: 1.0,
            weight: 1.0,
        }
    });
    let aims = aims.collect();
    let problem = Problem::new(rows.view(), Vec::new(), aims);
    let settings = Settings {
        gap: gap.parse()?,
        free_bias: option("--bias").is_some(),
        threads,
        parts: option("--parts").map(|n| n.parse()).transpose()?,
        max_passes: option("--passes").map_or(Ok(10_000), |n| n.parse())?,
        ..Settings::default()
    };
    let loss = NamedLoss::parse(loss)?.loss();
    let by = NamedRegulariser::parse(&option("--reg").unwrap_or("l2".to_owned()))?;
    let by = by.build(rows.width() as usize, false, None)?;
    for _ in 0..runs {
        let (begun, cpu) = (Instant::now(), cpu_seconds());
        let mut watch = |r: &Report| {
            if std::env::var("SHOW").is_ok() {
                println!(
                    "{} {} {} {:e}",
                    r.passes,
                    r.certificate.primal,
                    r.certificate.dual,
                    r.certificate.relative_gap()
                );
            }
            true
        };
        let solution = solve_by_name(
            &problem,
            loss,
            by.clone(),
            lambda.parse()?,
            None,
            &settings,
            &mut watch,
        );
        let (wall, cpu) = (begun.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        let c = solution.report.certificate;
        println!(
            r#"{{"cpu": {cpu}, "wall": {wall}, "stop": "{:?}", "method": "{}", "passes": {}, "primal": {}, "relative_gap": {:e}}}"#,
            solution.stop,
            solution.report.method.name(),
            solution.report.passes,
            c.primal,
            c.relative_gap()
        );
    }
    Ok(())
}
