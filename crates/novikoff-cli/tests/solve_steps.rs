//! How the solver goes: methods, exact numbers of passes, orders, and what is said of its end.

use crate::common;

use common::Room;
use common::data::Shape;

fn room() -> Room {
    Room::with(&Shape::default().binary())
}

#[test]
fn passes_are_exact_and_their_limit_is_one() {
    let room = room();
    for more in [
        "--loss hinge",
        "--loss hinge --bias free",
        "--loss logistic",
        "--loss hinge --kernel rbf:gamma=0.1",
    ] {
        for passes in [1, 7, 50] {
            let run = room.json(&format!(
                "solve data.svm {more} --lambda 0.01 --passes {passes} -q"
            ));
            assert_eq!(run["passes"], passes, "{more}");
            assert_eq!(run["method"], "ascent", "{more}");
            let run = room.json(&format!(
                "solve data.svm {more} --lambda 1e-5 --gap 1e-12 --max-passes {passes} -q"
            ));
            assert!(
                run["passes"].as_u64().expect("passes") <= passes,
                "{more}: {run}"
            );
        }
    }
    // a gap that is reached at once does not end it
    let run = room.json("solve data.svm --lambda 1 --gap 0.9 --passes 30");
    assert_eq!(
        (&run["passes"], &run["stop"], &run["stop_reason"]),
        (&30.into(), &"converged".into(), &"gap".into())
    );
    let run = room.json("solve data.svm --lambda 1e-7 --gap 1e-12 --passes 3 -q");
    assert_eq!(
        (&run["stop"], &run["stop_reason"]),
        (&"pass-limit".into(), &"passes".into())
    );
}

#[test]
fn the_order_of_the_file_does_not_depend_on_the_seed() {
    let room = room();
    let run = |order: &str, seed: u64| {
        room.json(&format!(
            "solve data.svm --lambda 0.001 --passes 3 --order {order} --seed {seed} -q"
        ))["primal"]
            .clone()
    };
    assert_eq!(run("file", 1), run("file", 2));
    assert_ne!(run("shuffled", 1), run("shuffled", 2));
    assert_ne!(run("file", 1), run("shuffled", 1));
}

#[test]
fn methods_by_choice() {
    let room = room();
    let run = |method: &str| {
        room.json(&format!(
            "solve data.svm --loss logistic --lambda 0.01 --gap 1e-9 --method {method}"
        ))
    };
    let [ascent, newton, auto] = ["ascent", "newton", "auto"].map(run);
    assert_eq!(
        (&ascent["method"], &newton["method"]),
        (&"ascent".into(), &"newton".into())
    );
    assert!(auto["method"] == ascent["method"] || auto["method"] == newton["method"]);
    let primal = |run: &serde_json::Value| run["primal"].as_f64().expect("a number");
    assert!((primal(&ascent) - primal(&newton)).abs() <= 2e-9 * primal(&ascent));
    for (words, said) in [
        (
            "--loss hinge --method newton",
            "--method newton: Newton's method needs a smooth loss, and hinge is not; use --method ascent",
        ),
        (
            "--loss logistic --reg entropy --theta 0.5 --method newton",
            "--theta",
        ),
        (
            "--loss logistic --reg p-norm --method newton",
            "needs the regulariser l2, and p-norm is another",
        ),
        (
            "--loss logistic --kernel rbf:gamma=1 --method newton",
            "in the space of a kernel",
        ),
        (
            "--loss logistic --passes 3 --method newton",
            "decides itself how many passes it makes",
        ),
        (
            "--loss logistic --order file --method newton",
            "rows have no order in it",
        ),
        ("--method both", "--method"),
        ("--order random", "--order"),
        ("--passes 0", "--passes"),
        ("--passes 3 --max-passes 5", "--max-passes"),
    ] {
        room.run(&format!("solve data.svm --lambda 0.1 {words}"))
            .refused(&[said]);
    }
}

/// With a free bias the sum of the signed dual variables is printed as the algorithm left it.
#[test]
fn the_balance_of_the_dual_variables() {
    let room = room();
    let run = |words: &str| room.json(&format!("solve data.svm --lambda 0.001 {words} -q"));
    let balance = |passes: u32| {
        run(&format!("--bias free --passes {passes}"))["balance"]
            .as_f64()
            .expect("a number")
            .abs()
    };
    assert!(balance(1) > 1e-4, "{}", balance(1));
    assert!(balance(2000) < 1e-6, "{}", balance(2000));
    assert!(run("--bias 1")["balance"].is_null());
    assert!(run("")["balance"].is_null());
}

/// An objective that is small beside the rounding of its sums: the word says that it is rounding, and the gap that was asked for is not reached.
#[test]
fn rounding_is_said() {
    let room = Room::new();
    let words = "solve ellipse:rows=300,d=4,gap=0.5 --loss hinge --lambda 1e-6";
    let run = room.json(&format!("{words} --gap 1e-15"));
    let number = |key: &str| run[key].as_f64().expect("a number");
    assert!(
        number("gap") <= 1e-12 && number("relative_gap") > 1e-15,
        "{run}"
    );
    assert_eq!(
        (&run["stop"], &run["stop_reason"]),
        (&"converged".into(), &"rounding".into())
    );
    let text = room.run(&format!("{words} --gap 1e-15")).good().stdout;
    assert!(text.contains("converged (rounding)"), "{text}");
    let run = room.json(&format!("{words} --gap 1e-3"));
    assert_eq!(
        (&run["stop"], &run["stop_reason"]),
        (&"converged".into(), &"gap".into())
    );
}
