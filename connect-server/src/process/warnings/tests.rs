//! Tests of the warnings.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use clap::Parser as _;
use tempfile::TempDir;

use super::*;
use crate::cli::{Arguments, Command};

/// The warnings of these flags, except the one about e-mail.
/// The data folder is the test's own.
fn warnings(folder: &TempDir, flags: &str) -> Vec<String> {
    let data = folder.path().to_str().unwrap();
    let words = ["connect-server", "serve", "--data", data];
    let words = words.into_iter().chain(flags.split_whitespace());
    let Command::Serve(options) = Arguments::try_parse_from(words).unwrap().command else {
        panic!("not `serve`");
    };
    let mut all = of(&options, false, ProcessInfo::default());
    assert!(all.pop().unwrap().contains("CONNECT_SMTP_URL"));
    all
}

/// A folder with rights for its owner alone.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    set_mode(&folder.path().into(), 0o700);
    folder
}

fn set_mode(path: &PathBuf, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_can_be_read_on_the_way_is_told() {
    let folder = folder();
    for (flags, word) in [
        ("", None),
        ("--listen 127.0.0.1:0 --insecure-http", None),
        (
            "--listen 0.0.0.0:0 --insecure-http",
            Some("tokens can be read on the way"),
        ),
        ("--trusted-proxy 10.0.0.7,fd00::1,10.1.0.0/16", None),
        (
            "--listen 0.0.0.0:0 --trusted-proxy 10.0.0.7,0.0.0.0/0",
            Some("the server trusts every machine in 0.0.0.0/0"),
        ),
        (
            "--trusted-proxy ::/0",
            Some("the server trusts every machine in ::/0"),
        ),
        (
            "--allow-networks 10.0.0.0/8",
            Some("images are downloaded from 10.0.0.0/8"),
        ),
        ("--trust-clock", Some("leave --trust-clock out")),
    ] {
        let told = warnings(&folder, flags);
        assert_eq!(told.len(), usize::from(word.is_some()), "{flags}: {told:?}");
        let has = |word| told.iter().any(|warning| warning.contains(word));
        assert!(word.is_none_or(has), "{flags}: {told:?}");
    }
}

#[test]
fn what_others_can_read_or_change_is_told() {
    let folder = folder();
    let data = folder.path().to_owned();
    let (images, key) = (data.join("pictures"), data.join("key.pem"));
    fs::create_dir(&images).unwrap();
    fs::write(&key, "").unwrap();
    let flags = format!(
        "--images {} --tls-cert x --tls-key {}",
        images.display(),
        key.display()
    );
    let elsewhere = format!("{flags} --storage redb:{}", data.join("store").display());
    for (flags, path, mode, word) in [
        (&flags, &data, 0o700, None),
        (
            &flags,
            &data,
            0o750,
            Some("other users can read the data folder"),
        ),
        (
            &flags,
            &data,
            0o701,
            Some("other users can read the data folder"),
        ),
        (&flags, &images, 0o755, None),
        (
            &flags,
            &images,
            0o775,
            Some("other users can write to the folder of images"),
        ),
        (&flags, &key, 0o640, None),
        (
            &flags,
            &key,
            0o644,
            Some("other users can read the private key"),
        ),
        (&elsewhere, &data, 0o755, None),
        (
            &elsewhere,
            &data,
            0o777,
            Some("other users can write to the folder around the store"),
        ),
    ] {
        for private in [&data, &images] {
            set_mode(private, 0o700);
        }
        set_mode(&key, 0o600);
        set_mode(path, mode);
        let told = warnings(&folder, flags);
        assert_eq!(
            told.len(),
            usize::from(word.is_some()),
            "{mode:o}: {told:?}"
        );
        let has = |word| told.iter().any(|warning| warning.contains(word));
        assert!(word.is_none_or(has), "{mode:o}: {told:?}");
    }
    set_mode(&data, 0o700);
}

#[test]
fn what_only_the_process_shows_is_told() {
    let words = ["connect-server", "serve", "--storage", "memory"];
    let Command::Serve(options) = Arguments::try_parse_from(words).unwrap().command else {
        panic!("not `serve`");
    };
    let careless = ProcessInfo {
        is_root: true,
        shows_password: true,
        shows_database: true,
        shows_token: true,
        shows_keys: true,
    };
    let told = of(&options, false, careless);
    let words = [
        "as root",
        "in memory",
        "--smtp-url",
        "CONNECT_METRICS_TOKEN",
        "CONNECT_SECRETS_KEY",
        "CONNECT_MAIL_FROM",
    ];
    assert_eq!(told.len(), words.len(), "{told:?}");
    for (told, word) in told.iter().zip(words) {
        assert!(told.contains(word), "{told}");
    }
    // The demo is for trials: it has nobody to write to, and may forget.
    assert_eq!(of(&options, true, ProcessInfo::default()), [""; 0]);
}

#[test]
fn what_can_be_read_on_the_way_to_a_database_is_told() {
    const VISIBLE: &str = "CONNECT_STORAGE";
    const READ: &str = "can be read and changed on the way";
    const UNSAID: &str = "does not ask for TLS";
    for (address, words) in [
        ("postgres://shop@localhost/shop", &[][..]),
        ("postgres://shop:s3cret@localhost/shop", &[VISIBLE]),
        ("postgres://localhost/shop?sslmode=disable", &[]),
        ("postgres://db.example/shop", &[UNSAID]),
        ("postgres://db.example/shop?sslmode=prefer", &[UNSAID]),
        ("postgres://db.example/shop?sslmode=require", &[]),
        (
            "postgres://db.example/shop?sslmode=verify-full&channel_binding=require",
            &[],
        ),
        (
            "postgres://shop:s3cret@db.example/shop?sslmode=disable",
            &[VISIBLE, READ],
        ),
    ] {
        let on_command_line = ProcessInfo {
            shows_database: true,
            ..ProcessInfo::default()
        };
        let told = of_store(&address.parse().unwrap(), on_command_line);
        assert_eq!(told.len(), words.len(), "{address}: {told:?}");
        for (told, word) in told.iter().zip(words) {
            assert!(told.contains(word), "{address}: {told}");
            assert!(!told.contains("s3cret"), "{told}");
        }
    }
}
