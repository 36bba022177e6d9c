//! TLS towards a receiver: its certificate is checked against the authorities that this host trusts.
use std::sync::Arc;
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::CertificateDer},
};

/// Why nothing can be sent with TLS.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// No authority is trusted here, so no certificate could be checked.
    #[error("this host has no certificates of authorities, so no receiver can be checked")]
    NoRoots,
    /// The name of the host is none that a certificate can have.
    #[error("`{0}` is no name of a host")]
    Name(String),
    /// The library refuses.
    #[error("TLS cannot be used: {0}")]
    Library(String),
}

/// With the authorities of this host: those of `SSL_CERT_FILE` or `SSL_CERT_DIR` where that is set, otherwise those
/// of the usual places of distributions.
pub(crate) fn connector() -> Result<TlsConnector, TlsError> {
    trusting(rustls_native_certs::load_native_certs().certs)
}

/// With these authorities.
pub(crate) fn trusting(
    authorities: impl IntoIterator<Item = CertificateDer<'static>>,
) -> Result<TlsConnector, TlsError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(authorities);
    if roots.is_empty() {
        return Err(TlsError::NoRoots);
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|it| TlsError::Library(it.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
