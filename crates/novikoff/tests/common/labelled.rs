//! Small labelled rows for whole models: zero rows, features and classes that appear late, weights.

use novikoff::classes::Task;
use novikoff::kernel::Kernel;
use novikoff::model::{Example, Model, ModelBuilder};
use novikoff::random::SplitMix64;
use novikoff::rows::Rows;
use novikoff::spec::Spec;

use super::norm_for;

/// What rows are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Labels {
    Two,
    Many,
    Sets,
}

impl Labels {
    pub(crate) const ALL: [Labels; 3] = [Labels::Two, Labels::Many, Labels::Sets];

    pub(crate) fn task(self) -> Task {
        match self {
            Labels::Two => Task::plus_minus(),
            Labels::Many => Task::OneVsRest,
            Labels::Sets => Task::MultiLabel,
        }
    }
}

/// Rows that a learner takes: small numbers, some zero rows, more features and classes as time goes on; weights where allowed.
pub(crate) fn labelled(spec: &Spec, labels: Labels, seed: u64, n: usize) -> Rows {
    let can = spec.entry().can;
    let mut g = SplitMix64::new(seed ^ 0x1ABE_11ED);
    let (first, last) = (2 + g.below(4), 8 + g.below(8));
    let mut rows = Rows::new();
    for t in 0..n {
        let width = first + (last - first) * t / n;
        for j in 1..=width as u32 {
            if t % 9 != 4 && g.uniform() < 0.5 {
                let size = if g.uniform() < 0.5 {
                    1.0 + g.below(3) as f32
                } else {
                    g.uniform() as f32
                };
                let is_negative = !can.needs_non_negative && g.uniform() < 0.4;
                rows.push(j, if is_negative { -size } else { size });
            }
        }
        let known = (2 + 4 * t / n).min(5);
        let mut label = |class: usize| {
            // labels in no order, so that late classes come before others
            let label = (class * 7 + 3) % 5;
            rows.push_label(label as f64, label.to_string().as_bytes());
        };
        match labels {
            Labels::Two => {
                let y = if g.uniform() < 0.5 { 1.0 } else { -1.0 };
                rows.push_label(y, if y > 0.0 { b"+1" } else { b"-1" });
            }
            Labels::Many => label(g.below(known)),
            Labels::Sets => (0..known)
                .filter(|_| g.uniform() < 0.4)
                .for_each(&mut label),
        }
        if can.weighted && t % 5 == 2 {
            rows.set_weight(g.below(3) as f32 * 0.75);
        }
        rows.end_row(0);
    }
    rows
}

/// A model for such rows; none if it has no such kernel.
pub(crate) fn model_for(
    spec: &Spec,
    (labels, rows): (Labels, &Rows),
    kernel: Kernel,
    more: impl Fn(ModelBuilder) -> ModelBuilder,
) -> Option<Model> {
    let normalize = norm_for(spec.text()).filter(|_| kernel == Kernel::LINEAR);
    let builder = Model::builder(spec.clone())
        .kernel(kernel)
        .task(labels.task());
    let builder = builder.normalize(normalize).width(rows.width().max(2));
    let Ok(mut model) = more(builder).build() else {
        assert_ne!(kernel, Kernel::LINEAR, "{spec}");
        return None;
    };
    if model.learner().surveys() {
        (0..rows.len()).for_each(|i| model.survey(rows.row(i)).unwrap());
        model.end_survey();
    }
    Some(model)
}

/// One trial on a row; its number is its id.
pub(crate) fn learn(model: &mut Model, rows: &Rows, i: usize) {
    let view = rows.view();
    model.reach(view.width());
    let example = Example {
        x: view.row(i),
        id: Some(i as u64),
        weight: view.weight(i),
    };
    let _ = model.learn(example, view.labels(i)).unwrap();
}
