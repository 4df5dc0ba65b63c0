//! `cargo xtask spark`: the tests of `novikoff.spark` on a real cluster of processes, with the wheel that `cargo xtask python` makes.
//!
//! Spark needs Java 17. Where there is none, and the machine is Debian's and ours to install on, its package is installed; where Java or a Python
//! package cannot be had the step says so and is left out.

use std::path::Path;
use std::process::Command;

use crate::programs::target;
use crate::python;
use crate::venv::{self, last_line, python as interpreter, said};

const REQUIREMENTS: &str = "python/tests_spark/requirements.txt";
const JAVA: &str = "openjdk-17-jre-headless";

/// Builds the wheel and runs the tests.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    if let Err(reason) = java() {
        println!("== spark: skipped: {reason}");
        return Ok(());
    }
    let environment = target(root).join("spark-venv");
    if let Err(reason) = venv::make(root, REQUIREMENTS, &environment) {
        println!("== spark: skipped: {reason}");
        return Ok(());
    }
    let wheel = match python::new_wheel(root) {
        Ok(wheel) => wheel,
        Err(reason) => {
            println!("== spark: skipped: {reason}");
            return Ok(());
        }
    };
    let installed = Command::new(interpreter(&environment))
        .args(["-m", "pip", "install", "-q", "--disable-pip-version-check"])
        .args(["--force-reinstall", "--no-deps"])
        .arg(wheel)
        .output();
    said(installed)
        .map_err(|reason| format!("== spark: the wheel cannot be installed: {reason}"))?;
    tests(root, &environment)
}

/// Nothing if there is Java, installed just now if need be; else why there is none.
fn java() -> Result<(), String> {
    let has_java = || {
        let version = Command::new("java").arg("-version").output();
        version.is_ok_and(|done| done.status.success())
    };
    if has_java() {
        return Ok(());
    }
    println!("   installing {JAVA}");
    let installed = Command::new("apt-get")
        .args(["install", "-y", "-qq", "--no-install-recommends", JAVA])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .output();
    match installed {
        Ok(done) if done.status.success() && has_java() => Ok(()),
        Ok(done) => {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            Err(format!(
                "there is no Java, and {JAVA} cannot be installed: {}",
                last_line(&said)
            ))
        }
        Err(error) => Err(format!(
            "there is no Java, and no apt-get to install it with: {error}"
        )),
    }
}

fn tests(root: &Path, environment: &Path) -> Result<(), String> {
    let folder = root.join("python/tests_spark");
    let done = Command::new(interpreter(environment))
        .args(["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"])
        .arg(&folder)
        .current_dir(&folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("SPARK_LOCAL_IP", "127.0.0.1")
        // Spark keeps its own files in the folder that cargo builds in
        .env("SPARK_LOCAL_DIRS", target(root).join("spark-tmp"))
        .env("SPARK_WORKER_DIR", target(root).join("spark-work"))
        .output()
        .map_err(|error| format!("cannot run pytest: {error}"))?;
    let text = String::from_utf8_lossy(&done.stdout);
    if done.status.success() {
        println!("   {}", last_line(&text));
        Ok(())
    } else {
        print!("{text}");
        eprint!("{}", String::from_utf8_lossy(&done.stderr));
        Err("== spark: FAILED".to_owned())
    }
}
