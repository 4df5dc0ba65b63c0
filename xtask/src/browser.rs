//! `cargo xtask browser`: reports, and the page of the service, in a real browser (`tests/browser`). `cargo xtask picture`: the picture of README.md.
//!
//! Needs node, npm and Chromium. Root installs what is missing; for others, and on machines without a network, a line says
//! that the step was skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::programs;

const CHROMIUM: [&str; 3] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
];

/// Pages, the scripts that look at them and the words that make them.
const PAGES: [(&str, &str, &str); 3] = [
    (
        "report.html",
        "look.mjs",
        "compare digits --positive 0 perceptron second-order romma selective --certify",
    ),
    (
        "plane.html",
        "plane.mjs",
        "train separable:margin=0.02,rows=300 -a perceptron --until-separated --certify",
    ),
    (
        "sweep.html",
        "sweep.mjs",
        "compare separable:margin=0.3|0.1|0.03 perceptron romma --until-separated",
    ),
];

/// Makes reports and looks at them; starts the service and drives its page.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let folder = programs::target(root).join("browser");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let chromium = match ready(root, &folder) {
        Ok(chromium) => chromium,
        Err(why) => {
            println!("== browser: SKIPPED, {why}");
            return Ok(());
        }
    };
    programs::build(root)?;
    for (name, script, words) in PAGES {
        let report = folder.join(name);
        write_report(root, words, &report)?;
        run(Command::new("node")
            .arg(root.join("tests/browser").join(script))
            .args([&report, &folder, &chromium]))?;
    }
    let server = programs::path(root, "novikoff-serve");
    run(Command::new("node")
        .arg(root.join("tests/browser/service.mjs"))
        .args([&server, &folder, &chromium]))
}

/// The command whose report README.md shows.
const SHOWN: &str = "compare digits --positive 3 --normalize 2 perceptron p-norm passive-aggressive arow romma second-order --certify";

/// Makes the picture of README.md from a real report.
pub(crate) fn picture(root: &Path) -> Result<(), String> {
    let folder = programs::target(root).join("browser");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let chromium = ready(root, &folder)?;
    programs::build(root)?;
    let report = folder.join("shown.html");
    write_report(root, SHOWN, &report)?;
    run(Command::new("node")
        .arg(root.join("tests/browser/picture.mjs"))
        .args([&report, &folder, &chromium])
        .arg(root.join("docs/images/report.png")))
}

fn write_report(root: &Path, words: &str, report: &Path) -> Result<(), String> {
    run(Command::new(programs::path(root, "novikoff"))
        .args(words.split(' '))
        .args(["--quiet", "--report"])
        .arg(report)
        .stdout(Stdio::null())
        .current_dir(root))
}

/// Installs what is missing; where Chromium is.
fn ready(root: &Path, folder: &Path) -> Result<PathBuf, String> {
    let found = || CHROMIUM.iter().map(Path::new).find(|path| path.exists());
    let is_root = Command::new("id").arg("-u").output();
    let is_root = is_root.is_ok_and(|out| out.stdout == b"0\n");
    if found().is_none() && is_root {
        println!("== browser: installing Chromium");
        let words = "install -y -q --no-install-recommends chromium";
        let install = || quietly(Command::new("apt-get").args(words.split(' ')));
        if install().is_err() {
            quietly(Command::new("apt-get").args(["update", "-q"]))?;
            install()?;
        }
    }
    let chromium = found().ok_or("there is no Chromium; apt-get install chromium")?;
    for tool in ["node", "npm"] {
        quietly(Command::new(tool).arg("--version"))?;
    }
    let wanted = crate::read(&root.join("tests/browser/package.json"))?;
    let installed = std::fs::read_to_string(folder.join("package.json"));
    let there = folder.join("node_modules/axe-core").exists();
    if !there || installed.ok().as_deref() != Some(wanted.as_str()) {
        println!("== browser: installing playwright-core and axe-core");
        let place = folder.join("package.json");
        std::fs::write(&place, wanted).map_err(|e| format!("{}: {e}", place.display()))?;
        let words = "install --no-audit --no-fund --no-package-lock --silent";
        quietly(
            Command::new("npm")
                .args(words.split(' '))
                .current_dir(folder),
        )?;
    }
    Ok(chromium.to_owned())
}

fn quietly(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(out) if out.status.success() => Ok(()),
        Ok(out) => {
            let said = String::from_utf8_lossy(&out.stderr);
            let last = said.lines().last().unwrap_or_default().to_owned();
            Err(format!("{name} failed: {last}"))
        }
        Err(error) => Err(format!("cannot run {name}: {error}")),
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("== browser: FAILED".to_owned()),
        Err(error) => Err(format!("cannot run {name}: {error}")),
    }
}
