//! Answers, compared with the expected ones.

use connect_tests::{http::Answer, process::Finished};
use http::HeaderMap;
use serde_json::{Deserializer, Value};

use super::script::{Names, fill, part};

/// An answer of the service, or the end of a command.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    status: i64,
    headers: HeaderMap,
    text: String,
    /// The body as JSON, unless it is a text.
    json: Option<Value>,
}

impl From<Answer> for Found {
    fn from(answer: Answer) -> Self {
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        Self {
            status: answer.status.as_u16().into(),
            headers: answer.headers,
            json: serde_json::from_str(&text).ok(),
            text,
        }
    }
}

impl From<Finished> for Found {
    /// A successful command prints no error, and a failed one nothing else.
    fn from(ended: Finished) -> Self {
        let status = ended.code.unwrap_or(-1).into();
        let (text, other) = match status {
            0 => (ended.output, ended.said),
            _ => (ended.said, ended.output),
        };
        assert_eq!(other, "", "{text}");
        Self {
            status,
            headers: HeaderMap::new(),
            json: serde_json::from_str(&text).ok(),
            text,
        }
    }
}

impl Found {
    /// The data, the error, or the text.
    fn value(&self) -> Value {
        match &self.json {
            Some(body) => {
                let inner = body.get("data").or_else(|| body.get("error"));
                inner.unwrap_or(body).clone()
            }
            None => self.text.clone().into(),
        }
    }

    fn at(&self, path: &str) -> Option<Value> {
        if let Some(name) = path.strip_prefix("h:") {
            let value = self.headers.get(name)?.to_str().ok()?;
            return Some(value.parse::<i64>().map_or(value.into(), Value::from));
        }
        match path.strip_prefix('^') {
            Some(path) => part(self.json.as_ref()?, path),
            None => part(&self.value(), if path == "." { "" } else { path }),
        }
    }

    /// The message of an error, or all of the text.
    fn told(&self) -> String {
        let message = self
            .json
            .as_ref()
            .and_then(|body| body["error"]["message"].as_str());
        message.map_or_else(|| self.text.clone(), str::to_owned)
    }

    fn is_replayed(&self) -> bool {
        self.headers
            .get("idempotent-replayed")
            .is_some_and(|it| it == "true")
    }

    /// Compares, and keeps values by name.
    pub(super) fn hold(
        &self,
        expected: &str,
        last: &Self,
        names: &mut Names,
    ) -> Result<(), String> {
        self.compare(expected, last, names).map_err(|problem| {
            let shown: String = self.text.chars().take(3000).collect();
            format!("{problem}\n{} {shown}", self.status)
        })
    }

    fn compare(&self, expected: &str, last: &Self, names: &mut Names) -> Result<(), String> {
        let is_so = |is_so: bool, what: &str| match is_so {
            true => Ok(()),
            false => Err(format!("not so: {what}")),
        };
        let expected = fill(expected, names);
        let (status, mut rest) = word(&expected);
        let mut filled;
        is_so(status == self.status.to_string(), status)?;
        let is_code = |word: &str| word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        if self
            .json
            .as_ref()
            .is_some_and(|body| body.get("error").is_some())
        {
            let (code, after) = word(rest);
            is_so(is_code(code) && self.at("code") == Some(code.into()), code)?;
            rest = after;
        }
        while !rest.is_empty() {
            let (path, after) = word(rest);
            if let Some(name) = path.strip_prefix(':') {
                names.insert(name.to_owned(), self.value());
                // What follows may be about the value.
                filled = fill(after, names);
                rest = &filled;
            } else if let Some((is_in, parts)) = parts(rest) {
                let (parts, after) = json(parts);
                is_so(
                    has(&self.told(), &parts, is_in),
                    &rest[..rest.len() - after.len()],
                )?;
                rest = after;
            } else if rest.starts_with("#\"") {
                let (wanted, after) = json(&rest[1..]);
                let (count, after) = json(after);
                let found = self.text.matches(wanted.as_str().expect(rest)).count();
                is_so(
                    count == found,
                    &format!("{wanted} {count} times, but {found}"),
                )?;
                rest = after;
            } else if ["replayed", "fresh", "same"].contains(&path) {
                let is_good = match path {
                    "same" => self.text == last.text,
                    _ => self.is_replayed() == (path == "replayed"),
                };
                is_so(is_good, path)?;
                rest = after;
            } else if path == "refuses" {
                let (input, after) = word(after);
                let (says, after) = json(after);
                let problems = problems(&self.text)?;
                let is_it =
                    |(name, said): &(String, String)| name == input && has(said, &says, true);
                is_so(
                    !problems.is_empty() && problems.iter().all(is_it),
                    &format!("{problems:?}"),
                )?;
                rest = after;
            } else if path == "take" {
                let (name, after) = word(after);
                let (before, after) = json(after);
                let (end, after) = json(after);
                let (before, end) = (before.as_str().expect(rest), end.as_str().expect(rest));
                let (_, taken) = self.text.split_once(before).ok_or(format!("no {before}"))?;
                let taken = taken.split(end).next().unwrap_or_default();
                names.insert(name.to_owned(), taken.replace("&amp;", "&").into());
                rest = after;
            } else {
                rest = self.field(path, after)?;
            }
        }
        Ok(())
    }

    /// Compares the value at a path, and returns the rest of the line.
    fn field<'t>(&self, path: &str, wanted: &'t str) -> Result<&'t str, String> {
        let found = self.at(path);
        for (said, is_present) in [("present", true), ("absent", false)] {
            if let Some(rest) = wanted.strip_prefix(said) {
                let is = found
                    .as_ref()
                    .is_some_and(|it| !is_present || !it.is_null());
                let problem = || format!("not {said}: {path}");
                return (is == is_present)
                    .then_some(rest.trim_start())
                    .ok_or_else(problem);
            }
        }
        let found = found.ok_or_else(|| format!("there is no {path}"))?;
        if let Some((is_in, parts)) = parts(wanted) {
            let (parts, rest) = json(parts);
            let is_so = has(found.as_str().unwrap_or(&found.to_string()), &parts, is_in);
            return is_so
                .then_some(rest)
                .ok_or_else(|| format!("{path}: {parts} in {found}"));
        }
        let sign = wanted.chars().next().filter(|sign| "=!><".contains(*sign));
        let (value, rest) = json(wanted.trim_start_matches(['=', '!', '>', '<']));
        let order = |found: &Value| match (found.as_str(), value.as_str()) {
            (Some(found), Some(value)) => Some(found.cmp(value)),
            _ => found.as_f64()?.partial_cmp(&value.as_f64()?),
        };
        let is_so = match sign {
            Some('=') => found == value,
            Some('!') => found != value,
            Some('>') => order(&found).is_some_and(|order| order.is_gt()),
            Some('<') => order(&found).is_some_and(|order| order.is_lt()),
            _ => is_like(&value, &found),
        };
        is_so
            .then_some(rest)
            .ok_or_else(|| format!("{path}: {found} and not {}{value}", sign.unwrap_or(' ')))
    }
}

/// The wrong inputs of a page, each with the problem beside it.
fn problems(page: &str) -> Result<Vec<(String, String)>, String> {
    let between = |text: &str, before: &str, after: &str| {
        let (_, rest) = text.split_once(before).ok_or(format!("no {before}"))?;
        let (inside, _) = rest.split_once(after).ok_or(format!("no {after}"))?;
        Ok::<_, String>(inside.to_owned())
    };
    let tags = page
        .split('<')
        .filter(|tag| tag.contains("aria-invalid=\"true\""));
    let problem = |tag: &str| {
        let described = between(tag, "aria-describedby=\"", "\"")?;
        let id = described.split(' ').next().unwrap_or_default();
        let said = between(page, &format!("<p class=\"problem\" id=\"{id}\">"), "</p>")?;
        Ok((between(tag, "name=\"", "\"")?, said))
    };
    tags.map(problem).collect()
}

/// Returns whether objects have the expected fields, and all else is the same.
fn is_like(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(fields), Value::Object(found)) => {
            let mut fields = fields.iter();
            fields.all(|(name, value)| found.get(name).is_some_and(|it| is_like(value, it)))
        }
        (Value::Array(entries), Value::Array(found)) => {
            let mut pairs = entries.iter().zip(found);
            entries.len() == found.len() && pairs.all(|(entry, it)| is_like(entry, it))
        }
        _ => expected == found,
    }
}

/// The parts behind `~` or `!~`, and whether they have to be there.
fn parts(text: &str) -> Option<(bool, &str)> {
    let there = text.strip_prefix('~').map(|parts| (true, parts));
    there.or_else(|| text.strip_prefix("!~").map(|parts| (false, parts)))
}

/// Returns whether a text has all of these parts, or none.
fn has(text: &str, parts: &Value, is_in: bool) -> bool {
    let mut parts = match parts {
        Value::Array(parts) => parts.iter(),
        part => std::slice::from_ref(part).iter(),
    };
    parts.all(|part| text.contains(part.as_str().expect("a text")) == is_in)
}

/// The first word, and the rest.
pub(super) fn word(text: &str) -> (&str, &str) {
    let (word, rest) = text
        .trim_start()
        .split_once(' ')
        .unwrap_or((text.trim_start(), ""));
    (word, rest.trim_start())
}

/// The JSON at the beginning, and the rest.
fn json(text: &str) -> (Value, &str) {
    let mut values = Deserializer::from_str(text).into_iter();
    let value = values
        .next()
        .unwrap_or_else(|| panic!("a value is missing: {text}"));
    let value = value.unwrap_or_else(|e| panic!("{e}: {text}"));
    (value, text[values.byte_offset()..].trim_start())
}
