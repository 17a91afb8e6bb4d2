//! The private key of the server, and the problems of a file without one.

use std::{fs, path::Path};

use rustls::pki_types::{
    CertificateDer, PrivateKeyDer,
    pem::{Error, PemObject as _},
};

/// Reads the key in a file.
/// The error names the next step, and nothing of the content.
pub(super) fn read(path: &Path) -> Result<PrivateKeyDer<'static>, String> {
    let pem = fs::read(path).map_err(|error| error.to_string())?;
    PrivateKeyDer::from_pem_slice(&pem).map_err(|error| problem(&pem, &error).to_owned())
}

fn problem(pem: &[u8], error: &Error) -> &'static str {
    if pem.trim_ascii().is_empty() {
        return "it is empty; it should have the private key in PEM form";
    }
    if is_encrypted(pem) {
        return "the key is encrypted, and the server cannot enter a passphrase; write it without \
                one with `openssl pkey`, into a file that only the server's user can read";
    }
    match error {
        Error::NoItemsFound if CertificateDer::from_pem_slice(pem).is_ok() => {
            "no private key in it, but a certificate, which --tls-cert takes"
        }
        Error::NoItemsFound => "no private key in PEM form in it",
        _ => "it is not valid PEM",
    }
}

/// Returns whether a key is encrypted, in the current or the old form.
fn is_encrypted(pem: &[u8]) -> bool {
    let text = String::from_utf8_lossy(pem);
    text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
}
