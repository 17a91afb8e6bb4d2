//! Reading stories, and filling in names.

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde_json::Value;

use crate::bad_requests::expand;

/// The kept values of a story, by name.
pub(super) type Names = BTreeMap<String, Value>;

/// A line of a story, with its rows.
#[derive(Clone)]
pub(super) struct Step {
    pub(super) place: String,
    pub(super) text: String,
    pub(super) rows: Vec<String>,
}

/// A story.
pub(super) struct Story {
    pub(super) title: String,
    pub(super) steps: Vec<Step>,
}

/// The files with stories.
pub(super) fn texts() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stories");
    let files = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|it| it == "txt"))
        .collect()
}

/// Reads the stories of a text.
pub(super) fn read(name: &str) -> Vec<Story> {
    let mut files = texts().into_iter();
    let file = files.find(|path| path.file_stem().is_some_and(|it| it == name));
    let text = fs::read_to_string(file.expect(name)).unwrap();
    let mut stories: Vec<Story> = Vec::new();
    let mut first: Vec<Step> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(title) = line.strip_prefix("== ") {
            let (title, steps) = (title.to_owned(), first.clone());
            stories.push(Story { title, steps });
            continue;
        }
        let steps = match stories.last_mut() {
            Some(story) => &mut story.steps,
            None => &mut first,
        };
        match (line.len() - line.trim_start().len(), steps.last_mut()) {
            (4, Some(step)) => step.text += &format!(" {}", line.trim()),
            (2, Some(step)) => step.rows.push(line.trim().to_owned()),
            _ => steps.push(Step {
                place: format!("{name}.txt:{number}"),
                text: line.to_owned(),
                rows: Vec::new(),
            }),
        }
    }
    stories
}

/// Writes the values of names into a text, and repetitions.
pub(super) fn fill(text: &str, names: &Names) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        filled += &rest[..at];
        rest = &rest[at..];
        let end = rest.find('}').map_or(0, |end| end + 1);
        match rest
            .get(1..end.max(2) - 1)
            .and_then(|name| shown(name, names))
        {
            Some(value) => {
                filled += &value;
                rest = &rest[end..];
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    String::from_utf8(expand(&(filled + rest))).expect("text")
}

/// The text of a name such as `rye`, `rye.updatedAt` or `rye.`.
fn shown(name: &str, names: &Names) -> Option<String> {
    let (name, path) = name
        .split_once('.')
        .map_or((name, None), |(n, p)| (n, Some(p)));
    let value = names.get(name)?;
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(match path {
        None => text(value.get("id").unwrap_or(value)),
        Some(path) => match path.strip_suffix('.') {
            Some(path) => part(value, path)?.to_string(),
            None if path.is_empty() => value.to_string(),
            None => text(&part(value, path)?),
        },
    })
}

/// The part of a value at a path. A name looks into each entry of a list.
pub(super) fn part(value: &Value, path: &str) -> Option<Value> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let inner = match (first, value) {
        ("", _) => return Some(value.clone()),
        ("#", Value::Array(entries)) => entries.len().into(),
        (name, Value::Array(entries)) => match name.parse::<isize>() {
            Ok(at) => {
                let at = if at < 0 {
                    entries.len().checked_add_signed(at)?
                } else {
                    at as usize
                };
                entries.get(at)?.clone()
            }
            Err(_) => {
                let parts = entries.iter().map(|entry| part(entry, path));
                return Some(parts.map(Option::unwrap_or_default).collect());
            }
        },
        (name, value) => value.get(name)?.clone(),
    };
    part(&inner, rest)
}

/// Makes one body of several objects.
pub(super) fn body(text: &str) -> String {
    let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(text)
        .into_iter()
        .collect();
    match values {
        Ok(values) if values.len() > 1 && values.iter().all(Value::is_object) => {
            let mut values = values.into_iter();
            let mut whole = values.next().unwrap_or_default();
            for (path, value) in
                values.flat_map(|value| value.as_object().cloned().unwrap_or_default())
            {
                let pointer = format!("/{}", path.replace('.', "/"));
                match whole.pointer_mut(&pointer) {
                    Some(place) => *place = value,
                    None => {
                        let (parent, last) = pointer.rsplit_once('/').expect("a slash");
                        let parent = whole.pointer_mut(parent).expect("a place for it");
                        parent[last] = value;
                    }
                }
            }
            whole.to_string()
        }
        _ => text.to_owned(),
    }
}
