//! `novikoff convert`: the same rows in another format.

use std::io::{BufWriter, Write};
use std::path::Path;

use novikoff::names::Names;
use novikoff::rows::Block;
use novikoff::source::Source as _;
use novikoff_data::atomic::NewFile;
use novikoff_data::write::SvmlightWriter;

use crate::args::ConvertArgs;
use crate::error::Failure;
use crate::input::{self, Data, Reading};
use crate::job;
use crate::progress::Progress;
use crate::trace::publish;

pub(crate) fn convert(args: &ConvertArgs) -> Result<(), Failure> {
    let _ = args;
    Err("not yet".into())
}
