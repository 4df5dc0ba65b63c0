//! `novikoff certify --check`.
use crate::args::CertifyArgs;
use crate::error::Failure;
pub(crate) fn check(_args: &CertifyArgs, _file: &std::path::Path) -> Result<(), Failure> {
    Err("not yet".into())
}
