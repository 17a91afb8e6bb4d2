//! The READMEs of the crates are read on code hosts and in rustdoc, so they use what both know.

use std::{fs, path::Path};

use crate::layering::members;

/// Returns what only rustdoc would render: hidden lines of examples, and links to items.
fn foreign(text: &str) -> Vec<&str> {
    let mut in_rust = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            in_rust = !in_rust && line.starts_with("```rust");
        } else if in_rust {
            if line == "#" || line.starts_with("# ") {
                found.push(line);
            }
        } else if line.contains("[`") || line.split("](").skip(1).any(leads_to_an_item) {
            found.push(line);
        }
    }
    found
}

fn leads_to_an_item(rest: &str) -> bool {
    let target = rest.split(')').next().unwrap_or_default();
    !target.contains(['/', '.', '#'])
}

#[test]
fn they_read_the_same_everywhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut read = 0;
    for member in members() {
        let Ok(text) = fs::read_to_string(root.join(&member).join("README.md")) else {
            continue;
        };
        read += 1;
        assert_eq!(foreign(&text), Vec::<&str>::new(), "{member}");
        // A fence that names no language is Rust to rustdoc, and plain text to everybody else.
        let fences = text.lines().filter(|line| line.starts_with("```"));
        let bare = fences.step_by(2).filter(|fence| *fence == "```").count();
        assert_eq!(bare, 0, "{member} has code without a language");
    }
    assert_eq!(read, 4);
}

#[test]
fn what_only_rustdoc_knows_is_seen() {
    let text = "A [`Type`].\n[it](guide::it)\n[page](docs/it.md)\n```rust\n# let a = 1;\nlet b = 2;\n\
                #[test]\n```\n```sh\n# a comment\n```";
    assert_eq!(
        foreign(text),
        ["A [`Type`].", "[it](guide::it)", "# let a = 1;"]
    );
}
