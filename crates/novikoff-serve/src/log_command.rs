//! `novikoff log check | repair | replay`: what there is to do with the logs of a server that does not run.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use novikoff::certify::Effort;
use novikoff_report::{Width, run_json, run_text};

use crate::args::{EffortWord, LogArgs, LogCommand, RepairArgs, ReplayArgs};
use crate::certificate::fit;
use crate::log::file::sync_folder;
use crate::log::read::{ReadError, read, segments};
use crate::log::segment::{Frames, Place};
use crate::replay::{AllRows, all_rows, model_folders, replay};
use crate::settings::{Settings, task_of};

/// What a command came to: its text, and whether what was checked is sound.
pub struct Said {
    /// For stdout.
    pub text: String,
    /// Whether nothing is wrong.
    pub is_sound: bool,
}

/// The memory of a replay.
const MEMORY: u128 = 8 << 30;

/// The ids that a replay remembers; they change no model.
const IDS: usize = 1;

/// Runs a command. The error says what could not be done.
pub fn run(command: &LogCommand) -> Result<Said, String> {
    match command {
        LogCommand::Check(args) => check(args),
        LogCommand::Repair(args) => repair(args),
        LogCommand::Replay(args) => replay_log(args),
    }
}

fn folders(args: &LogArgs) -> Result<Vec<PathBuf>, String> {
    let shown = args.dir.display();
    if !args.dir.is_dir() {
        return Err(format!("{shown}: no such directory"));
    }
    let folders = model_folders(&args.dir).map_err(|error| format!("{shown}: {error}"))?;
    let is_model = folders.iter().all(|folder| {
        folder.starts_with(args.dir.join("models"))
            || segments(folder).is_ok_and(|segments| !segments.is_empty())
            || !crate::snapshot::list(folder).is_empty()
    });
    if !is_model {
        return Err(format!(
            "{shown}: no log is there; give the directory of a server (--dir), or of one of its models"
        ));
    }
    let Some(name) = &args.model else {
        return Ok(folders);
    };
    let named = folders
        .iter()
        .find(|folder| folder.file_name().is_some_and(|own| own == name.as_str()));
    named.map(|folder| vec![folder.clone()]).ok_or_else(|| {
        let names = names_of(&folders);
        format!("{shown}: no model {name}; there are {names}")
    })
}

/// The names of models by their folders.
fn names_of(folders: &[PathBuf]) -> String {
    let names = folders.iter().filter_map(|folder| folder.file_name());
    let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
    names.join(", ")
}

/// Every record of every segment, and every snapshot.
fn check(args: &LogArgs) -> Result<Said, String> {
    let (mut text, mut is_sound) = (String::new(), true);
    for folder in folders(args)? {
        let mut frames = 0_u64;
        let first = segments(&folder)
            .map_err(|error| error.to_string())?
            .first()
            .map_or(0, |(first, _)| *first);
        let found = read::<ReadError>(&folder, first, |_| {
            frames += 1;
            Ok(())
        });
        let shown = folder.display();
        // writing to a String cannot fail
        let _ = match found {
            Err(error) => {
                is_sound = false;
                writeln!(text, "{shown}: {error}")
            }
            Ok(found) => {
                let bytes: u64 = found.segments.iter().map(|(_, bytes)| bytes).sum();
                let rows = found.end.next.rows;
                let _ = writeln!(
                    text,
                    "{shown}: {frames} records, {rows} rows, {} segments, {bytes} bytes",
                    found.segments.len()
                );
                match found.torn {
                    Some(torn) => writeln!(
                        text,
                        "{}: {} bytes at {} were never finished; the next start drops them",
                        torn.path.display(),
                        torn.bytes,
                        torn.at
                    ),
                    None => Ok(()),
                }
            }
        };
        for (_, path) in crate::snapshot::list(&folder) {
            let read = crate::snapshot::read(&path).and_then(|(header, model)| {
                crate::snapshot::restore(&header, &model)
                    .map_err(|what| format!("{}: {what}", path.display()))?;
                Ok(header.seq)
            });
            let _ = match read {
                Ok(seq) => writeln!(text, "{}: a snapshot of {seq} rows", path.display()),
                Err(what) => {
                    is_sound = false;
                    writeln!(text, "{what}")
                }
            };
        }
        if is_sound && let Err(error) = replay(&folder, IDS) {
            is_sound = false;
            let _ = writeln!(text, "{error}");
        }
    }
    Ok(Said { text, is_sound })
}

/// Where the first fault of a log is: the segment, the byte, the rows before it.
fn fault(folder: &Path) -> Result<Option<(PathBuf, usize)>, String> {
    let mut expected: Option<Place> = None;
    for (_, path) in segments(folder).map_err(|error| error.to_string())? {
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let Ok(place) = Place::read(&bytes) else {
            return Ok(Some((path, 0)));
        };
        if expected.is_some_and(|expected| {
            expected.first != place.first || expected.previous != place.previous
        }) {
            return Ok(Some((path, 0)));
        }
        let mut frames = Frames::new(&bytes, place);
        let mut next = place;
        for frame in frames.by_ref() {
            (next.first, next.previous) = (frame.index + 1, frame.checksum);
        }
        if let Some(stop) = frames.stop() {
            return Ok(Some((path, stop.at)));
        }
        expected = Some(next);
    }
    Ok(None)
}

/// Holds the lock of a server's directory, so that no server works on it meanwhile.
fn locked(dir: &Path) -> Result<Option<fs::File>, String> {
    let own = dir.join("novikoff.lock");
    let above = dir.join("../../novikoff.lock");
    let Some(path) = [own, above].into_iter().find(|path| path.is_file()) else {
        return Ok(None);
    };
    let file = fs::File::options().append(true).open(&path);
    let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(_) => Err(format!(
            "{}: a server works on this directory; stop it first",
            dir.display()
        )),
    }
}

/// Keeps what is before the first fault, and moves the rest aside.
fn repair(args: &RepairArgs) -> Result<Said, String> {
    let mut text = String::new();
    let _lock = locked(&args.which.dir)?;
    for folder in folders(&args.which)? {
        let shown = folder.display();
        let failed = |error: std::io::Error| format!("{shown}: {error}");
        let found = fault(&folder)?;
        // snapshots of more than the log then has would have it refused: they go aside too
        let mut aside: Vec<PathBuf> = Vec::new();
        if let Some((path, _)) = &found {
            let list = segments(&folder).map_err(|error| error.to_string())?;
            aside.extend(
                list.into_iter()
                    .map(|(_, own)| own)
                    .filter(|own| own > path),
            );
        }
        if found.is_none() {
            match replay(&folder, IDS) {
                Ok(_) => {
                    let _ = writeln!(text, "{shown}: nothing to repair");
                    continue;
                }
                Err(error) => {
                    let _ = writeln!(text, "{error}");
                    aside.extend(
                        crate::snapshot::list(&folder)
                            .into_iter()
                            .map(|(_, path)| path),
                    );
                }
            }
        }
        let lost = found
            .as_ref()
            .map(|(path, at)| format!("{} from byte {at} on", path.display()));
        let _ = writeln!(
            text,
            "{shown}: {} and {} files behind it are to go aside",
            lost.as_deref().unwrap_or("nothing of the log"),
            aside.len()
        );
        if !args.yes {
            let _ = writeln!(text, "nothing was changed; give --yes to do it");
            continue;
        }
        let stamp = std::process::id();
        let beside = |path: &Path| path.with_extension(format!("damaged-{stamp}"));
        if let Some((path, at)) = &found {
            fs::copy(path, beside(path)).map_err(failed)?;
            if *at == 0 {
                fs::remove_file(path).map_err(failed)?;
            } else {
                let file = fs::File::options().write(true).open(path).map_err(failed)?;
                file.set_len(*at as u64)
                    .and_then(|()| file.sync_all())
                    .map_err(failed)?;
            }
            // a snapshot may know of records that are gone: then it is newer than the log, and the log would be refused
            let end = read::<ReadError>(&folder, u64::MAX, |_| Ok(()))
                .map_err(|error| error.to_string())?
                .end
                .next
                .first;
            let newer = crate::snapshot::list(&folder)
                .into_iter()
                .filter(|(frame, _)| *frame > end);
            aside.extend(newer.map(|(_, path)| path));
        }
        for path in &aside {
            let mut name = path.clone().into_os_string();
            name.push(format!(".damaged-{stamp}"));
            fs::rename(path, name).map_err(failed)?;
        }
        sync_folder(&folder.join("x")).map_err(failed)?;
        let again = replay(&folder, IDS).map_err(|error| error.to_string())?;
        let _ = writeln!(text, "{shown}: repaired, {} rows", again.state.seq);
    }
    Ok(Said {
        text,
        is_sound: true,
    })
}

/// The log through its own learner, or another.
fn replay_log(args: &ReplayArgs) -> Result<Said, String> {
    let folders = folders(&args.which)?;
    let [folder] = &folders[..] else {
        return Err(format!(
            "{}: there are {} models; choose one with --model: {}",
            args.which.dir.display(),
            folders.len(),
            names_of(&folders)
        ));
    };
    if args.spec.is_none() && args.certify.is_none() {
        return replay_same(folder, args);
    }
    let AllRows { settings, requests } =
        all_rows(folder, None, MEMORY).map_err(|error| error.to_string())?;
    if requests.is_empty() {
        return Err(nothing_learned(folder));
    }
    let settings = Settings {
        spec: args.spec.clone().unwrap_or(settings.spec),
        ..settings
    };
    let settings = Settings {
        memory: u64::try_from(MEMORY / 2).unwrap_or(u64::MAX),
        ..settings
    };
    let effort = args.certify.map(|word| match word {
        EffortWord::Quick => Effort::Quick,
        EffortWord::Full => Effort::Full,
    });
    let settings = settings.check()?;
    // what the first row says, as in the service
    let first = requests.first().map(|rows| task_of(rows.view()));
    let task = settings.run.task.clone().or(first);
    let fitted = fit(&settings, task, &requests, effort, MEMORY)?;
    if let (Some(path), Some(model)) = (&args.output, &fitted.model) {
        novikoff_data::model::save(model, path).map_err(|error| error.to_string())?;
    }
    let text = if args.json {
        format!("{}\n", run_json(&fitted.report))
    } else {
        run_text(&fitted.report, Width::default())
    };
    Ok(Said {
        text,
        is_sound: true,
    })
}

fn nothing_learned(folder: &Path) -> String {
    format!("{}: the model has learned nothing yet", folder.display())
}

/// The same learner: the model of the server, to the last byte.
fn replay_same(folder: &Path, args: &ReplayArgs) -> Result<Said, String> {
    let state = replay(folder, IDS)
        .map_err(|error| error.to_string())?
        .state;
    let bytes = state.fold.bytes()?;
    let totals = state
        .fold
        .model()
        .map(novikoff::model::Model::totals)
        .unwrap_or_default();
    if let Some(path) = &args.output {
        let bytes = bytes.ok_or_else(|| nothing_learned(folder))?;
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut file =
            novikoff_data::atomic::NewFile::create(path).map_err(|error| wrong(&error))?;
        std::io::Write::write_all(&mut file, &bytes).map_err(|error| wrong(&error))?;
        file.commit().map_err(|error| wrong(&error))?;
    }
    let spec = &state.fold.settings().given.spec;
    let text = if args.json {
        let (rows, mistakes, updates) = (totals.trials, totals.mistakes, totals.updates);
        format!(
            "{}\n",
            serde_json::json!({"spec": spec, "seq": state.seq, "rows": rows, "mistakes": mistakes, "updates": updates})
        )
    } else {
        format!(
            "{spec}: {} rows, {} mistakes, {} updates\n",
            state.seq, totals.mistakes, totals.updates
        )
    };
    Ok(Said {
        text,
        is_sound: true,
    })
}
