//! Holds the sources of the pages against the files of messages.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use fluent_bundle::FluentResource;

use super::*;

/// The variables and elements of each message of a file, by id.
fn of_file(file: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut id = String::new();
    for line in file.lines() {
        let is_first = line.starts_with(|first: char| first.is_ascii_lowercase());
        if is_first && let Some((name, _)) = line.split_once(" =") {
            name.clone_into(&mut id);
            assert!(!found.contains_key(&id), "{id} is there twice");
            found.insert(id.clone(), BTreeSet::new());
        }
        if line.starts_with('#') || id.is_empty() {
            continue;
        }
        let names = found.entry(id.clone()).or_default();
        names.extend(words_after(line, "$"));
        names.extend(words_after(line, "<"));
    }
    found
}

/// The words of a text that stand behind a mark.
fn words_after(text: &str, mark: &str) -> Vec<String> {
    let parts = text.split(mark).skip(1);
    let is_word = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
    let words = parts.map(|part| part.chars().take_while(is_word).collect::<String>());
    words.filter(|word| !word.is_empty()).collect()
}

/// The text of each source in a folder but its tests.
pub(super) fn sources(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found = Vec::new();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim().starts_with("//"));
            found.push(code.collect::<Vec<_>>().join("\n"));
        }
    }
    found
}

/// The messages that the sources name, each with its arguments and elements, and the families.
fn of_sources() -> (BTreeMap<String, BTreeSet<String>>, BTreeSet<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/dashboard");
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    // The problems of the core are found by their texts, and not by their ids.
    let mut families = BTreeSet::from(["problem".to_owned()]);
    for source in sources(&folder) {
        for call in source.split("text_of!(").skip(1) {
            families.extend(call.split('"').nth(1).map(str::to_owned));
        }
        for start in ["text!(", "marked!("] {
            for call in source.split(start).skip(1) {
                let call = call.trim_start();
                // The macros themselves pass an id on.
                let Some(call) = call.strip_prefix('"') else {
                    continue;
                };
                let (id, rest) = call.split_once('"').unwrap();
                found
                    .entry(id.to_owned())
                    .or_default()
                    .extend(arguments(rest));
            }
        }
    }
    (found, families)
}

/// The names in front of a single `=`, up to the end of the call.
fn arguments(call: &str) -> Vec<String> {
    let mut depth = 0;
    let mut names = Vec::new();
    let mut word = String::new();
    let mut is_text = false;
    let letters: Vec<char> = call.chars().collect();
    for (place, letter) in letters.iter().enumerate() {
        let next = letters.get(place + 1).copied();
        match letter {
            '"' if place == 0 || letters[place - 1] != '\\' => is_text = !is_text,
            _ if is_text => {}
            '(' | '{' => depth += 1,
            ')' if depth == 0 => break,
            ')' | '}' => depth -= 1,
            '=' if depth == 0 && next == Some(' ') && !word.is_empty() => {
                names.push(std::mem::take(&mut word));
            }
            ' ' | '\n' => {}
            letter if letter.is_ascii_alphanumeric() || *letter == '_' => {
                if place == 0 || !is_word(letters[place - 1]) {
                    word.clear();
                }
                word.push(*letter);
            }
            _ => word.clear(),
        }
    }
    names
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

#[test]
fn every_language_has_the_messages_of_the_sources_and_no_more() {
    let (named, families) = of_sources();
    let mut problems = Vec::new();
    for (_, tag, text_of_file) in LANGUAGES {
        if let Err((_, errors)) = FluentResource::try_new(text_of_file.to_owned()) {
            problems.push(format!("{tag}: {errors:?}"));
        }
        let file = of_file(text_of_file);
        for (id, names) in &named {
            match file.get(id) {
                None => problems.push(format!("{tag} lacks {id}")),
                // A message may leave an argument out, but none is missing.
                Some(used) => {
                    for name in used.difference(names) {
                        problems.push(format!("{tag}: {id} has no argument {name}"));
                    }
                }
            }
        }
        // A message may be a part of others.
        let is_part = |id: &str| text_of_file.contains(&format!("{{ {id} }}"));
        let in_family = |id: &str| {
            families.iter().any(|family| {
                id.strip_prefix(family.as_str())
                    .is_some_and(|rest| rest.starts_with('-'))
            })
        };
        for id in file.keys() {
            if !named.contains_key(id) && !in_family(id) && !is_part(id) {
                problems.push(format!("{tag}: no page has {id}"));
            }
        }
    }
    let [english, dutch] = LANGUAGES.map(|(_, _, file)| of_file(file));
    for (id, names) in &english {
        if let Some(theirs) = dutch.get(id).filter(|theirs| *theirs != names) {
            problems.push(format!(
                "{id} has {names:?} in English, {theirs:?} in Dutch"
            ));
        }
    }
    let only = |id: &&String| english.contains_key(*id) != dutch.contains_key(*id);
    let lone: Vec<_> = english.keys().chain(dutch.keys()).filter(only).collect();
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(lone, Vec::<&String>::new(), "in one language only");
}

#[test]
fn the_browser_names_its_languages() {
    for (header, language) in [
        ("", Language::En),
        ("nl", Language::Nl),
        ("nl-BE,nl;q=0.9,en;q=0.8", Language::Nl),
        ("en-GB,nl;q=0.5", Language::En),
        ("fr-FR,fr;q=0.9,nl;q=0.5", Language::Nl),
        ("fr", Language::En),
        (";;;,,q=", Language::En),
    ] {
        let headers = HeaderMap::from_iter([(ACCEPT_LANGUAGE, header.parse().unwrap())]);
        assert_eq!(of_browser(&headers), language, "{header}");
    }
}

#[test]
fn a_language_names_itself() {
    assert_eq!(
        LANGUAGES.map(|(language, ..)| name_of(language)),
        ["English", "Nederlands"]
    );
}
