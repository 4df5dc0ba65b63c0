//! The long tests: `cargo xtask campaign serve [--kills N] [--cuts N] [--minutes M]`. Their small forms are in `durability.rs`.
//!
//! What was reached is written to a file after every step, so that a campaign that was stopped goes on where it was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{Client, Random, Server, replayed, row};

/// Kills of a server under load, one after another on one directory.
pub(crate) struct Kills {
    dir: PathBuf,
    random: Random,
    /// The `seq` of every request that was acknowledged under a policy that waits for the disk, or not.
    known: BTreeMap<String, u64>,
    next_id: u64,
}

impl Kills {
    pub(crate) fn new(folder: &Path, seed: u64) -> Self {
        Kills {
            dir: folder.join("state"),
            random: Random(seed),
            known: BTreeMap::new(),
            next_id: 0,
        }
    }

    pub(crate) fn acknowledged(&self) -> usize {
        self.known.len()
    }

    /// Four clients teach, the server is killed at a random time, and is looked at after its restart. The page cache survives the kill, so every policy keeps
    /// what was acknowledged.
    pub(crate) fn kill_once(&mut self, sync: &str, longest: u64) {
        let words = [
            "--sync",
            sync,
            "--snapshot-rows",
            "300",
            "--segment-bytes",
            "60000",
            "--model",
            "m=perceptron",
        ];
        let mut server = Server::start(&self.dir, &words);
        let stop = Arc::new(AtomicBool::new(false));
        let results = Arc::new(Mutex::new(Vec::new()));
        let mut clients = Vec::new();
        for client in 0..4 {
            let (stop, results, address) =
                (Arc::clone(&stop), Arc::clone(&results), server.address);
            let first = self.next_id + client;
            let mut random = Random(self.random.below(1 << 30));
            clients.push(std::thread::spawn(move || {
                let mut connection = Client::new(address);
                let mut uncertain = None;
                for k in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let id = format!("r{}", first + 4 * k);
                    let rows: Vec<Value> =
                        (0..=random.below(3)).map(|_| row(&mut random)).collect();
                    let body = json!({"id": id, "rows": rows});
                    match connection.request(
                        "POST",
                        "/v1/models/m/learn",
                        &[("content-type", "application/json")],
                        body.to_string().as_bytes(),
                    ) {
                        Ok(reply) if reply.status == 200 => results
                            .lock()
                            .unwrap()
                            .push((id, reply.json()["seq"].as_u64().unwrap())),
                        Ok(reply) => assert!(matches!(reply.status, 429 | 503), "{}", reply.text()),
                        Err(_) => {
                            uncertain = Some(body);
                            break;
                        }
                    }
                }
                uncertain
            }));
        }
        std::thread::sleep(Duration::from_millis(self.random.below(longest)));
        server.kill();
        stop.store(true, Ordering::Relaxed);
        let uncertain: Vec<Value> = clients
            .into_iter()
            .filter_map(|client| client.join().unwrap())
            .collect();
        for (id, seq) in results.lock().unwrap().drain(..) {
            let number: u64 = id[1..].parse().unwrap();
            self.next_id = self.next_id.max(number + 4);
            assert!(self.known.insert(id, seq).is_none());
        }
        self.next_id += 8;
        self.look(uncertain);
    }

    /// After a restart: everything acknowledged is there, requests that were not answered are learned once, and the model is that of a replay.
    fn look(&mut self, uncertain: Vec<Value>) {
        let server = Server::start(&self.dir, &[]);
        let mut client = server.client();
        let about = client.get("/v1/models/m").expect(200);
        let seq = about["seq"].as_u64().unwrap();
        let acknowledged = self.known.values().copied().max().unwrap_or(0);
        assert!(
            seq >= acknowledged,
            "{acknowledged} rows were acknowledged, and {seq} are there"
        );
        for body in uncertain {
            let id = body["id"].as_str().unwrap().to_owned();
            let first = client.post("/v1/models/m/learn", &body).expect(200);
            let second = client.post("/v1/models/m/learn", &body).expect(200);
            assert_eq!(
                (&second["repeated"], &second["seq"]),
                (&json!(true), &first["seq"])
            );
            self.known.insert(id, first["seq"].as_u64().unwrap());
        }
        // a sample of all that were acknowledged: known, with the same seq
        let step = self.known.len().div_ceil(20).max(1);
        for (id, seq) in self.known.iter().rev().step_by(step) {
            let reply = client.post(
                "/v1/models/m/learn",
                &json!({"id": id, "rows": [{"features": {"never": 1}, "label": "never"}]}),
            );
            let problem = reply.expect(409);
            assert!(
                problem["detail"]
                    .as_str()
                    .unwrap()
                    .contains(&format!("seq {seq};")),
                "{id}: {problem}"
            );
        }
        let file = client.get("/v1/models/m/model").body;
        assert_eq!(server.stop(), Some(0));
        // replayed from the log alone, without the snapshots
        let models = self.dir.join("models/m");
        let aside = self.dir.join("aside");
        std::fs::create_dir_all(&aside).unwrap();
        let snapshots = novikoff_serve::snapshot::list(&models);
        for (_, path) in &snapshots {
            std::fs::rename(path, aside.join(path.file_name().unwrap())).unwrap();
        }
        if !file.is_empty() && file[0] != b'{' {
            assert!(
                replayed(&self.dir, "m") == file,
                "the model is not that of its log"
            );
        }
        for (_, path) in &snapshots {
            std::fs::rename(aside.join(path.file_name().unwrap()), path).unwrap();
        }
    }
}

/// An operation of a client: what it was answered.
enum Operation {
    Learned { seq: u64 },
    Predicted { seq: u64, margin: f64 },
}

/// Clients learn and ask at the same time. Every answer must be that of the model after the first `seq` rows of the log, and no client sees time go back.
pub(crate) fn linearizable(folder: &Path, clients: u64, operations: u64) {
    let dir = folder.join("state");
    let server = Server::start(&dir, &["--snapshot-rows", "1000000"]);
    server
        .client()
        .post(
            "/v1/models",
            &json!({"name": "m", "spec": "perceptron", "options": {"labels": ["no", "yes"]}}),
        )
        .expect(201);
    let ask = json!({"rows": [{"features": {"a": 0.5, "b": -0.25, "city": "Oslo"}}]});
    let acknowledged = Arc::new(AtomicU64::new(0));
    let mut threads = Vec::new();
    for client in 0..clients {
        let (address, ask, acknowledged) = (server.address, ask.clone(), Arc::clone(&acknowledged));
        threads.push(std::thread::spawn(move || {
            let (mut client, mut random) = (Client::new(address), Random(1000 + client));
            let (mut history, mut last) = (Vec::new(), 0);
            while (history.len() as u64) < operations {
                let before = acknowledged.load(Ordering::SeqCst);
                if random.below(2) == 0 {
                    let reply =
                        client.post("/v1/models/m/learn", &json!({"rows": [row(&mut random)]}));
                    if reply.status == 429 {
                        continue;
                    }
                    let seq = reply.expect(200)["seq"].as_u64().unwrap();
                    assert!(
                        seq > before && seq > last,
                        "learned {seq} after {before} and {last}"
                    );
                    acknowledged.fetch_max(seq, Ordering::SeqCst);
                    last = seq;
                    history.push(Operation::Learned { seq });
                } else {
                    let reply = client
                        .post("/v1/models/m/predict?feedback=false", &ask)
                        .expect(200);
                    let seq = reply["seq"].as_u64().unwrap();
                    assert!(
                        seq >= before && seq >= last,
                        "answered at {seq} after {before} and {last}"
                    );
                    last = seq;
                    let margin = reply["predictions"][0]["margin"].as_f64().unwrap();
                    history.push(Operation::Predicted { seq, margin });
                }
            }
            history
        }));
    }
    let histories: Vec<Operation> = threads
        .into_iter()
        .flat_map(|thread| thread.join().unwrap())
        .collect();
    assert_eq!(server.stop(), Some(0));
    // the margin after each row, by the log alone
    let all = novikoff_serve::replay::all_rows(&dir.join("models/m"), None, 1 << 30).unwrap();
    let settings = all.settings.check().unwrap();
    let asked = novikoff_serve::body::read(
        novikoff_serve::body::ContentType::Json,
        ask.to_string().as_bytes(),
        &settings,
        &novikoff_data::json::ObjectColumns::default(),
        novikoff_serve::body::RowParameters::default(),
        novikoff_serve::body::BodyLimits {
            bytes: 1 << 20,
            rows: 1,
        },
    );
    let (asked, _) = asked.unwrap();
    let mut fold = novikoff_serve::fold::Fold::new(settings);
    let mut margins = vec![0.0];
    for rows in &all.requests {
        fold.learn(rows).unwrap();
        let model = fold.model().unwrap();
        let (row, _) = asked.known(
            model.schema(),
            &novikoff_data::options::ReadOptions::default(),
        );
        let mut scores = Vec::new();
        model.scores(row.row(0), None, &mut scores);
        margins.push(scores[0]);
    }
    let mut learned = Vec::new();
    for operation in histories {
        match operation {
            Operation::Learned { seq } => learned.push(seq),
            Operation::Predicted { seq, margin } => {
                // as a number that was written and read again: the reader may be off by a bit
                let own: f64 = json!(margins[seq as usize]).to_string().parse().unwrap();
                let read: f64 = serde_json::from_str(&json!(own).to_string()).unwrap();
                assert_eq!(margin, read, "at {seq}");
            }
        }
    }
    learned.sort_unstable();
    assert!(
        learned.iter().copied().eq(1..=learned.len() as u64),
        "every row has a seq of its own"
    );
}

/// A system call that fails: its name, the error, and whether all later ones fail too.
type FailingCall = (&'static str, &'static str, bool);

/// A log that cannot be synced, written or opened; and a disk that is full once.
pub(crate) const CALLS: [FailingCall; 4] = [
    ("fdatasync", "EIO", true),
    ("write", "EIO", true),
    ("write", "ENOSPC", false),
    ("openat", "EACCES", true),
];

/// A run of updates in which the call of this number fails. After an error of the disk nothing is acknowledged and the server ends; after a full disk
/// learning goes on. The next start has all that was acknowledged.
pub(crate) fn failing_call(updates: u64, (call, error, lasts): FailingCall, number: u64) {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    // the files of the model are there before calls fail
    let server = Server::start(&dir, &["--model", "m=perceptron"]);
    let mut random = Random(number);
    server
        .client()
        .post("/v1/models/m/learn", &json!({"rows": [row(&mut random)]}))
        .expect(200);
    drop(server);
    let path = dir
        .join("models/m")
        .join(novikoff_serve::log::segment_name(0));
    let mut command = Command::new("strace");
    let last = if lasts { "+" } else { "" };
    let inject = format!("inject={call}:error={error}:when={number}{last}");
    command
        .args(["-f", "-qq", "-o", "/dev/null", "-P"])
        .arg(&path)
        .args(["-e", &format!("trace={call}"), "-e", &inject]);
    command
        .arg(crate::common::BINARY)
        .args(["serve", "--listen", "127.0.0.1:0", "--dir"])
        .arg(&dir);
    let name = format!("{call} {error} {number}");
    let mut acknowledged = 1;
    match Server::spawn(command) {
        // it could not start: it says why, with the path
        Err(said) => assert!(said.contains("models/m"), "{name}: {said}"),
        Ok(mut server) => {
            let mut client = server.client();
            let (mut failed, mut refused) = (false, 0);
            for _ in 0..updates {
                let body = json!({"rows": [row(&mut random)]}).to_string();
                match client.request(
                    "POST",
                    "/v1/models/m/learn",
                    &[("content-type", "application/json")],
                    body.as_bytes(),
                ) {
                    Ok(reply) if reply.status == 200 => {
                        assert!(!failed, "{name}: acknowledged after a failure");
                        let seq = reply.json()["seq"].as_u64().unwrap();
                        assert_eq!(seq, acknowledged + 1, "{name}");
                        acknowledged = seq;
                    }
                    Ok(reply) if !lasts => {
                        assert_eq!(reply.status, 507, "{name}: {}", reply.text());
                        refused += 1;
                    }
                    _ => failed = true,
                }
                // a server that has failed answers nobody
                if failed && server.child.try_wait().unwrap().is_some() {
                    break;
                }
            }
            assert!(refused <= 1, "{name}: {refused} refused");
            if failed {
                assert_eq!(server.exit_code(), Some(1), "{name}");
                let said = server.said();
                assert!(said.contains("models/m"), "{name}: {said}");
            }
            server.kill();
        }
    }
    let server = Server::start(&dir, &[]);
    let seq = server.client().get("/v1/models/m").expect(200)["seq"]
        .as_u64()
        .unwrap();
    assert!(
        seq >= acknowledged && seq <= acknowledged + 1,
        "{name}: {acknowledged} acknowledged, {seq} there"
    );
}

/// Power cuts: a server on ext4 in a loop device, whose image is copied without a sync. Gives false where loop devices cannot be had.
fn power_cuts(folder: &Path, cuts: u64, done: &mut dyn FnMut()) -> bool {
    let run = |words: &[&str]| {
        Command::new(words[0])
            .args(&words[1..])
            .output()
            .is_ok_and(|out| out.status.success())
    };
    let (image, mount) = (folder.join("disk.img"), folder.join("disk"));
    let (copy, again) = (folder.join("copy.img"), folder.join("again"));
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (image, mount, copy, again) = (text(&image), text(&mount), text(&copy), text(&again));
    let made = run(&["truncate", "-s", "64M", &image])
        && run(&["mkfs.ext4", "-q", "-F", &image])
        && run(&["mkdir", "-p", &mount, &again])
        && run(&["mount", "-o", "loop,commit=60", &image, &mount]);
    if !made {
        return false;
    }
    let mut random = Random(99);
    let dir = Path::new(&mount).join("state");
    let words = [
        "--snapshot-rows",
        "400",
        "--segment-bytes",
        "50000",
        "--model",
        "m=perceptron",
    ];
    let mut server = Server::spawn(Server::command(&dir, &words)).unwrap();
    let acknowledged = Arc::new(AtomicU64::new(0));
    for cut in 0..cuts {
        let stop = Arc::new(AtomicBool::new(false));
        let threads: Vec<_> = (0..2)
            .map(|client| {
                let (stop, acknowledged, address) =
                    (Arc::clone(&stop), Arc::clone(&acknowledged), server.address);
                let mut random = Random(cut * 7 + client);
                std::thread::spawn(move || {
                    let mut client = Client::new(address);
                    while !stop.load(Ordering::Relaxed) {
                        let reply = client
                            .post("/v1/models/m/learn", &json!({"rows": [row(&mut random)]}))
                            .expect(200);
                        acknowledged.fetch_max(reply["seq"].as_u64().unwrap(), Ordering::SeqCst);
                    }
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(20 + random.below(150)));
        // everything acknowledged before the copy begins must be in it
        let before = acknowledged.load(Ordering::SeqCst);
        assert!(run(&["cp", "--sparse=always", &image, &copy]));
        stop.store(true, Ordering::Relaxed);
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        assert!(
            run(&["mount", "-o", "loop", &copy, &again]),
            "the copy cannot be mounted"
        );
        let recovered = Server::try_start(
            &Path::new(&again).join("state"),
            &["--listen", "127.0.0.1:0"],
        );
        let seq = recovered.map(|server| {
            server.client().get("/v1/models/m").expect(200)["seq"]
                .as_u64()
                .unwrap()
        });
        assert!(run(&["umount", &again]) || run(&["umount", "-l", &again]));
        match seq {
            Ok(seq) => assert!(
                seq >= before,
                "cut {cut}: {before} acknowledged, {seq} there"
            ),
            Err(said) => panic!("cut {cut}: {said}"),
        }
        done();
    }
    server.kill();
    let _ = run(&["umount", "-l", &mount]);
    true
}

/// What a campaign has reached, in a file.
struct Progress {
    path: PathBuf,
    reached: serde_json::Map<String, Value>,
}

impl Progress {
    fn load() -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("campaign-serve.json");
        let reached = std::fs::read(&path)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Progress {
            path,
            reached: reached.unwrap_or_default(),
        }
    }

    fn get(&self, name: &str) -> u64 {
        self.reached.get(name).and_then(Value::as_u64).unwrap_or(0)
    }

    fn add(&mut self, name: &str) {
        // parts of a campaign may run side by side
        self.reached = Progress::load().reached;
        let count = self.get(name) + 1;
        self.reached.insert(name.to_owned(), count.into());
        std::fs::write(&self.path, Value::Object(self.reached.clone()).to_string()).unwrap();
        println!("{name}: {count}");
    }
}

fn asked(name: &str) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

/// Kilobytes of memory that a server has.
fn resident(server: &Server) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let line = text.lines().find(|line| line.starts_with("VmRSS"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.unwrap().parse().unwrap()
}

/// Milliseconds of predictions, one after another: the 50th and the 99th of 100.
fn latencies(client: &mut Client, count: usize) -> (f64, f64) {
    let ask = json!({"rows": [{"features": {"a": 0.5, "b": -0.25, "city": "Oslo"}}]});
    let times = (0..count).map(|_| {
        let begun = Instant::now();
        // rows that wait for labels would take memory too
        client
            .post("/v1/models/m/predict?feedback=false", &ask)
            .expect(200);
        begun.elapsed().as_secs_f64() * 1e3
    });
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    (times[count / 2], times[count * 99 / 100])
}

/// Clients that send a byte of their headers per second, and come again when they are let go, for a minute; others are answered meanwhile.
fn slow_clients(folder: &Path, clients: usize) {
    let connections = (clients + 64).to_string();
    let words = ["--model", "m", "--connections", &connections];
    let server = Server::start(&folder.join("slow"), &words);
    let mut client = server.client();
    let mut random = Random(5);
    let rows: Vec<_> = (0..500).map(|_| row(&mut random)).collect();
    client
        .post("/v1/models/m/learn", &json!({"rows": rows}))
        .expect(200);
    let alone = latencies(&mut client, 5000);
    let before = resident(&server);
    let stop = Arc::new(AtomicBool::new(false));
    let slow = {
        let (stop, address) = (Arc::clone(&stop), server.address);
        std::thread::spawn(move || {
            let bytes = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: "
                .iter()
                .cycle();
            let connect = || std::net::TcpStream::connect(address).unwrap();
            let mut streams: Vec<_> = (0..clients).map(|_| connect()).collect();
            let (mut bytes, mut again) = (bytes, 0_u64);
            while !stop.load(Ordering::Relaxed) {
                let byte = *bytes.next().unwrap();
                for stream in &mut streams {
                    if std::io::Write::write_all(stream, &[byte]).is_err() {
                        (*stream, again) = (connect(), again + 1);
                    }
                }
                std::thread::sleep(Duration::from_secs(1));
            }
            again
        })
    };
    let begun = Instant::now();
    let (mut beside, mut most) = (Vec::new(), before);
    while begun.elapsed() < Duration::from_secs(60) {
        beside.push(latencies(&mut client, 1000));
        most = most.max(resident(&server));
    }
    stop.store(true, Ordering::Relaxed);
    let again = slow.join().unwrap();
    let worst = beside.iter().map(|(_, p99)| *p99).fold(0.0, f64::max);
    beside.sort_by(|a, b| a.1.total_cmp(&b.1));
    let middle = beside[beside.len() / 2];
    let each = (most - before) as f64 / clients as f64;
    println!(
        "slow: {clients} clients for a minute, who came again {again} times; predict alone p50 {:.3} ms, p99 {:.3} ms; beside them p50 {:.3} ms, p99 {:.3} ms (worst of {} thousands {worst:.3} ms); {each:.1} kB per connection",
        alone.0,
        alone.1,
        middle.0,
        middle.1,
        beside.len()
    );
    assert!(again > 0, "no slow client was let go");
    assert!(each < 64.0, "{each} kB per slow client");
}

/// A server under mixed load for some minutes: memory stays flat, no request fails.
fn soak(folder: &Path, minutes: u64) {
    let server = Server::start(
        &folder.join("soak"),
        &[
            "--model",
            "m",
            "--snapshot-rows",
            "20000",
            "--log-keep",
            "1000000",
            "--segment-bytes",
            "1000000",
            "--feedback-rows",
            "5000",
            "--request-ids",
            "1000",
        ],
    );
    let files = || {
        let list = std::fs::read_dir(format!("/proc/{}/fd", server.child.id()));
        list.unwrap().count()
    };
    let begun = Instant::now();
    let (mut random, mut client) = (Random(1), server.client());
    let (mut samples, mut requests) = (Vec::new(), 0_u64);
    while begun.elapsed() < Duration::from_secs(60 * minutes) {
        let rows: Vec<_> = (0..10).map(|_| row(&mut random)).collect();
        let body = json!({"id": format!("r{requests}"), "rows": rows});
        client.post("/v1/models/m/learn", &body).expect(200);
        let asked = client.post("/v1/models/m/predict", &json!({"rows": rows}));
        let id = asked.expect(200)["predictions"][0]["id"].clone();
        client
            .post("/v1/models/m/feedback", &json!({"id": id, "label": "yes"}))
            .expect(200);
        requests += 3;
        // a load that leaves the machine to others
        std::thread::sleep(Duration::from_millis(2));
        if begun.elapsed().as_secs() >= 10 * samples.len() as u64 {
            samples.push((resident(&server), files()));
            println!(
                "soak: {} s, {requests} requests, {} kB, {} descriptors",
                begun.elapsed().as_secs(),
                resident(&server),
                files()
            );
        }
    }
    // what is kept fills up in the first half
    let half = samples.len() / 2;
    let (then, now) = (samples[half].0, samples[samples.len() - 1].0);
    println!("soak: {requests} requests, {then} kB after half the time, {now} kB at the end");
    assert!(now <= then + 8 * 1024, "{samples:?}");
    assert!(
        samples[samples.len() - 1].1 <= samples[half].1 + 2,
        "{samples:?}"
    );
}

#[test]
#[ignore = "long: cargo xtask campaign serve"]
fn the_whole_campaign() {
    let folder = tempfile::tempdir().unwrap();
    // each part has a directory of its own
    let part = |name: &str| {
        let folder = folder.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    };
    let mut progress = Progress::load();
    let kills = asked("NOVIKOFF_KILLS");
    let mut killing = Kills::new(&part("kills"), 7 + progress.get("kills"));
    while progress.get("kills") < kills {
        let sync = ["always", "interval", "never"][(progress.get("kills") % 3) as usize];
        killing.kill_once(sync, 400);
        progress.add("kills");
    }
    println!(
        "kills: {} requests acknowledged in this run",
        killing.acknowledged()
    );
    let cuts = asked("NOVIKOFF_CUTS");
    if progress.get("cuts") < cuts {
        let left = cuts - progress.get("cuts");
        if !power_cuts(&part("cuts"), left, &mut || progress.add("cuts")) {
            println!("cuts: skipped, no loop device can be mounted here");
        }
    }
    while progress.get("calls") < asked("NOVIKOFF_CALLS") {
        let number = progress.get("calls") + 1;
        for call in CALLS {
            failing_call(200, call, number);
        }
        progress.add("calls");
    }
    let operations = asked("NOVIKOFF_OPERATIONS");
    if operations > 0 && progress.get("linearizable") == 0 {
        linearizable(&part("operations"), 8, operations);
        progress.add("linearizable");
    }
    let clients = asked("NOVIKOFF_SLOW");
    if clients > 0 && progress.get("slow") == 0 {
        slow_clients(&part("slow"), clients as usize);
        progress.add("slow");
    }
    let minutes = asked("NOVIKOFF_MINUTES");
    if minutes > progress.get("minutes") {
        // memory is flat in one process only, so this begins again
        soak(&part("soak"), minutes);
        (progress.get("minutes")..minutes).for_each(|_| progress.add("minutes"));
    }
}
