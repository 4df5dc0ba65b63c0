//! Weights and classes of a model, by name.

use novikoff::classes::Task;
use novikoff::model::Model;

/// The weights of a class that are not zero, by slot, largest magnitude first. Thresholds and intercepts are not among them
/// ([`Predictor::weights`](novikoff::learner::Predictor::weights)).
pub fn sorted_weights(model: &Model, class: usize) -> Vec<(usize, f64)> {
    let weights = model.learner().weights(model.lane(class));
    let mut list: Vec<(usize, f64)> = weights
        .into_iter()
        .enumerate()
        .filter(|(_, w)| *w != 0.0)
        .collect();
    list.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    list
}

/// The name of the feature in a slot: as the data has it, or its number; slot 0 is the bias. Features of a map have its name and a number.
pub fn feature_name(model: &Model, slot: usize) -> String {
    if slot == 0 {
        return "bias".to_owned();
    }
    if let Some(map) = model.map() {
        return format!("{}[{slot}]", map.spec().name());
    }
    match model.names().name(slot as u32) {
        Some(name) => name.to_owned(),
        None => (slot - usize::from(model.is_zero_based())).to_string(),
    }
}

/// The names of the classes in their order; of a binary problem the negative label first.
pub fn class_names(model: &Model) -> Vec<String> {
    if let Task::Regression = model.classes().task() {
        return vec!["numbers".to_owned()];
    }
    if let Task::Binary { negative, positive } = model.classes().task() {
        let negative = negative.as_ref().map_or("rest", |n| n.name());
        return vec![negative.to_owned(), positive.name().to_owned()];
    }
    let list = model.classes().list();
    let order = model.classes().order().iter();
    order.map(|&k| list[k].label.name().to_owned()).collect()
}
