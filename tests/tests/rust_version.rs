//! The minimum Rust of the crates that others build: no dependency of theirs needs a later one.
//!
//! `tests/install/crates` builds with the minimum itself where it is installed. What of the standard
//! library is later than it is refused by clippy's `incompatible_msrv`, which reads the same
//! `rust-version`.

use std::{collections::BTreeMap, process::Command};

use serde_json::Value;

/// The crates that are built with other people's Rust, and their features.
/// redb needs a later one, as the README of the core says.
const PUBLISHED: [(&str, &str); 3] = [
    ("connect-client", "--all-features"),
    (
        "connect-core",
        "--features conformance,postgres,schema,sled",
    ),
    ("connect-webhook-verify", "--all-features"),
];

/// Runs a tool in the workspace.
fn run(program: &str, arguments: &str) -> String {
    let output = Command::new(program)
        .args(arguments.split(' '))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// A version of Rust, which may have no third part.
fn version(text: &str) -> (u32, u32) {
    let mut parts = text.split('.').map(|part| part.parse().unwrap());
    (parts.next().unwrap(), parts.next().unwrap_or(0))
}

#[test]
fn no_dependency_needs_a_later_rust() {
    let about = run("rustc", "-vV");
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.unwrap();
    let metadata = format!("metadata --locked --format-version 1 --filter-platform {host}");
    let metadata = run(env!("CARGO"), &metadata);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let needs: BTreeMap<_, _> = packages
        .iter()
        .filter_map(|package| {
            let (name, version) = (package["name"].as_str()?, package["version"].as_str()?);
            let need = package["rust_version"].as_str()?;
            Some((format!("{name} v{version}"), need))
        })
        .collect();
    for (name, features) in PUBLISHED {
        let tree = format!("tree --locked -p {name} {features} -e normal,build --prefix none");
        let tree = run(env!("CARGO"), &tree);
        // The name and the version; paths and marks follow.
        let tree = tree.lines().map(|line| {
            let mut words = line.split(' ');
            format!(
                "{} {}",
                words.next().unwrap(),
                words.next().unwrap_or_default()
            )
        });
        let mut tree = tree.filter_map(|package| Some((needs.get(&package)?, package)));
        // The first line is the crate itself.
        let (own, crate_itself) = tree.next().unwrap();
        assert!(crate_itself.starts_with(name), "{crate_itself}");
        let later: Vec<_> = tree
            .filter(|(need, _)| version(need) > version(own))
            .collect();
        assert!(later.is_empty(), "{name} says Rust {own}, but {later:?}");
    }
}
