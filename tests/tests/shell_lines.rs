//! The requests that the guides send with curl are requests of the API: the shell reads their blocks, with
//! a function in place of curl that says what it was told, and the documents have what that asks for.

use std::{fs, path::Path, process::Command};

use connect_tests::{check::Checker, document::Document};
use serde_json::Value;

/// The functions that stand in for programs, and the variables that the guides take as set.
const PRELUDE: &str = "set -eu
curl() { for word; do printf '%s\\037' \"$word\"; done; printf '\\036'; }
uuidgen() { echo key-1; }
cargo() { :; }
CONNECT_URL=/v1 CONNECT_TOKEN=token SCREEN_KEY=key
LOCATION=01a1fc9e-01a2-76b5-b4d8-c806ea5ced26 CONNECT_LOCATION=$LOCATION PRODUCT=$LOCATION
";

/// A request as a call of curl asks for it.
#[derive(Debug)]
struct Request {
    method: String,
    /// The path, from that of the API on.
    path: String,
    query: Vec<String>,
    body: Option<Value>,
}

impl Request {
    fn of(words: &[&str]) -> Self {
        let behind = |flag: &'static str| {
            let pairs = words.windows(2).filter(move |pair| pair[0] == flag);
            pairs.map(|pair| pair[1])
        };
        let url = words.iter().find_map(|word| {
            let start = word.find("/device/v1/").or_else(|| word.find("/v1/"))?;
            Some(&word[start..])
        });
        let url = url.unwrap_or_else(|| panic!("no address in {words:?}"));
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let body = behind("-d").next();
        let method = behind("-X").next();
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        Self {
            method: method.unwrap_or(body.map_or("GET", |_| "POST")).to_owned(),
            path: path.to_owned(),
            query: pairs
                .chain(behind("--data-urlencode"))
                .map(|pair| pair.split('=').next().unwrap().to_owned())
                .collect(),
            body: body.map(|body| serde_json::from_str(body).unwrap()),
        }
    }

    /// The things in it that the document of its API does not have.
    fn faults(&self) -> Vec<String> {
        let document = match self.path.starts_with("/device/") {
            true => Document::device(),
            false => Document::v1(),
        };
        let path = document.find(&self.path[document.base().len()..]);
        let operation = path.and_then(|path| path.operation(&self.method));
        let (Some(path), Some(operation)) = (path, operation) else {
            return vec![format!("there is no {} {}", self.method, self.path)];
        };
        let known = path.parameters(document, operation);
        let is_known = |name: &str| {
            known
                .iter()
                .any(|it| it["in"] == "query" && it["name"] == name)
        };
        let unknown = self.query.iter().filter(|name| !is_known(name));
        let mut faults: Vec<_> = unknown.map(|name| format!("no parameter {name}")).collect();
        let checker = Checker::of(&self.path);
        match (checker.request_schema(&self.method, &self.path), &self.body) {
            (Some(schema), Some(body)) => faults.extend(checker.schema_faults(schema, body)),
            (None, None) => {}
            (schema, _) => faults.push(format!("a body is wanted: {}", schema.is_some())),
        }
        faults
    }
}

/// The requests of a text in Markdown, in the order in which they stand.
fn requests(text: &str) -> Vec<Request> {
    let mut script = PRELUDE.to_owned();
    for block in text.split("```sh\n").skip(1) {
        let (block, _) = block.split_once("```").unwrap();
        let calls = ["curl ", "send ", "get "];
        let mut lines = block.lines();
        if lines.any(|line| line.contains("curl ") || calls.iter().any(|it| line.starts_with(it))) {
            script += block;
        }
    }
    let shell = Command::new("sh").arg("-c").arg(&script).output().unwrap();
    assert!(shell.status.success(), "{shell:?}");
    let told = String::from_utf8(shell.stdout).unwrap();
    let calls = told.split_terminator('\u{1e}');
    // The sandbox has no document; its own tests send what the guides do.
    calls
        .filter(|call| !call.contains("/sandbox/v1/"))
        .map(|call| Request::of(&call.split_terminator('\u{1f}').collect::<Vec<_>>()))
        .collect()
}

#[test]
fn what_the_guides_send_is_in_the_documents() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut pages = vec![root.join("README.md")];
    let guides = fs::read_dir(root.join("docs")).unwrap();
    // The pages of `design` send nothing.
    let guides = guides.map(|page| page.unwrap().path());
    pages.extend(guides.filter(|page| page.is_file()));
    let mut sent = 0;
    for page in pages {
        for request in requests(&fs::read_to_string(&page).unwrap()) {
            let faults = request.faults();
            assert_eq!(
                faults,
                Vec::<String>::new(),
                "{}: {request:?}",
                page.display()
            );
            sent += 1;
        }
    }
    assert!(sent >= 21, "only {sent} requests were found");
}

#[test]
fn what_is_not_in_them_is_seen() {
    let text = "```sh\nget() { curl \"$CONNECT_URL/locations/$LOCATION/$1\"; }\nget 'products?limit=1&colour=2'\n\
                get tables\ncurl -X PUT -d '{ \"quantity\": \"1\" }' $CONNECT_URL/locations/$LOCATION/stock/1\n\
                curl -d '{ \"title\": 1 }' $CONNECT_URL/locations/$LOCATION/products\n```\n";
    let faults: Vec<_> = requests(text).iter().map(Request::faults).collect();
    assert_eq!(faults[0], ["no parameter colour"]);
    assert!(faults[1][0].starts_with("there is no GET "), "{faults:?}");
    assert!(
        faults[2..].iter().all(|faults| !faults.is_empty()),
        "{faults:?}"
    );
    assert_eq!(faults.len(), 4);
}

/// The blocks of shell lines of a text, with the script named before each.
fn commands(text: &str) -> Vec<(&str, Option<&str>)> {
    let mut found = Vec::new();
    let mut before = text;
    while let Some((head, rest)) = before.split_once("```sh\n") {
        let (block, rest) = rest.split_once("```").unwrap();
        let comment = head.trim_end().lines().next_back().unwrap_or_default();
        let script = comment.trim().strip_prefix("<!-- run by ");
        found.push((block, script.and_then(|script| script.strip_suffix(" -->"))));
        before = rest;
    }
    found
}

/// A script takes the block from the guide by a part of it, in calls of its function `guide`.
fn takes(script: &str, block: &str) -> bool {
    let parts = script.split("$(guide '").skip(1);
    let mut parts = parts.filter_map(|rest| rest.split('\'').next());
    parts.any(|part| block.contains(part))
}

/// `tests/install/guide` runs every block of the guide that no comment gives to another script.
#[test]
fn every_command_of_the_operators_guide_is_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let gate = read(".ci/run");
    let guide = read("docs/operating.md");
    let mut run_elsewhere = 0;
    for (block, script) in commands(&guide) {
        if let Some(script) = script {
            assert!(takes(&read(script), block), "{script} does not run {block}");
            run_elsewhere += 1;
        }
        let script = script.unwrap_or("tests/install/guide");
        assert!(gate.contains(&format!("\n{script}\n")), "{script}");
    }
    assert_eq!(run_elsewhere, guide.matches("<!-- run by ").count());
    for page in ["docs/settings.md", "docs/monitoring.md"] {
        assert_eq!(commands(&read(page)), [], "{page}: no script runs these");
    }
}

#[test]
fn a_command_without_a_script_is_seen() {
    let text = "<!-- run by a -->\n```sh\nx run\n```\nb\n   ```sh\n   y\n   ```\n";
    let found = commands(text);
    assert_eq!(found, [("x run\n", Some("a")), ("   y\n   ", None)]);
    assert!(takes("eval \"$(guide 'x run')\"", found[0].0));
    assert!(!takes("x run; eval \"$(guide 'y')\"", found[0].0));
}
