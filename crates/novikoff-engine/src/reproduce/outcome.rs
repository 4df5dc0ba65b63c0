//! From the results of runs to the report: means, the best settings, ours beside theirs, and what becomes of each claim.

use std::cell::RefCell;
use std::collections::HashMap;

use novikoff_report::{
    PaperCell, PaperChart, PaperClaim, PaperLine, PaperLineKind, PaperReport, PaperSection,
    PaperStanding,
};

use super::decide::{Comparison, Decision, decide, mean};
use super::experiment::{
    Candidate, ChartOver, ChartSpec, Claim, Experiment, Kind, Measure, Published, Set, Standing,
    TableRow,
};
use super::online::value_name;
use super::runner::{Part, Runner};

/// The name of the average over topics.
const MICRO: &str = "micro";

/// A column of a table: its measure, pass and topic.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    measure: Measure,
    epoch: u32,
    topic: Option<String>,
}

/// The outcome of one experiment, as far as its runs are done.
pub(super) struct Outcome<'r, 'a> {
    runner: &'a Runner<'r>,
    experiment: &'r Experiment,
    quick: bool,
    /// Settings that were found to be shown, by set and row.
    shown: RefCell<HashMap<(String, String), Option<Candidate>>>,
}

impl<'r, 'a> Outcome<'r, 'a> {
    pub(super) fn new(runner: &'a Runner<'r>) -> Self {
        Outcome {
            runner,
            experiment: runner.experiment,
            quick: runner.quick,
            shown: RefCell::default(),
        }
    }

    /// The report.
    pub(super) fn report(&self) -> PaperReport {
        let sets: Vec<&'r Set> = self.experiment.sets(self.quick).collect();
        let mut notes = Vec::new();
        for set in &sets {
            for row in self.experiment.rows_of(set, self.quick) {
                if let Some(place) = self.runner.chosen(set, row)
                    && row.is_at_edge(set, place)
                {
                    let chosen = &row.candidates(set)[place].text;
                    notes.push(format!(
                        "{}: {}: the setting that was chosen, {chosen}, is at the edge of its grid",
                        set.name, row.name
                    ));
                }
            }
        }
        let charts = self.experiment.charts.iter();
        PaperReport {
            name: self.experiment.name.clone(),
            title: self.experiment.title.clone(),
            paper: self.experiment.paper.clone(),
            protocol: self.experiment.protocol.clone(),
            quick: self.quick,
            repetitions: self.runner.all_repetitions().len() as u64,
            differs: self.experiment.differs.clone(),
            sections: sets.iter().map(|set| self.section(set)).collect(),
            claims: self.claims(&sets),
            charts: charts.flat_map(|chart| self.charts(chart, &sets)).collect(),
            notes,
            seconds: self.runner.seconds(),
        }
    }

    /// The columns of a set.
    fn columns(&self, set: &Set) -> Vec<Column> {
        let report = self.experiment.report(self.quick);
        let mut columns = Vec::new();
        for &measure in &self.experiment.measures {
            let column = |epoch: u32, topic: Option<String>| Column {
                measure,
                epoch,
                topic,
            };
            if self.experiment.kind == Kind::Topics {
                let last = self.experiment.epochs(self.quick);
                if measure == Measure::BreakEven && set.topics.len() > 1 {
                    let topics = set.topics.iter().map(|(name, _)| name.clone());
                    columns.extend(topics.map(|topic| column(last, Some(topic))));
                }
                columns.push(column(last, Some(MICRO.to_owned())));
            } else {
                columns.extend(report.iter().map(|&epoch| column(epoch, None)));
            }
        }
        columns
    }

    fn title(&self, column: &Column) -> String {
        let title = column.measure.title();
        match &column.topic {
            Some(topic) if column.measure == Measure::BreakEven => format!("{title}, {topic}"),
            _ if self.experiment.report(self.quick).len() > 1 => {
                format!("{title}, pass {}", column.epoch)
            }
            _ => title.to_owned(),
        }
    }

    /// What a setting came to in one repetition.
    fn value(
        &self,
        set: &'r Set,
        row: &TableRow,
        candidate: &Candidate,
        repetition: u32,
        column: &Column,
    ) -> Option<f64> {
        let of = |part: &Part| self.runner.values(set, candidate, repetition, part);
        let Some(topic) = &column.topic else {
            let name = value_name(column.measure, column.epoch, row.by.as_deref());
            return of(&Part::Whole)?.get(&name).copied();
        };
        let parts = self.runner.final_parts(set);
        if column.measure == Measure::Time {
            let mut sum = 0.0;
            for part in &parts {
                sum += of(part)?.get("seconds")?;
            }
            return Some(sum);
        }
        if topic != MICRO {
            let values = of(&Part::Topic(topic.clone()))?;
            return values.get("break-even").copied();
        }
        // all confusion matrices at their break-even points, added up
        let (mut hits, mut positives) = (0.0, 0.0);
        for part in &parts {
            let values = of(part)?;
            let count = values.get("positives")?;
            hits += count * values.get("break-even")?;
            positives += count;
        }
        (positives > 0.0).then(|| hits / positives)
    }

    /// What a setting came to, repetition by repetition.
    fn series_of(
        &self,
        set: &'r Set,
        row: &TableRow,
        candidate: &Candidate,
        column: &Column,
    ) -> Vec<(u32, f64)> {
        let mut series: Vec<(u32, f64)> = self
            .runner
            .all_repetitions()
            .filter_map(|r| Some((r, self.value(set, row, candidate, r, column)?)))
            .collect();
        if column.measure == Measure::Time
            && let Some(unit) = &self.experiment.time_of
            && let Some(unit) = self.row(unit)
            && let Some(unit_candidate) = self.chosen(set, unit)
        {
            series.retain_mut(|(r, seconds)| {
                let one = self.value(set, unit, &unit_candidate, *r, column);
                *seconds /= one.unwrap_or(f64::NAN);
                seconds.is_finite()
            });
        }
        series
    }

    fn row(&self, name: &str) -> Option<&'r TableRow> {
        self.experiment
            .rows(self.quick)
            .find(|row| row.name == name)
    }

    /// The setting of a row that is shown: the one that was chosen on training rows, or the best on test rows.
    fn chosen(&self, set: &'r Set, row: &TableRow) -> Option<Candidate> {
        let key = (set.name.clone(), row.name.clone());
        if let Some(known) = self.shown.borrow().get(&key) {
            return known.clone();
        }
        let chosen = self.best(set, row);
        self.shown.borrow_mut().insert(key, chosen.clone());
        chosen
    }

    fn best(&self, set: &'r Set, row: &TableRow) -> Option<Candidate> {
        let mut candidates = row.candidates(set);
        if let Some(place) = self.runner.chosen(set, row) {
            return (place < candidates.len()).then(|| candidates.swap_remove(place));
        }
        let measure = self.experiment.pick();
        let column = Column {
            measure,
            epoch: self.experiment.epochs(self.quick),
            topic: (self.experiment.kind == Kind::Topics).then(|| MICRO.to_owned()),
        };
        let sign = if measure.rises() { -1.0 } else { 1.0 };
        let scored = candidates.into_iter().filter_map(|candidate| {
            let mean = mean(&self.series_of(set, row, &candidate, &column))?;
            Some((sign * mean.mean, candidate))
        });
        let best = scored.min_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, candidate)| candidate)
    }

    /// What a row came to, repetition by repetition.
    fn series(&self, set: &'r Set, row: &TableRow, column: &Column) -> Vec<(u32, f64)> {
        let chosen = self.chosen(set, row);
        chosen.map_or_else(Vec::new, |candidate| {
            self.series_of(set, row, &candidate, column)
        })
    }

    fn section(&self, set: &'r Set) -> PaperSection {
        let mut cells = Vec::new();
        for column in self.columns(set) {
            for row in self.experiment.rows_of(set, self.quick) {
                let chosen = self.chosen(set, row);
                let series = chosen
                    .as_ref()
                    .map(|candidate| self.series_of(set, row, candidate, &column));
                let theirs = self.published(set, &column, &row.name);
                let several = row.candidates(set).len() > 1;
                cells.push(PaperCell {
                    row: row.name.clone(),
                    measure: self.title(&column),
                    setting: chosen
                        .filter(|_| several)
                        .map(|c| c.text)
                        .unwrap_or_default(),
                    ours: series.and_then(|series| mean(&series)),
                    theirs: theirs.map(|(_, value)| value),
                    tolerance: theirs.map(|(published, _)| published.tolerance),
                    standing: theirs.map(|(published, _)| match published.standing {
                        Standing::Printed => PaperStanding::Printed,
                        Standing::Recollected => PaperStanding::Recollected,
                    }),
                });
            }
        }
        PaperSection {
            set: set.name.clone(),
            cells,
        }
    }

    fn published(&self, set: &Set, column: &Column, row: &str) -> Option<(&'r Published, f64)> {
        let last = self.experiment.epochs;
        let all = self.experiment.published.iter();
        let mut all = all.filter(|published| {
            let topic = match self.experiment.kind {
                Kind::Topics => Some(published.topic.as_deref().unwrap_or(MICRO)),
                _ => None,
            };
            published.set == set.name
                && published.measure == column.measure
                && published.epoch.unwrap_or(last) == column.epoch
                && topic == column.topic.as_deref()
        });
        all.find_map(|published| Some((published, *published.values.get(row)?)))
    }

    /// What becomes of the claims.
    fn claims(&self, sets: &[&'r Set]) -> Vec<PaperClaim> {
        let claims = self.experiment.claims.iter();
        let claims = claims.filter(|claim| claim.form.is_run(self.quick));
        claims.map(|claim| self.claim(claim, sets)).collect()
    }

    fn claim(&self, claim: &Claim, sets: &[&'r Set]) -> PaperClaim {
        let column = |measure: Measure| Column {
            measure,
            epoch: claim.epoch.unwrap_or(self.experiment.epochs(self.quick)),
            topic: (self.experiment.kind == Kind::Topics).then(|| MICRO.to_owned()),
        };
        let own = column(claim.measure);
        let is_meant = |set: &&&Set| claim.sets.is_empty() || claim.sets.contains(&set.name);
        let find = |name: &String| sets.iter().find(|set| set.name == *name);
        let mut compared = Vec::new();
        for (less, more) in &claim.less {
            let (Some(less), Some(more)) = (self.row(less), self.row(more)) else {
                continue;
            };
            let has_both = |set: &&&Set| set.has(less) && set.has(more);
            for set in sets.iter().filter(is_meant).filter(has_both) {
                let pair = (self.series(set, less, &own), self.series(set, more, &own));
                compared.push(Comparison::paired(&pair.0, &pair.1));
            }
        }
        let rows: Vec<&TableRow> = claim.rows.iter().filter_map(|row| self.row(row)).collect();
        for (less, more) in &claim.across {
            if let (Some(less), Some(more)) = (find(less), find(more)) {
                for row in &rows {
                    let pair = (self.series(less, row, &own), self.series(more, row, &own));
                    compared.push(Comparison::paired(&pair.0, &pair.1));
                }
            }
        }
        for (less, more) in &claim.within {
            for set in sets.iter().filter(is_meant) {
                for row in &rows {
                    let less = self.series(set, row, &column(*less));
                    let more = self.series(set, row, &column(*more));
                    compared.extend(Comparison::each_below(&less, &more));
                }
            }
        }
        let Decision {
            verdict,
            held,
            failed,
        } = decide(&compared);
        PaperClaim {
            says: claim.says.clone(),
            verdict,
            held,
            failed,
            of: compared.len(),
        }
    }

    fn charts(&self, chart: &ChartSpec, sets: &[&'r Set]) -> Vec<PaperChart> {
        match chart.over {
            ChartOver::Epochs => sets
                .iter()
                .map(|set| self.over_epochs(chart, set))
                .collect(),
            ChartOver::Sets => self.over_sets(chart, sets),
            ChartOver::Rows => sets.iter().map(|set| self.over_rows(chart, set)).collect(),
            ChartOver::Novikoff => vec![self.over_novikoff(chart, sets)],
        }
    }

    fn shown(&self, chart: &ChartSpec) -> impl Iterator<Item = &'r TableRow> {
        let rows = chart.rows.clone();
        let all = self.experiment.rows(self.quick);
        all.filter(move |row| rows.is_empty() || rows.contains(&row.name))
    }

    fn at(&self, measure: Measure, epoch: Option<u32>) -> Column {
        Column {
            measure,
            epoch: epoch.unwrap_or(self.experiment.epochs(self.quick)),
            topic: (self.experiment.kind == Kind::Topics).then(|| MICRO.to_owned()),
        }
    }

    fn over_epochs(&self, chart: &ChartSpec, set: &'r Set) -> PaperChart {
        let mut lines = Vec::new();
        for row in self.shown(chart).filter(|row| set.has(row)) {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for epoch in self.experiment.report(self.quick) {
                let column = self.at(chart.measure, Some(epoch));
                if let Some(mean) = mean(&self.series(set, row, &column)) {
                    ours.push((f64::from(epoch), mean.mean));
                }
                if let Some((_, value)) = self.published(set, &column, &row.name) {
                    theirs.push((f64::from(epoch), value));
                }
            }
            lines.push(PaperLine::new(&row.name, PaperLineKind::Ours, ours));
            if !theirs.is_empty() {
                let name = format!("{}, published", row.name);
                lines.push(PaperLine::new(&name, PaperLineKind::Theirs, theirs));
            }
        }
        PaperChart {
            name: word(&format!("{}-{}", chart.measure.key(), set.name)),
            title: format!("{}: {}", set.name, chart.measure.title()),
            x: "passes".to_owned(),
            y: chart.measure.title().to_owned(),
            log: chart.log,
            names: Vec::new(),
            lines,
        }
    }

    fn over_sets(&self, chart: &ChartSpec, sets: &[&'r Set]) -> Vec<PaperChart> {
        let mut groups: Vec<&str> = sets.iter().map(|set| set.group.as_str()).collect();
        groups.dedup();
        let column = self.at(chart.measure, None);
        let of_group = |group: &&str| {
            let members = || sets.iter().filter(|set| set.group == **group);
            let lines = self.shown(chart).map(|row| {
                let points = members().filter_map(|set| {
                    let mean = mean(&self.series(set, row, &column))?;
                    Some((set.x?, mean.mean))
                });
                PaperLine::new(&row.name, PaperLineKind::Ours, points.collect())
            });
            let group = if group.is_empty() { "all sets" } else { group };
            PaperChart {
                name: word(&format!("{}-{group}", chart.measure.key())),
                title: format!("{group}: {} over {}", chart.measure.title(), chart.x),
                x: chart.x.clone(),
                y: chart.measure.title().to_owned(),
                log: chart.log,
                names: Vec::new(),
                lines: lines.collect(),
            }
        };
        groups.iter().map(of_group).collect()
    }

    fn over_rows(&self, chart: &ChartSpec, set: &'r Set) -> PaperChart {
        let column = self.at(chart.measure, None);
        let (mut names, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
        for row in self.shown(chart).filter(|row| set.has(row)) {
            let x = names.len() as f64 + 0.5;
            names.push(row.name.clone());
            if let Some(mean) = mean(&self.series(set, row, &column)) {
                ours.push((x, mean.mean));
            }
            if let Some((_, value)) = self.published(set, &column, &row.name) {
                theirs.push((x, value));
            }
        }
        let mut lines = vec![PaperLine::new("ours", PaperLineKind::Ours, ours)];
        if !theirs.is_empty() {
            lines.push(PaperLine::new("published", PaperLineKind::Theirs, theirs));
        }
        PaperChart {
            name: word(&format!("{}-{}", chart.measure.key(), set.name)),
            title: format!("{}: {}", set.name, chart.measure.title()),
            x: String::new(),
            y: chart.measure.title().to_owned(),
            log: false,
            names,
            lines,
        }
    }

    /// Mistakes against `(R/margin)^2`: one point per run.
    fn over_novikoff(&self, chart: &ChartSpec, sets: &[&'r Set]) -> PaperChart {
        let (x, y) = (
            self.at(Measure::Novikoff, None),
            self.at(chart.measure, None),
        );
        let mut lines = Vec::new();
        let (mut low, mut high) = (f64::INFINITY, 1.0_f64);
        for row in self.shown(chart) {
            let mut points = Vec::new();
            for set in sets {
                let along = self.series(set, row, &x);
                let up = self.series(set, row, &y);
                for (r, novikoff) in along {
                    if let Some((_, value)) = up.iter().find(|(other, _)| *other == r) {
                        points.push((novikoff, value.max(0.5)));
                        (low, high) = (low.min(novikoff), high.max(novikoff));
                    }
                }
            }
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            lines.push(PaperLine::new(&row.name, PaperLineKind::Points, points));
        }
        if low.is_finite() {
            let bound = vec![(low, low), (high, high)];
            lines.push(PaperLine::new(
                "mistakes = (R/margin)²",
                PaperLineKind::Bound,
                bound,
            ));
        }
        PaperChart {
            name: "novikoff".to_owned(),
            title: format!("{} against (R/margin)²", chart.measure.title()),
            x: "(R/margin)²".to_owned(),
            y: chart.measure.title().to_owned(),
            log: true,
            names: Vec::new(),
            lines,
        }
    }
}

/// A name for a file.
fn word(text: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let text: String = text.chars().map(plain).collect();
    let parts = text.split('-').filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        assert_eq!(word("errors-Set 1, gap 0.03"), "errors-set-1-gap-0.03");
    }
}
