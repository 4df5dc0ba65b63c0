//! `cache_pass FILE [--threads N] [--passes K]`: a pass of the perceptron from a cache of a file's
//! rows, opened again each time, beside the same pass over the rows in memory.
#![allow(clippy::print_stdout)] // it is what the example is for

use std::error::Error;
use std::time::{Duration, Instant};

use novikoff::model::{Model, Outcome};
use novikoff::rows::Rows;
use novikoff::run;
use novikoff::source::Source as _;
use novikoff::spec::Spec;
use novikoff_data::blocks::{Input, ReadOptions, Reader};
use novikoff_data::cache::{CacheContents, CacheWriter};

struct Count(u64);

impl run::Observer for Count {
    fn trial(&mut self, _epoch: u32, _row: u64, outcome: Outcome<'_>) {
        self.0 += u64::from(outcome.is_mistake());
    }
}

fn model() -> Result<Model, Box<dyn Error>> {
    let spec = Spec::parse("perceptron")?;
    Ok(Model::builder(spec).memory(1 << 34).build()?)
}

fn from_memory(rows: &Rows) -> Result<u64, Box<dyn Error>> {
    let (mut model, mut mistakes) = (model()?, Count(0));
    run::block(
        &mut model,
        rows.view(),
        0..rows.len(),
        run::Position::default(),
        &mut mistakes,
    )?;
    Ok(mistakes.0)
}

fn from_file(file: &Input, threads: usize) -> Result<u64, Box<dyn Error>> {
    let (mut model, mut mistakes) = (model()?, Count(0));
    let mut reader = Reader::open(vec![file.clone()], ReadOptions::default(), threads)?;
    let mut first = 0;
    while let Some(rows) = reader.next_block()? {
        run::block(
            &mut model,
            rows,
            0..rows.len(),
            run::Position { epoch: 0, first },
            &mut mistakes,
        )?;
        first += rows.len() as u64;
    }
    Ok(mistakes.0)
}

/// Seconds of all threads so far, in steps of a hundredth; 0 where the system does not tell.
fn cpu() -> f64 {
    let reported = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = reported.rsplit(')').next().unwrap_or("").split_whitespace();
    let ticks = fields
        .skip(11)
        .take(2)
        .filter_map(|n| n.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

#[derive(Default)]
struct Times {
    wall: Vec<Duration>,
    cpu: f64,
}

impl Times {
    fn take<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (begun, before) = (Instant::now(), cpu());
        let result = work();
        self.wall.push(begun.elapsed());
        self.cpu += cpu() - before;
        result
    }

    /// The least, the median and the mean of the processor, in milliseconds.
    fn reported(&mut self) -> [f64; 3] {
        self.wall.sort();
        let ms = |k: usize| 1e3 * self.wall[k].as_secs_f64();
        let passes = self.wall.len();
        [ms(0), ms(passes / 2), 1e3 * self.cpu / passes as f64]
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: cache_pass FILE [--threads N] [--passes K]";
    let mut words = std::env::args().skip(1);
    let file = words.next().ok_or(usage)?;
    let (mut threads, mut passes) = (2, 15);
    while let Some(word) = words.next() {
        let number = words.next().ok_or(usage)?.parse()?;
        match word.as_str() {
            "--threads" => threads = number,
            "--passes" => passes = number,
            _ => return Err(usage.into()),
        }
    }
    let cache = format!("{file}.nvk");
    let cache = std::env::temp_dir().join(cache.rsplit('/').next().unwrap_or(&cache));
    let mut rows = Rows::new();
    let mut reader = Reader::open(vec![Input::Path(file.into())], ReadOptions::default(), 2)?;
    let mut writer = CacheWriter::create(&cache)?;
    while reader.next_block()?.is_some() {
        let (block, first_line) = reader.lent().ok_or("no block")?;
        writer.write(block, first_line)?;
        rows.append(block, first_line);
    }
    writer.finish(CacheContents {
        names: &reader.names(),
        table: None,
        text: None,
        zero_based: false,
        origin: None,
    })?;
    let (mut memory, mut mapped) = (Times::default(), Times::default());
    let input = Input::Path(cache.clone());
    for _ in 0..passes {
        let mistakes = memory.take(|| from_memory(&rows))?;
        assert_eq!(mapped.take(|| from_file(&input, threads))?, mistakes);
    }
    let bytes = cache.metadata()?.len();
    println!("rows {} values {} bytes {bytes}", rows.len(), rows.values());
    let (memory, mapped) = (memory.reported(), mapped.reported());
    for (k, what) in ["least", "median", "processor"].into_iter().enumerate() {
        let (memory, mapped) = (memory[k], mapped[k]);
        let ratio = mapped / memory;
        println!("{what}: memory {memory:.2} ms, cache {mapped:.2} ms, {ratio:.2} times");
    }
    std::fs::remove_file(cache)?;
    Ok(())
}
