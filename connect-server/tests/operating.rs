//! The operator's pages are true: the table of settings is that of the command line, and they have every
//! line of the log that an operator should act on. The files of `deploy` name what is there.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use clap::{Arg, CommandFactory as _};
use connect_server::cli::Arguments;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).unwrap()
}

/// A setting in the words of the guide: its flag with the name of its value, its variable and its
/// default.
type Setting = (String, String, String);

/// The rows of a table whose first cell is code and begins with this, cell by cell.
fn rows<'g>(guide: &'g str, begins: &'static str) -> impl Iterator<Item = Vec<&'g str>> {
    let begins = move |line: &&str| line.starts_with("| `") && line[3..].starts_with(begins);
    guide.lines().filter(begins).map(|line| {
        let cells = line.trim_matches('|').split(" | ");
        cells.map(|cell| cell.trim().trim_matches('`')).collect()
    })
}

/// The settings of `serve`, by flag.
fn settings() -> BTreeMap<String, Setting> {
    let mut command = Arguments::command();
    // Defaults of switches are known from then on.
    command.build();
    let serve = command.find_subcommand("serve").unwrap();
    let all = serve.get_arguments();
    let is_setting = |argument: &&Arg| !matches!(argument.get_id().as_str(), "help" | "version");
    all.filter(is_setting)
        .map(|argument| {
            let flag = format!("--{}", argument.get_long().unwrap());
            let value = argument.get_action().takes_values().then(|| {
                let names = argument.get_value_names().unwrap();
                format!(" {}", names[0])
            });
            let shown = format!("{flag}{}", value.unwrap_or_default());
            let variable = argument.get_env().map(|name| name.to_str().unwrap());
            let default = argument.get_default_values().first();
            let default = default.map(|value| value.to_str().unwrap().to_owned());
            let setting = (
                shown,
                variable.unwrap_or("none").to_owned(),
                default.unwrap_or_default(),
            );
            (flag, setting)
        })
        .collect()
}

#[test]
fn every_setting_is_in_the_table_with_its_variable_and_its_default() {
    let guide = page("settings.md");
    let mut rows: BTreeMap<_, _> = rows(&guide, "--")
        .map(|cells| (cells[0].split(' ').next().unwrap().to_owned(), cells))
        .collect();
    let settings = settings();
    assert!(settings.len() > 20, "{settings:?}");
    for (flag, (shown, variable, default)) in settings {
        let row = rows.remove(&flag);
        let row = row.unwrap_or_else(|| panic!("{flag} is not in the guide"));
        assert_eq!(row[..2], [shown, variable], "{flag}");
        // Where clap knows of no default, the guide says what is done then.
        let known = match &*default {
            "false" => "off",
            "" => row[2],
            known => known,
        };
        assert_eq!(row[2], known, "{flag}");
        assert!(row[3].ends_with('.'), "{flag} has no meaning");
    }
    assert!(rows.is_empty(), "the guide has others: {rows:?}");
}

#[test]
fn every_setting_is_in_the_file_of_settings_with_its_default_and_its_meaning() {
    let file = deploy("connect.env");
    let lines: Vec<_> = file.lines().collect();
    let mut told = BTreeMap::new();
    for pair in lines.windows(2) {
        let setting = pair[1]
            .strip_prefix('#')
            .filter(|line| line.starts_with("CONNECT_"));
        if let Some((variable, value)) = setting.and_then(|line| line.split_once('=')) {
            assert!(pair[0].starts_with("# "), "{variable} has no meaning");
            assert!(pair[0].ends_with('.'), "{variable} has no meaning");
            told.insert(variable, value);
        } else {
            assert!(
                pair[1].is_empty() || pair[1].starts_with('#'),
                "{} is set",
                pair[1]
            );
        }
    }
    for (flag, (_, variable, default)) in settings() {
        if variable == "none" {
            continue;
        }
        let value = told.remove(&*variable);
        let value = value.unwrap_or_else(|| panic!("{flag} is not in the file"));
        // Where clap knows of no default, the file has an example.
        let known = match &*default {
            "false" => "off",
            "" => value,
            known => known,
        };
        assert_eq!(value, known, "{flag}");
    }
    let kept = told.remove(KEPT).unwrap();
    assert!(deploy("backup").contains(&format!("{{{KEPT}:-{kept}}}")));
    assert!(told.is_empty(), "the file has others: {told:?}");
}

#[test]
fn the_variable_of_a_flag_has_its_name() {
    for (flag, (_, variable, _)) in settings() {
        // One that stays set would make every restored copy deliver.
        if flag == "--deliveries" {
            assert_eq!(variable, "none");
            continue;
        }
        let name = flag.trim_start_matches('-').replace('-', "_");
        assert_eq!(variable, format!("CONNECT_{}", name.to_uppercase()));
    }
    let secrets = [
        "--smtp-url",
        "--metrics-token",
        "--storage",
        "--secrets-key",
    ];
    let command = Arguments::command();
    let serve = command.find_subcommand("serve").unwrap();
    for argument in serve.get_arguments() {
        let flag = format!("--{}", argument.get_long().unwrap_or_default());
        let is_secret = secrets.contains(&&*flag);
        assert_eq!(argument.is_hide_env_values_set(), is_secret, "{flag}");
    }
}

/// The setting of the backups by a timer, unknown to the server.
const KEPT: &str = "CONNECT_BACKUPS_KEPT";

fn deploy(name: &str) -> String {
    fs::read_to_string(root().join("deploy").join(name)).unwrap()
}

/// The words of a text that begin like this, without what may be around them.
fn words<'t>(text: &'t str, begins: &'static str) -> impl Iterator<Item = &'t str> {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && !"/_.".contains(c);
    let words = text.split(is_end).map(|word| word.trim_end_matches('.'));
    words.filter(move |word| word.starts_with(begins))
}

#[test]
fn the_guide_and_the_files_of_deploy_name_what_is_there() {
    let guide = page("operating.md");
    let named: BTreeSet<_> = words(&guide, "deploy/").collect();
    assert!(named.len() > 3, "{named:?}");
    for path in named {
        assert!(root().join(path).exists(), "{path}");
    }
    let settings = settings();
    let mut known: BTreeSet<_> = settings
        .values()
        .map(|(_, name, _)| name.as_str())
        .collect();
    // That of the build.
    let commit = "CONNECT_COMMIT";
    assert!(include_str!("../build.rs").contains(commit));
    known.extend([commit, KEPT]);
    for file in ["Containerfile", "connect.env", "connect.service", "backup"] {
        let text = deploy(file);
        let named: BTreeSet<_> = words(&text, "CONNECT_").collect();
        assert!(!named.is_empty(), "{file}");
        let others: Vec<_> = named.difference(&known).collect();
        assert!(others.is_empty(), "{file} has {others:?}");
    }
}

/// The texts of the warnings and errors that a source logs. What is filled in is an ellipsis.
fn logged(source: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for macro_name in ["tracing::warn!(", "tracing::error!("] {
        for rest in source.split(macro_name).skip(1) {
            texts.extend(last_text(rest).map(|text| filled(&text)));
        }
    }
    texts
}

/// The last string literal in front of the parenthesis that closes a call.
fn last_text(call: &str) -> Option<String> {
    let (mut depth, mut last) = (1, None);
    let mut characters = call.chars();
    while depth > 0 {
        match characters.next()? {
            '(' => depth += 1,
            ')' => depth -= 1,
            '"' => {
                let mut text = String::new();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '\\' => match characters.next()? {
                            // A line that goes on after the blanks.
                            '\n' => {
                                let rest = characters.as_str().trim_start();
                                characters = rest.chars();
                            }
                            escaped => text.push(escaped),
                        },
                        character => text.push(character),
                    }
                }
                last = Some(text);
            }
            _ => {}
        }
    }
    last
}

fn filled(text: &str) -> String {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        filled.push_str("...");
        filled.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    filled
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_line_of_the_log_to_act_on_is_in_the_guide() {
    let mut files = Vec::new();
    for room in ["connect-core/src", "connect-server/src"] {
        sources(&root().join(room), &mut files);
    }
    let mut written = BTreeSet::new();
    for file in files {
        written.extend(logged(&fs::read_to_string(file).unwrap()));
    }
    // The warnings at the start say themselves what to do.
    assert!(
        written.remove("..."),
        "the warnings at the start are logged"
    );
    let guide = page("monitoring.md");
    let (_, table) = guide.split_once("| line | do |").unwrap();
    let told: BTreeSet<_> = rows(table, "").map(|cells| cells[0].to_owned()).collect();
    let missing: Vec<_> = written.difference(&told).collect();
    assert!(missing.is_empty(), "the guide does not have {missing:#?}");
    let gone: Vec<_> = told.difference(&written).collect();
    assert!(gone.is_empty(), "nothing logs {gone:#?}");
    assert!(written.len() > 40, "only {} were found", written.len());
}

#[test]
fn the_texts_of_logs_are_found() {
    let source = "tracing::warn!(path = f(\"x\"), %error, \"one \\\n    {a:?} two\"); \
                  tracing::info!(\"not this\"); x => tracing::error!(\"an \\\"end\\\"\"),";
    assert_eq!(logged(source), ["one ... two", "an \"end\""]);
}
