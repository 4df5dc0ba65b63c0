//! What a page says of one learner, and the table of all.

use maud::{Markup, html};
use novikoff::catalog::EXPERTS;
use novikoff::learner::Panel;
use novikoff::parameter::Parameter;

use super::certificate::{certificate, of_classes, why_it_falls};
use super::figure::Figures;
use super::plane::plane;
use super::{entry, shown};
use crate::certificate::Certified;
use crate::experts::own_mistakes;
use crate::picture::TopFeatures;
use crate::plot::{PlotError, certificate as bound_of, charts, ink_of};
use crate::report::RunReport;
use crate::text::{
    by_epoch, count, errors, percent, separation, spread, tests_by_epoch, validation,
    validation_cell,
};

/// Certificate, charts and parameters of a run.
pub(super) fn body(run: &RunReport, figures: &mut Figures) -> Result<Markup, PlotError> {
    let picture = run.picture.as_ref();
    let several = picture.filter(|picture| picture.features.len() > 1);
    Ok(html! {
        @if let Some(certified) = &run.certificate { (certificate(certified)) }
        @if let Some(of) = picture.and_then(|picture| picture.plane.as_ref()) { (plane(of, figures)?) }
        div.charts { (drawings(run, figures)?) }
        @if let Some(classes) = &run.classes { (of_classes(classes)) }
        @if let Some(picture) = several { (features(&picture.features)) }
        @if let Some(sampled) = picture.and_then(|picture| picture.sampled) {
            p.note { "Margins and ranking are of " (count(sampled)) " trials drawn at random." }
        }
        @if let Some(panel) = &run.panel { (experts(panel)) }
        dl { (facts(run)) }
    })
}

/// The charts of a run, mistakes on both scales in one figure.
fn drawings(run: &RunReport, figures: &mut Figures) -> Result<Markup, PlotError> {
    let mut charts = charts(run).into_iter().peekable();
    Ok(html! {
        @while let Some(chart) = charts.next() {
            @match charts.next_if(|next| next.name == "mistakes-log") {
                Some(log) => {
                    @let pair = [("linear".to_owned(), chart), ("log".to_owned(), log)];
                    div {
                        (figures.several("Mistakes so far", &pair)?)
                        @if let Some(c) = bound_of(run) { (why_it_falls(c)) }
                    }
                }
                None => (figures.one(&chart)?),
            }
        }
    })
}

/// What else is known about a run.
fn facts(run: &RunReport) -> Markup {
    // experts have a table of their own
    let parameters = run.parameters.iter().filter(|(name, _)| *name != EXPERTS);
    let parameters = parameters.map(|(name, value)| match value {
        Parameter::Real(number) => format!("{name}={number}"),
        Parameter::Word(word) => format!("{name}={word}"),
    });
    let parameters: Vec<String> = parameters.collect();
    let total = run.total();
    let mistakes = format!("{} ({})", count(total.mistakes), percent(run.rate()));
    html! {
        (entry("learner", &run.spec))
        @if !parameters.is_empty() { (entry("parameters", &parameters.join(", "))) }
        (entry("kernel", &run.kernel))
        (entry("mistakes", &mistakes))
        @if let Some(baseline) = &run.baseline { (entry("baseline", &baseline.text())) }
        (entry("updates", &count(total.updates)))
        (entry("validation", &validation(run)))
        @if run.epochs.len() > 1 { (entry("mistakes by epoch", &by_epoch(run, ", "))) }
        @if run.tests_every_epoch() { (entry("test errors by epoch", &tests_by_epoch(run))) }
        @if let Some(said) = separation(run) { (entry("separated", &said)) }
        @if let Some(test) = &run.test { (entry("test", &errors(run, test))) }
        @if let Some(p) = &run.permutations {
            (entry("over all orders", &format!("{} mistakes", spread(p.mistakes(), 1))))
        }
        @if let Some((lines, _)) = &run.skipped { (entry("bad lines passed over", &count(*lines))) }
        (entry("time", &format!("{:.3} s", run.seconds)))
        @for noted in &run.remarks { (entry("remark", &noted.text)) }
    }
}

/// The learners that a run consists of.
fn experts(panel: &Panel) -> Markup {
    html! {
        div.scroll {
            table {
                caption { "Experts, whose weighted majority answers" }
                thead { tr { th { "expert" } th { "mistakes" } th { "weight" } th { "retired" } } }
                tbody {
                    @for facts in &panel.experts {
                        tr {
                            th scope="row" { (shown(&facts.spec)) }
                            td { (own_mistakes(panel, facts)) }
                            td { (percent(facts.weight)) }
                            td {
                                @if let Some(retired) = facts.retired {
                                    "before row " (count(retired.trial)) ": " (retired.because.words())
                                }
                            }
                        }
                    }
                }
            }
        }
        p.note {
            "All together cost " (format!("{:.1}", panel.cost))
            " times what the perceptron would have, reading included; " (panel.most) " times are allowed. For the vote, every trial after its retirement counts as a mistake of an expert."
        }
    }
}

/// The largest weights of several classes.
fn features(classes: &[TopFeatures]) -> Markup {
    const SHOWN: usize = 6;
    html! {
        div.scroll {
            table {
                caption { "Largest weights" }
                thead { tr { th { "class" } th { "features and weights" } } }
                tbody {
                    @for top in classes {
                        tr {
                            th scope="row" { (shown(&top.class)) }
                            td.weights {
                                @for (name, w) in top.weights.iter().take(SHOWN) {
                                    span.weight { (shown(name)) " " b { (format!("{w:.3}")) } } " "
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The place of a run, in the colour of its curve.
pub(super) fn key(place: usize) -> Markup {
    let ink = format!("--ink:var(--{})", ink_of(place).name());
    html! { span.key style=(ink) { (place + 1) } }
}

/// All runs, best first.
pub(super) fn table(order: &[&RunReport]) -> Markup {
    let has_test = order.iter().any(|run| run.test.is_some());
    let has_bound = order.iter().any(|run| run.certificate.is_some());
    let has_orders = order.iter().any(|run| run.permutations.is_some());
    let mistakes = order.iter().map(|run| run.total().mistakes);
    let most = mistakes.max().unwrap_or(0).max(1);
    let share = |mistakes: u64| format!("--share:{:.1}%", 100.0 * mistakes as f64 / most as f64);
    html! {
        div.scroll {
            table.ranking {
                thead {
                    tr {
                        th { "learner" }
                        th { "mistakes" }
                        @if has_orders { th { "over all orders" } }
                        @if has_bound { th { "bound" } }
                        th.more { "rate" }
                        th.more { "updates" }
                        th { "validation" }
                        @if has_test { th { "test error" } }
                        th.more { "seconds" }
                    }
                }
                tbody {
                    @for (place, run) in order.iter().enumerate() {
                        @let total = run.total();
                        tr {
                            th scope="row" { (key(place)) " " a href={ "#run-" (place + 1) } { (shown(&run.spec)) } }
                            td.bar style=(share(total.mistakes)) { (count(total.mistakes)) }
                            @if has_orders {
                                td { @if let Some(p) = &run.permutations { (spread(p.mistakes(), 1)) } }
                            }
                            @if has_bound { td { (bound(run.certificate.as_ref())) } }
                            td.more { (percent(run.rate())) }
                            td.more { (count(total.updates)) }
                            td { (validation_cell(run).replace('-', "–")) }
                            @if has_test {
                                td { @if let Some(test) = &run.test { (percent(test.error())) } @else { "–" } }
                            }
                            td.more { (format!("{:.3}", run.seconds)) }
                        }
                    }
                }
            }
        }
    }
}

/// The bound of a run, in a cell.
fn bound(certified: Option<&Certified>) -> String {
    match certified {
        Some(certified @ Certified::Bound(_)) => certified.cell(),
        _ => "–".to_owned(),
    }
}
