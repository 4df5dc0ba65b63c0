//! TLS by rustls, with a certificate and a key from files.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// What takes connections over TLS, from two PEM files.
pub fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, String> {
    let wrong = |path: &Path, what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let chain =
        CertificateDer::pem_file_iter(certificate).map_err(|error| wrong(certificate, &error))?;
    let chain: Result<Vec<_>, _> = chain.collect();
    let chain = chain.map_err(|error| wrong(certificate, &error))?;
    if chain.is_empty() {
        return Err(wrong(
            certificate,
            &"no certificate in the file; it must be PEM",
        ));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, &error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|error| wrong(certificate, &error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
