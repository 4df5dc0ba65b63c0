//! Passive-aggressive learners: PA, PA-I, PA-I', PA-II and PA-II'.

use crate::view::{Said, View};

/// A mistake on x is worth `1/|x|^2` (PA), `min(c, 1/|x|^2)` (PA-I) or `1/(|x|^2 + 1/(2c))` (PA-II), and the mistakes have `sum worth <= price`.
/// The price is `|U|^2 + 2c L` (PA-I), `|U|^2 + 2c sum xi^2` (PA-II) or, with a prime and for PA, `(B + sqrt(|U|^2 + B^2))^2`, where B^2 is
/// `sum xi^2/|x|^2`, for PA-II `sum xi^2/(|x|^2 + 1/(2c))`. So `m <= m price/(sum worth)`, and `m <= price/(least worth)`.
pub(crate) fn bound(view: &View<'_>, theorem: &str) -> Result<Said, String> {
    view.learns_from_mistakes()?;
    let (variant, c) = (view.word("variant"), view.number("c")?);
    let wanted = match theorem {
        "PA" => "pa",
        "PA-I" | "PA-I'" => "1",
        _ => "2",
    };
    // a variant that is a number may be one in JSON
    let is_wanted = variant == wanted
        || (variant.is_empty()
            && view
                .number("variant")
                .is_ok_and(|v| v.to_string() == wanted));
    if !is_wanted {
        return Err(format!("{theorem} is about variant={wanted}"));
    }
    let is_root = theorem == "PA" || theorem.ends_with('\'');
    let worth = |square: f64| match wanted {
        "pa" => 1.0 / square,
        "1" => c.min(1.0 / square),
        _ => 1.0 / (square + 1.0 / (2.0 * c)),
    };
    let weight = |square: f64| match wanted {
        "2" => worth(square),
        _ => 1.0 / square,
    };
    let (name, loss) = if is_root {
        let losses = view.trials.iter().map(|t| weight(t.square) * t.xi * t.xi);
        ("shares", losses.sum::<f64>())
    } else if wanted == "2" {
        ("slacks", view.slacks())
    } else {
        ("hinge", view.hinge())
    };
    let price = if is_root {
        let root = loss.sqrt() + (view.norm_sq + loss).sqrt();
        root * root
    } else {
        view.norm_sq + 2.0 * c * loss
    };
    let m = view.mistakes().count() as f64;
    let all: f64 = view.mistakes().map(|t| worth(t.square)).sum();
    let least = view.trials.iter().map(|t| worth(t.square));
    let least = least.fold(f64::INFINITY, f64::min);
    let bound = if m > 0.0 {
        m * price / all
    } else {
        price / least
    };
    let (hinge, rest) = if loss <= 1e-9 {
        (0.0, "norm")
    } else if name == "hinge" {
        (2.0 * c * loss / price * bound, "norm")
    } else {
        (0.0, "squared")
    };
    Ok(Said::new(bound, hinge, rest, view.norm()).made_of(&[
        ("norm", view.norm()),
        (name, loss),
        ("worth", all),
        ("least_worth", least),
        ("theorem", price / least),
    ]))
}
