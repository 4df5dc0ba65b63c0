//! `cargo xtask spark`: the tests of `novikoff.spark` on a real cluster of processes, with the wheel that `cargo xtask python` makes.
//!
//! Spark needs Java 17. Where there is none, and the machine is Debian's and ours to install on, its package is installed; where Java or a Python
//! package cannot be had the step says so and is left out.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::programs::{self, target};
use crate::python;
use crate::venv::{self, last_line, python as interpreter};

const REQUIREMENTS: &str = "python/tests_spark/requirements.txt";
const JAVA: &str = "openjdk-17-jre-headless";

/// Runs the tests with a wheel; without one, with that of the sources as they are now.
pub(crate) fn check(root: &Path, wheel: Option<PathBuf>) -> Result<(), String> {
    let environment = target(root).join("spark-venv");
    let ready = java().and_then(|()| venv::make(root, REQUIREMENTS, &environment));
    let builder = ready.and_then(|()| python::environment(root));
    let builder = match builder {
        Ok(builder) => builder,
        Err(reason) => {
            println!("== spark: SKIPPED, {reason}");
            return Ok(());
        }
    };
    let wheel = wheel.map_or_else(|| python::wheel(root, &builder), Ok)?;
    venv::install("spark", &environment, &wheel)?;
    // the worked example of docs/scale.md ends at the service
    programs::build(root)?;
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
    let mut command = Command::new(interpreter(environment));
    command
        .args(["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"])
        .arg(&folder)
        .current_dir(&folder)
        .env("SPARK_LOCAL_IP", "127.0.0.1")
        .env("NOVIKOFF_SERVE", programs::path(root, "novikoff-serve"))
        // Spark keeps its own files in the folder that cargo builds in
        .env("SPARK_LOCAL_DIRS", target(root).join("spark-tmp"))
        .env("SPARK_WORKER_DIR", target(root).join("spark-work"));
    venv::tested("spark", &mut command)
}
