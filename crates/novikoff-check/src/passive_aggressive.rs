//! Passive-aggressive learners: PA, PA-I, PA-I', PA-II and PA-II'.
//! Theory: docs/theory/passive-aggressive.md.
//!
//! A mistake on x has a worth, and the mistakes have `sum worth <= price`. So `m <= m price/(sum worth)`, and `m <= price/(least worth)`.

use crate::view::{Said, View};

/// PA: worth `1/|x|^2`, price `(B + sqrt(|U|^2 + B^2))^2`, `B^2 = sum xi^2/|x|^2`.
pub(crate) fn pa(view: &View<'_>) -> Result<Said, String> {
    is_about(view, "pa")?;
    let worth = |square: f64| 1.0 / square;
    Ok(said(view, worth, &Price::of_shares(view, worth)))
}

/// PA-I: worth `min(c, 1/|x|^2)`, price `|U|^2 + 2c L`.
pub(crate) fn pa_1(view: &View<'_>) -> Result<Said, String> {
    is_about(view, "1")?;
    let c = view.number("c")?;
    let loss = view.hinge();
    let price = Price {
        loss_name: "hinge",
        loss,
        hinge: 2.0 * c * loss,
        value: view.norm_sq + 2.0 * c * loss,
    };
    Ok(said(view, |square| c.min(1.0 / square), &price))
}

/// PA-I': worth `min(c, 1/|x|^2)`, price `(B + sqrt(|U|^2 + B^2))^2`, `B^2 = sum xi^2/|x|^2`.
pub(crate) fn pa_1_shares(view: &View<'_>) -> Result<Said, String> {
    is_about(view, "1")?;
    let c = view.number("c")?;
    let price = Price::of_shares(view, |square| 1.0 / square);
    Ok(said(view, |square| c.min(1.0 / square), &price))
}

/// PA-II: worth `1/(|x|^2 + 1/(2c))`, price `|U|^2 + 2c sum xi^2`.
pub(crate) fn pa_2(view: &View<'_>) -> Result<Said, String> {
    is_about(view, "2")?;
    let c = view.number("c")?;
    let loss = view.slacks();
    let price = Price {
        loss_name: "slacks",
        loss,
        hinge: 0.0,
        value: view.norm_sq + 2.0 * c * loss,
    };
    Ok(said(
        view,
        |square| 1.0 / (square + 1.0 / (2.0 * c)),
        &price,
    ))
}

/// PA-II': worth `1/(|x|^2 + 1/(2c))`, price `(B + sqrt(|U|^2 + B^2))^2`, `B^2 = sum xi^2/(|x|^2 + 1/(2c))`.
pub(crate) fn pa_2_shares(view: &View<'_>) -> Result<Said, String> {
    is_about(view, "2")?;
    let c = view.number("c")?;
    let worth = |square: f64| 1.0 / (square + 1.0 / (2.0 * c));
    Ok(said(view, worth, &Price::of_shares(view, worth)))
}

/// The learner's parameter `variant` is `wanted`, and it learns from mistakes.
fn is_about(view: &View<'_>, wanted: &str) -> Result<(), String> {
    view.learns_from_mistakes()?;
    let variant = view.word("variant");
    // a variant that is a number may be one in JSON
    let number = view.number("variant").map(|v| v.to_string());
    if variant == wanted || number.is_ok_and(|v| v == wanted) {
        Ok(())
    } else {
        Err(format!("the theorem is about variant={wanted}"))
    }
}

/// What the worth of the mistakes adds up to at most.
struct Price {
    /// The name of the losses' sum.
    loss_name: &'static str,
    /// The losses' sum.
    loss: f64,
    /// The part of the price that the hinge loss makes, where that is a term.
    hinge: f64,
    value: f64,
}

impl Price {
    /// `(B + sqrt(|U|^2 + B^2))^2`, `B^2 = sum share xi^2`.
    fn of_shares(view: &View<'_>, share: impl Fn(f64) -> f64) -> Self {
        let losses = view.trials.iter().map(|t| share(t.square) * t.xi * t.xi);
        let loss: f64 = losses.sum();
        let root = loss.sqrt() + (view.norm_sq + loss).sqrt();
        Price {
            loss_name: "shares",
            loss,
            hinge: 0.0,
            value: root * root,
        }
    }
}

fn said(view: &View<'_>, worth: impl Fn(f64) -> f64, price: &Price) -> Said {
    let m = view.mistakes().count() as f64;
    let all: f64 = view.mistakes().map(|t| worth(t.square)).sum();
    let least = view.trials.iter().map(|t| worth(t.square));
    let least = least.fold(f64::INFINITY, f64::min);
    let bound = if m > 0.0 {
        m * price.value / all
    } else {
        price.value / least
    };
    let (hinge, rest) = if price.loss <= 1e-9 {
        (0.0, "norm")
    } else if price.hinge > 0.0 {
        (price.hinge / price.value * bound, "norm")
    } else {
        (0.0, "squared")
    };
    Said::new(bound, hinge, rest, view.norm()).made_of(&[
        ("norm", view.norm()),
        (price.loss_name, price.loss),
        ("worth", all),
        ("least_worth", least),
        ("theorem", price.value / least),
    ])
}
