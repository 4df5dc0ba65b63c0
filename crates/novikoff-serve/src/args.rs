//! The words of the command line, and of the file that has the same keys.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Learns while it serves, and loses no acknowledged label.
#[derive(Parser)]
#[command(name = "novikoff-serve", version, args_override_self = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Answer and learn over HTTP
    Serve(Box<ServeArgs>),
    /// Look at the logs of a server that does not run
    #[command(subcommand)]
    Log(LogCommand),
}

/// When the disk must have a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SyncWord {
    /// Before it is acknowledged
    Always,
    /// Within a second
    Interval,
    /// When the system likes
    Never,
}

/// The words of `serve`. A file given with `--config` has the same keys.
#[derive(Args, Clone, Debug)]
#[command(args_override_self = true)]
pub struct ServeArgs {
    /// A TOML file with the same keys as these flags; flags win
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The directory of models and logs; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
    /// Make this model if it is not there, with the learner SPEC (auto); may be given several times
    #[arg(long, value_name = "NAME[=SPEC]")]
    pub model: Vec<String>,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8610", value_parser = address)]
    pub listen: SocketAddr,
    /// A file of bearer tokens, one `SCOPE TOKEN` per line; scopes are predict, learn and admin
    #[arg(long, value_name = "FILE")]
    pub tokens: Option<PathBuf>,
    /// The certificate for TLS, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// Its private key, PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Listen beyond this machine without TLS or tokens all the same
    #[arg(long)]
    pub insecure: bool,
    /// Another name that this server answers to (the header Host); may be given several times
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// When the disk must have a label
    #[arg(long, value_name = "WHEN", default_value = "always")]
    pub sync: SyncWord,
    /// Bytes of a segment of the log
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    pub segment_bytes: u64,
    /// Bytes of the log of a model that stay although snapshots have what they hold: a number, or `all`
    #[arg(long, value_name = "BYTES", default_value = "1073741824")]
    pub log_keep: String,
    /// Write a snapshot after this many rows
    #[arg(long, value_name = "ROWS", default_value_t = 200_000)]
    pub snapshot_rows: u64,
    /// Bytes of memory that a model may take
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30)]
    pub model_memory: u64,
    /// Bytes of memory that a certificate may take
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30)]
    pub certificate_memory: u64,
    /// Highest feature number allowed
    #[arg(long, value_name = "D", default_value_t = 10_000_000)]
    pub max_features: u32,
    /// The most models
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub max_models: usize,
    /// Requests to learn that wait per model; then 429
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub queue: usize,
    /// Request ids remembered per model
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub request_ids: usize,
    /// Predictions that wait for their labels, per model
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub feedback_rows: usize,
    /// Seconds that predictions wait for their labels
    #[arg(long, value_name = "SECONDS", default_value_t = 7 * 24 * 3600)]
    pub feedback_expiry: u64,
    /// Bytes of a body with rows
    #[arg(long, value_name = "BYTES", default_value_t = 8 << 20)]
    pub max_body: usize,
    /// Rows of a body
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub max_rows: usize,
    /// Bytes of memory that the rows of large bodies may take at a time; further ones wait, then 429
    #[arg(long, value_name = "BYTES", default_value_t = 512 << 20)]
    pub request_memory: u64,
    /// Bytes of an uploaded model file
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 20)]
    pub max_upload: usize,
    /// Bytes of the headers of a request
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 10)]
    pub max_header: usize,
    /// Connections; further ones wait
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub connections: usize,
    /// Seconds that headers may take
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub header_timeout: u64,
    /// Seconds that a connection may be idle between two requests
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub idle_timeout: u64,
    /// Seconds that a body may take, and that a client may leave an answer unread
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub timeout: u64,
    /// Seconds that requests may take to finish when the server stops
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub drain: u64,
    /// Requests per second; then 429
    #[arg(long, value_name = "N")]
    pub rate: Option<NonZeroU32>,
    /// How much is logged on stderr: error, warn, info, debug
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub log_level: tracing::Level,
    /// Log lines as JSON [default: where stderr is no terminal]
    #[arg(long)]
    pub log_json: bool,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "must be an IP address and a port, as in 127.0.0.1:8610 or [::1]:8610".to_owned()
    })
}

/// What to do with logs.
#[derive(Subcommand)]
pub enum LogCommand {
    /// Read every record and say what is there; exit 1 if something is wrong
    Check(LogArgs),
    /// Cut off what is damaged, and everything behind it; it is kept beside the log
    Repair(RepairArgs),
    /// Learn the log again: the same model, another learner, or a certificate
    Replay(ReplayArgs),
}

/// Which logs.
#[derive(Args)]
pub struct LogArgs {
    /// The directory of a server, or of one model
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// The model
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
}

/// The words of `log repair`.
#[derive(Args)]
pub struct RepairArgs {
    /// Which logs.
    #[command(flatten)]
    pub which: LogArgs,
    /// Do it; without this, only say what would be lost
    #[arg(long)]
    pub yes: bool,
}

/// The words of `log replay`.
#[derive(Args)]
pub struct ReplayArgs {
    /// Which log.
    #[command(flatten)]
    pub which: LogArgs,
    /// Another learner
    #[arg(short = 'a', long = "algorithm", value_name = "SPEC")]
    pub spec: Option<String>,
    /// Also find the certificate: quick or full
    #[arg(long, value_name = "EFFORT", num_args = 0..=1, default_missing_value = "full")]
    pub certify: Option<EffortWord>,
    /// Where the model file is written
    #[arg(short, long, value_name = "MODEL")]
    pub output: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// How hard to look for a comparator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EffortWord {
    /// One solve
    Quick,
    /// Until the bound is nearly the best
    Full,
}

/// The words of a command line, with those of the file that `--config` names before them, so that flags win.
pub fn with_config(words: Vec<String>) -> Result<Vec<String>, String> {
    let mut file = None;
    for (k, word) in words.iter().enumerate() {
        if word == "--config" {
            file = words.get(k + 1).cloned();
        } else if let Some(name) = word.strip_prefix("--config=") {
            file = Some(name.to_owned());
        }
    }
    let Some(file) = file else {
        return Ok(words);
    };
    let text = std::fs::read_to_string(&file)
        .map_err(|error| format!("{file}: cannot read it: {error}"))?;
    let more = config_words(&text).map_err(|what| format!("{file}: {what}"))?;
    let at = words
        .iter()
        .position(|word| word == "serve")
        .map_or(1, |at| at + 1)
        .min(words.len());
    let mut all = words;
    all.splice(at..at, more);
    Ok(all)
}

/// The keys of a file as flags.
pub fn config_words(text: &str) -> Result<Vec<String>, String> {
    let table: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| error.to_string())?;
    let mut words = Vec::new();
    for (key, value) in table {
        let flag = format!("--{}", key.replace('_', "-"));
        let values = match value {
            toml::Value::Array(list) => list,
            other => vec![other],
        };
        for value in values {
            match value {
                toml::Value::Boolean(true) => words.push(flag.clone()),
                toml::Value::Boolean(false) => {}
                toml::Value::String(text) => words.push(format!("{flag}={text}")),
                toml::Value::Integer(number) => words.push(format!("{flag}={number}")),
                _ => {
                    return Err(format!(
                        "{key}: must be a string, a whole number, true, false or a list of strings"
                    ));
                }
            }
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_file_are_flags_and_flags_win() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("serve.toml");
        std::fs::write(&path, "dir = \"state\"\nlisten = \"127.0.0.1:1\"\nmodel = [\"a\", \"b=arow\"]\nqueue = 7\ninsecure = true\n").expect("written");
        let config = format!("--config={}", path.display());
        let words = [
            "novikoff-serve",
            "serve",
            &config,
            "--listen",
            "127.0.0.1:2",
        ]
        .map(str::to_owned)
        .to_vec();
        let words = with_config(words).expect("words");
        let Command::Serve(args) = Cli::try_parse_from(words).expect("parsed").command else {
            panic!("serve")
        };
        assert_eq!(
            (args.listen.port(), args.queue, args.insecure),
            (2, 7, true)
        );
        assert_eq!(args.model, ["a", "b=arow"]);
        assert!(config_words("queue = 1.5").is_err() && config_words("=").is_err());
    }

    #[test]
    fn flags_are_sound() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }
}
