//! The READMEs of the crates are read on code hosts and in rustdoc, so they use what both know.

use std::{fs, path::Path};

use crate::layering::members;

/// Returns what only one of the two would render: hidden lines of examples, links to items, and links to
/// files outside of the crate.
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
        } else if line.contains("[`") || targets(line).any(|to| is_an_item(to) || is_outside(to)) {
            found.push(line);
        }
    }
    found
}

/// The targets of the links of a line, and of a definition of a link.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let inline = line.split("](").skip(1);
    let inline = inline.map(|rest| rest.split(')').next().unwrap_or_default());
    let defined = line.split_once("]: ").filter(|_| line.starts_with('['));
    inline.chain(defined.map(|(_, target)| target))
}

fn is_an_item(target: &str) -> bool {
    !target.contains(['/', '.', '#'])
}

/// The page of rustdoc lies elsewhere, so a path from the README leads nowhere there.
fn is_outside(target: &str) -> bool {
    target.starts_with("../")
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
    assert_eq!(read, 5);
}

#[test]
fn what_only_one_of_them_knows_is_seen() {
    let text = "A [`Type`].\n[it](guide::it)\n[page](docs/it.md)\n[up](../docs/it.md)\n\
                [up]: ../it.md\n[page]: docs/it.md\n```rust\n# let a = 1;\nlet b = 2;\n\
                #[test]\n```\n```sh\n# a comment\n```";
    assert_eq!(
        foreign(text),
        [
            "A [`Type`].",
            "[it](guide::it)",
            "[up](../docs/it.md)",
            "[up]: ../it.md",
            "# let a = 1;"
        ]
    );
}

/// The threat model names the test behind each line, and the tests are there.
#[test]
fn every_test_behind_a_threat_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let named: Vec<_> = (page.split('`').filter_map(|word| word.split_once(".rs::"))).collect();
    assert!(named.len() > 80, "only {} tests are named", named.len());
    for (file, test) in named {
        let text = fs::read_to_string(root.join(format!("{file}.rs")));
        let text = text.unwrap_or_else(|error| panic!("{file}.rs: {error}"));
        // A test of each store is a function with the shop.
        let is_there = [format!("fn {test}("), format!("on_each_store!({test})")];
        assert!(
            is_there.iter().any(|form| text.contains(form)),
            "{file}.rs has no test {test}"
        );
    }
}
