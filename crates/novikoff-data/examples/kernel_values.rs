//! `kernel_values FILE KERNEL KNOWN ROWS [--threads N] [--times K]`: the kernel values of some rows of a file with
//! the first ones, which a weight vector is made of, as a prediction computes them.
//!
//! Prints seconds of all times together as JSON.
#![allow(clippy::print_stdout)] // it is what the example is for

use std::error::Error;
use std::time::Instant;

use novikoff::kernel::Kernel;
use novikoff::rows::Rows;
use novikoff::source::Source as _;
use novikoff::space::{Planes as _, StoredRows, Support};
use novikoff_data::blocks::{Input, ReadOptions, Reader};

/// Seconds of all threads so far, in steps of a hundredth.
fn processor() -> f64 {
    let reported = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = reported.rsplit(')').next().unwrap_or("").split_whitespace();
    let ticks = fields
        .skip(11)
        .take(2)
        .filter_map(|n| n.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: kernel_values FILE KERNEL KNOWN ROWS [--threads N] [--times K]";
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().ok_or(usage);
    let (file, kernel) = (word()?, Kernel::parse(&word()?)?);
    let (known, count): (usize, usize) = (word()?.parse()?, word()?.parse()?);
    let (mut threads, mut times) = (1, 1);
    while let Some(word) = words.next() {
        let number = words.next().ok_or(usage)?.parse()?;
        match word.as_str() {
            "--threads" => threads = number,
            "--times" => times = number,
            _ => return Err(usage.into()),
        }
    }
    let mut rows = Rows::new();
    let mut reader = Reader::open(vec![Input::Path(file.into())], ReadOptions::default(), 2)?;
    while rows.len() < known + count {
        let block = reader.next_block()?.ok_or("the file has fewer rows")?;
        rows.append(block, 0);
    }
    let unit = |i: usize| {
        let row = rows.row(i);
        row.scaled(1.0 / row.norm_sq().sqrt())
    };
    let mut support = Support::new(kernel);
    support.reach(rows.width() as usize + 1, 0.0);
    (0..known).for_each(|i| support.add(0, 1.0, unit(i)));
    let mut others = StoredRows::default();
    (known..known + count).for_each(|i| others.push(unit(i)));
    let mut scores = vec![0.0; count];
    support.inner_rows(&others, threads, &mut scores);
    let (begun, before) = (Instant::now(), processor());
    for _ in 0..times {
        support.inner_rows(&others, threads, &mut scores);
    }
    let (wall, cpu) = (begun.elapsed().as_secs_f64(), processor() - before);
    let values = known * count * times;
    println!(r#"{{"cpu": {cpu}, "wall": {wall}, "values": {values}}}"#);
    Ok(())
}
