//! Files of a certificate and its key with which a server does not start, and what it says.

use std::{fs, path::Path};

use connect_server::net::{self, TlsFiles};
use rcgen::{CertificateParams, KeyPair, date_time_ymd};

use super::start::Certificate;

/// An RSA key of 1024 bits, and its certificate.
const WEAK: &str = include_str!("tls_files/weak.pem");
const WEAK_KEY: &str = include_str!("tls_files/weak-key.pem");

/// Keys that a passphrase opens, in the form of today and in that of old.
const ENCRYPTED: &str = include_str!("tls_files/encrypted.pem");
const ENCRYPTED_OLD: &str = include_str!("tls_files/encrypted-old.pem");

/// A certificate that is valid between the beginnings of these years, and its key.
fn valid(from: i32, to: i32) -> (String, String) {
    let mut certificate = CertificateParams::new(["localhost".to_owned()]).unwrap();
    certificate.not_before = date_time_ymd(from, 1, 1);
    certificate.not_after = date_time_ymd(to, 1, 1);
    let key = KeyPair::generate().unwrap();
    (
        certificate.self_signed(&key).unwrap().pem(),
        key.serialize_pem(),
    )
}

/// Holds that a server with these files does not start, and names a file and its problem.
fn refuses(certificates: &Path, key: &Path, named: &Path, problem: &str) {
    let tls = TlsFiles {
        certificates: certificates.to_owned(),
        key: key.to_owned(),
    };
    let error = net::Certificate::read(tls)
        .expect_err("cannot be used")
        .to_string();
    assert!(error.contains(&named.display().to_string()), "{error}");
    assert!(error.contains(problem), "{problem}: {error}");
}

#[test]
fn files_without_what_they_should_have_are_named() {
    let (good, other) = (Certificate::new("localhost"), Certificate::new("localhost"));
    let write = |name: &str, content: &str| {
        fs::write(good.file(name), content).expect("writes");
        good.file(name)
    };
    let empty = write("empty.pem", "\n");
    let text = write("text.pem", "certificate goes here");
    let torn = write("torn.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n");
    let noise = write(
        "noise.pem",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    );
    let none = good.file("none.pem");
    let (cert, key) = (good.file("cert.pem"), good.file("key.pem"));
    let other_key = other.file("key.pem");
    for (certificates, key, named, problem) in [
        (&none, &key, &none, "No such file"),
        (&empty, &key, &empty, "it is empty"),
        (&text, &key, &text, "no certificate in PEM form"),
        (&key, &key, &key, "which --tls-key takes"),
        (&torn, &key, &torn, "not valid PEM"),
        (&noise, &key, &noise, "cannot be used"),
        (&cert, &none, &none, "No such file"),
        (&cert, &empty, &empty, "it is empty"),
        (&cert, &text, &text, "no private key in PEM form"),
        (&cert, &cert, &cert, "which --tls-cert takes"),
        (&cert, &other_key, &other_key, "does not belong"),
    ] {
        refuses(certificates, key, named, problem);
    }
}

#[test]
fn keys_and_certificates_that_no_client_takes_are_named() {
    let good = Certificate::new("localhost");
    let write = |name: &str, content: &str| {
        fs::write(good.file(name), content).expect("writes");
        good.file(name)
    };
    let pair = |name: &str, (certificate, key): (String, String)| {
        let certificate = write(&format!("{name}.pem"), &certificate);
        (certificate, write(&format!("{name}-key.pem"), &key))
    };
    let (cert, key) = (good.file("cert.pem"), good.file("key.pem"));
    let encrypted = write("encrypted.pem", ENCRYPTED);
    let encrypted_old = write("encrypted-old.pem", ENCRYPTED_OLD);
    let (weak, weak_key) = pair("weak", (WEAK.to_owned(), WEAK_KEY.to_owned()));
    let (past, past_key) = pair("past", valid(2000, 2020));
    let (future, future_key) = pair("future", valid(4000, 4001));
    let (issuer, _) = valid(2000, 4000);
    let reversed = write("reversed.pem", &format!("{issuer}{}", good.pem));
    for (certificates, key, named, problem) in [
        (&cert, &encrypted, &encrypted, "encrypted"),
        (&cert, &encrypted_old, &encrypted_old, "encrypted"),
        (&weak, &weak_key, &weak, "RSA with 1024 bits"),
        (&cert, &weak_key, &weak_key, "RSA with 2048 to 4096 bits"),
        (&past, &past_key, &past, "has expired"),
        (&future, &future_key, &future, "not valid yet"),
        (&reversed, &key, &reversed, "wrong order"),
    ] {
        refuses(certificates, key, named, problem);
    }
}
