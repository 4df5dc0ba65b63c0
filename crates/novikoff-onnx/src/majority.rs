//! The vote of several learners, as `novikoff`'s `majority` decides it: by weights alone, with a graded score beside the answer.

use novikoff::classes::Task;
use novikoff::learner::Voter;
use novikoff::model::Model;
use novikoff::remedy::Complaint;

use crate::graph::{Graph, Value, int};

/// Scores in units of what is usual are kept within this, so that their grade is a number.
const FAR: f64 = 1e300;

/// The margins of the vote, one column per class in the order of the labels, given those of each voter.
pub(crate) fn decided(
    graph: &mut Graph,
    model: &Model,
    ballots: &[(&Voter<'_>, &Value)],
) -> Result<Value, Complaint> {
    let is_yes = match model.classes().task() {
        Task::OneVsRest => most_votes(graph, model, ballots)?,
        _ => more_than_half(graph, model, ballots)?,
    };
    let mean = graded_mean(graph, model, ballots)?;
    // the score has the sign of the answer
    let (zero, least) = (graph.scalar(0.0)?, graph.scalar(-f64::MIN_POSITIVE)?);
    let yes = graph.node("Max", [&mean, &zero]);
    let no = graph.node("Min", [&mean, &least]);
    Ok(graph.choose(&is_yes, &yes, &no))
}

/// The weight of a voter in each column; all columns share one vote where a row has one label of several.
fn weights(model: &Model, voter: &Voter<'_>) -> Vec<f64> {
    let is_one_vote = matches!(model.classes().task(), Task::OneVsRest);
    let order = model.classes().order().iter();
    let of_class = |&class: &usize| {
        let vote = if is_one_vote { 0 } else { model.lane(class) };
        voter.weights[vote]
    };
    order.map(of_class).collect()
}

/// Sums in the order of the voters, so that ties are ties.
fn sum(graph: &mut Graph, parts: &[Value]) -> Value {
    // a majority has a voter at least
    let all = parts[1..].iter();
    all.fold(parts[0].clone(), |sum, part| {
        graph.node("Add", [&sum, part])
    })
}

/// Per class: whether those who say yes weigh more than the others.
fn more_than_half(
    graph: &mut Graph,
    model: &Model,
    ballots: &[(&Voter<'_>, &Value)],
) -> Result<Value, Complaint> {
    let zero = graph.scalar(0.0)?;
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for (voter, margins) in ballots {
        let each = weights(model, voter);
        let weights = graph.numbers("votes", &[1, each.len()], each)?;
        let says_yes = graph.node("GreaterOrEqual", [margins, &zero]);
        yes.push(graph.choose(&says_yes, &weights, &zero));
        no.push(graph.choose(&says_yes, &zero, &weights));
    }
    let (yes, no) = (sum(graph, &yes), sum(graph, &no));
    Ok(graph.node("Greater", [&yes, &no]))
}

/// The class with the most weight behind it, of several the first in the order of the labels: one column per class, and exactly one of them is true.
fn most_votes(
    graph: &mut Graph,
    model: &Model,
    ballots: &[(&Voter<'_>, &Value)],
) -> Result<Value, Complaint> {
    let classes = model.classes().order().len();
    let places: Vec<i64> = (0..classes as i64).collect();
    let places = graph.ints("places", &[1, classes], &places)?;
    let zero = graph.scalar(0.0)?;
    let mut votes = Vec::new();
    for (voter, margins) in ballots {
        let weight = graph.scalar(voter.weights[0])?;
        let chosen = first_largest(graph, margins, &places);
        votes.push(graph.choose(&chosen, &weight, &zero));
    }
    let votes = sum(graph, &votes);
    Ok(first_largest(graph, &votes, &places))
}

/// Where the first of the largest numbers of each row is.
fn first_largest(graph: &mut Graph, numbers: &Value, places: &Value) -> Value {
    let attributes = vec![int("axis", 1), int("keepdims", 1)];
    let place = graph.node_with("ArgMax", [numbers], attributes);
    graph.node("Equal", [places, &place])
}

/// The mean of the graded ballots by weight.
fn graded_mean(
    graph: &mut Graph,
    model: &Model,
    ballots: &[(&Voter<'_>, &Value)],
) -> Result<Value, Complaint> {
    let classes = model.classes().order().len();
    let mut totals = vec![0.0; classes];
    let mut parts = Vec::new();
    for (voter, margins) in ballots {
        let each = weights(model, voter);
        let grades = graded(graph, margins, voter.usual, classes)?;
        for (total, weight) in totals.iter_mut().zip(&each) {
            *total += weight;
        }
        let weights = graph.numbers("votes", &[1, classes], each)?;
        parts.push(graph.node("Mul", [&weights, &grades]));
    }
    // an expert with a weight is left, so no total is 0; the number 1 is for weights that are all too small to be numbers
    let totals = totals
        .into_iter()
        .map(|sum| if sum > 0.0 { sum } else { 1.0 });
    let totals: Vec<f64> = totals.collect();
    let sum = sum(graph, &parts);
    let totals = graph.numbers("votes", &[1, classes], totals)?;
    Ok(graph.node("Div", [&sum, &totals]))
}

/// `u/(1 + |u|)` with `u` the score in units of what is usual; its sign where nothing is.
fn graded(
    graph: &mut Graph,
    margins: &Value,
    usual: f64,
    classes: usize,
) -> Result<Value, Complaint> {
    if usual <= 0.0 {
        return Ok(graph.node("Sign", [margins]));
    }
    // one number per class: runtimes make one number for all a float32 factor of the product
    let usual = graph.numbers("usual", &[1, classes], vec![usual; classes])?;
    let one = graph.scalar(1.0)?;
    let (least, most) = (graph.scalar(-FAR)?, graph.scalar(FAR)?);
    let size = graph.node("Div", [margins, &usual]);
    let size = graph.node("Clip", [&size, &least, &most]);
    let length = graph.node("Abs", [&size]);
    let whole = graph.node("Add", [&length, &one]);
    Ok(graph.node("Div", [&size, &whole]))
}
