//! What is said of the experts of a majority.

use novikoff::learner::{ExpertFacts, Panel};
use novikoff::quantity::{count, percent, plural};
use serde_json::{Value, json};

use crate::spark::bars;
use crate::table::{TextTable, Width};

/// For machines.
pub fn experts_json(panel: &Panel) -> Value {
    let expert = |facts: &ExpertFacts| {
        let mut object = json!({
            "spec": facts.spec,
            "mistakes": facts.mistakes,
            "weight": facts.weight,
            "retired": facts.retired.map(|retired| retired.trial),
        });
        if let Some(retired) = facts.retired {
            object["reason"] = retired.because.words().into();
        }
        object
    };
    panel.experts.iter().map(expert).collect()
}

/// The weights of an expert over time, as bars.
fn course(panel: &Panel, expert: usize) -> String {
    const BARS: usize = 10;
    let moments = &panel.course;
    let places = (0..BARS.min(moments.len())).map(|k| {
        let place = (k + 1) * moments.len() / BARS.min(moments.len());
        moments[place - 1].weights[expert]
    });
    bars(&places.collect::<Vec<_>>(), 1.0)
}

/// The mistakes that an expert made itself: since it was retired, every trial counts as one.
pub(crate) fn own_mistakes(panel: &Panel, facts: &ExpertFacts) -> String {
    let Some(retired) = facts.retired else {
        return count(facts.mistakes);
    };
    let since = panel.trials.saturating_sub(retired.trial);
    format!(
        "{}, then retired",
        count(facts.mistakes.saturating_sub(since))
    )
}

/// For people: who answered, how often wrongly, with what weight, and who was retired.
pub fn experts_text(panel: &Panel, width: Width) -> String {
    let mut table =
        TextTable::new(&["expert", ">mistakes", ">weight", "course", "retired"]).least(&["course"]);
    for (i, facts) in panel.experts.iter().enumerate() {
        let retired = facts.retired.map_or_else(String::new, |retired| {
            format!(
                "before row {}: {}",
                count(retired.trial),
                retired.because.words()
            )
        });
        table.row(vec![
            facts.spec.clone(),
            own_mistakes(panel, facts),
            percent(facts.weight),
            course(panel, i),
            retired,
        ]);
    }
    format!(
        "{}majority of {}; {:.1} times the cost of the perceptron, reading included; at most {}{}\n",
        table.text(width),
        plural(panel.experts.len() as u64, "expert"),
        panel.cost,
        panel.most,
        // nobody is retired for what the first rows cost
        if panel.cost > panel.most {
            " in the long run: the first rows cost more"
        } else {
            ""
        },
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use novikoff::learner::{PanelMoment, RetiredBecause, Retirement};

    use super::*;

    pub(crate) fn panel() -> Panel {
        let expert = |spec: &str, mistakes, weight, retired| ExpertFacts {
            spec: spec.to_owned(),
            mistakes,
            weight,
            retired,
            cost: 0.5,
        };
        let because = RetiredBecause::Cost;
        let moment = |trials: u64| PanelMoment {
            trials,
            eta: 0.5,
            majority: trials / 5,
            mistakes: vec![trials / 5, trials / 2],
            weights: vec![0.9, 0.1],
        };
        Panel {
            experts: vec![
                expert("arow@bias=1", 10, 0.9, None),
                expert(
                    "<b>logistic",
                    40,
                    0.1,
                    Some(Retirement { trial: 17, because }),
                ),
            ],
            votes: Vec::new(),
            trials: 50,
            cost: 3.25,
            most: 8.0,
            course: (1..=50).map(moment).collect(),
        }
    }

    #[test]
    fn both_readers_are_served() {
        let panel = panel();
        let json = experts_json(&panel);
        assert_eq!(json[0]["retired"], Value::Null);
        assert_eq!(
            (&json[1]["retired"], &json[1]["mistakes"]),
            (&json!(17), &json!(40))
        );
        let text = experts_text(&panel, Width::default());
        assert!(
            text.contains("arow@bias=1") && text.contains("before row 17: its cost"),
            "{text}"
        );
        // 17 of the 50 trials were its own
        assert!(text.contains("| 7, then retired |"), "{text}");
        assert!(
            text.contains("3.2 times the cost of the perceptron"),
            "{text}"
        );
    }
}
