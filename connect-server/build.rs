//! Finds out of which commit the program is, for `connect-server --version`.
//!
//! `CONNECT_COMMIT` says so where there is no repository, as in a container. Else it is in the file that cargo
//! puts into a packed crate, or git knows it. None of them has to be there.

use std::{env, fs, path::Path, process::Command};

/// The digits of a commit that are shown.
const DIGITS: usize = 12;

fn main() {
    println!("cargo::rerun-if-env-changed=CONNECT_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let found = given()
        .or_else(|| packed(Path::new(&folder)))
        .or_else(|| of_git(Path::new(&folder)));
    let source = found.unwrap_or_else(|| "unknown commit".to_owned());
    println!("cargo::rustc-env=CONNECT_SOURCE={source}");
}

/// The commit that whoever builds has set.
fn given() -> Option<String> {
    shown(&env::var("CONNECT_COMMIT").ok()?)
}

/// The commit from which the crate was packed.
fn packed(folder: &Path) -> Option<String> {
    let info = fs::read_to_string(folder.join(".cargo_vcs_info.json")).ok()?;
    let (_, rest) = info.split_once("\"sha1\"")?;
    shown(rest.split('"').nth(1)?)
}

/// The commit that is checked out, and whether files differ from it.
fn of_git(folder: &Path) -> Option<String> {
    // While somebody develops, each commit would build everything again.
    if env::var("PROFILE").as_deref() != Ok("release") {
        return Some("development build".to_owned());
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .current_dir(folder)
            .args(arguments)
            .output();
        let output = output.ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    };
    // The sources may lie in the repository of something else.
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    let commit = shown(git(&["rev-parse", "HEAD"])?.trim())?;
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    for changed in [log.trim(), "src", "../connect-core/src", "../Cargo.lock"] {
        if folder.join(changed).exists() {
            println!("cargo::rerun-if-changed={changed}");
        }
    }
    let modified = git(&["status", "--porcelain", "--untracked-files=no"])?;
    let note = if modified.is_empty() {
        ""
    } else {
        ", modified"
    };
    Some(format!("{commit}{note}"))
}

/// The first digits of a commit; none of what is no commit.
fn shown(commit: &str) -> Option<String> {
    let is_commit = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then(|| commit.chars().take(DIGITS).collect())
}
