//! Reading the tables of wrong requests.

use std::collections::HashMap;

use bytes::Bytes;
use connect_tests::{
    check::Checker,
    http::{Payload, Request},
};
use http::Method;
use serde_json::Value;

/// A wrong request with its expected answer. `{here}`, `{product}` and the like stand for values
/// of the [`Scene`](super::scene::Scene).
pub(super) struct Bad {
    /// The lines of row and request, and the fault in words.
    pub(super) name: String,
    pub(super) request: Request,
    /// Whether the scene's token is left out.
    pub(super) is_anonymous: bool,
    pub(super) status: u16,
    pub(super) code: String,
    /// A part of the message: the path of the field, the parameter or the header.
    pub(super) names: String,
    /// Whether the document cannot state the fault.
    is_unstated: bool,
}

/// A line of a table, or one row of a set.
#[derive(Clone)]
struct Line {
    place: String,
    text: String,
}

/// The texts and sets of the tables read so far.
#[derive(Default)]
pub(super) struct Reader {
    texts: Vec<(String, String)>,
    sets: HashMap<String, Vec<Line>>,
}

impl Reader {
    /// Reads a table, and keeps its texts and sets.
    pub(super) fn read(&mut self, file: &str, table: &str) -> Vec<Bad> {
        let mut bads = Vec::new();
        let mut requests: Vec<Line> = Vec::new();
        let mut set = None;
        let mut has_rows = false;
        for (number, text) in (1..).zip(table.lines()) {
            let place = format!("{file}:{number}");
            let texts = self.texts.iter();
            let text = texts.fold(text.to_owned(), |text, (name, of)| text.replace(name, of));
            if text.is_empty() || text.starts_with('#') {
                continue;
            } else if let Some(named) = text.strip_prefix("let ") {
                let (name, text) = named.split_once(' ').expect(&place);
                self.texts.push((name.to_owned(), text.trim().to_owned()));
            } else if let Some(name) = text.strip_prefix("= ") {
                set = Some(name.to_owned());
            } else if let Some(request) = text.strip_prefix("> ") {
                if set.take().is_some() || has_rows {
                    requests.clear();
                    has_rows = false;
                }
                let text = request.to_owned();
                requests.push(Line { place, text });
            } else {
                let rows = self.rows(&Line { place, text });
                if let Some(set) = &set {
                    self.sets.entry(set.clone()).or_default().extend(rows);
                    continue;
                }
                assert!(!requests.is_empty(), "{}: no request", rows[0].place);
                has_rows = true;
                for row in &rows {
                    bads.extend(requests.iter().map(|request| Bad::new(request, row)));
                }
            }
        }
        bads
    }

    /// The rows of a line: one for each word after `* `, or for each row of its sets.
    fn rows(&self, line: &Line) -> Vec<Line> {
        let Line { place, text } = line;
        if let Some(words) = text.strip_prefix("* ") {
            let row = |word: &str| Line {
                place: place.clone(),
                text: word.to_owned(),
            };
            return words.split_whitespace().map(row).collect();
        }
        // An address may have an `@` too.
        let at = text.starts_with('@').then_some(0).or(text.find(" @"));
        let Some((field, sets)) = at.map(|at| text.split_at(at)) else {
            return vec![line.clone()];
        };
        let mut rows = Vec::new();
        for set in sets.split_whitespace() {
            let (set, most) = set[1..].split_once('(').unwrap_or((&set[1..], ""));
            let more = most.trim_end_matches(')').parse().map(|most: u64| most + 1);
            for row in self.sets.get(set).expect(place) {
                let mut text = format!("{field} {}", row.text).trim().to_owned();
                if let Ok(more) = more {
                    text = text.replace("{n+1}", &more.to_string());
                }
                let place = format!("{place}, {}", row.place);
                rows.push(Line { place, text });
            }
        }
        rows
    }
}

impl Bad {
    /// The request of a line, filled with a row.
    fn new(line: &Line, row: &Line) -> Self {
        let place = &*row.place;
        let mut columns = line.text.split('|').map(str::trim);
        let mut of_row = row.text.split('|').map(str::trim);
        let (status, request) = columns.next().unwrap().split_once(' ').expect(place);
        let (value, why) = (of_row.next().unwrap(), of_row.next().unwrap_or_default());
        // Without a place for it in the line, the value is that of a field of the body.
        let is_field = !line.text.contains("{value}");
        let has_field = is_field || line.text.contains("{field}");
        let (field, value) = match value.split_once(' ') {
            Some((field, value)) if has_field => (field.trim_matches('"'), value.trim()),
            None if has_field => (value, ""),
            _ => ("", value),
        };
        let fill = |text: &str| text.replace("{value}", value).replace("{field}", field);

        let (mut code, mut names) = usual(status);
        let request = match request.trim().split_once(' ') {
            Some((word, request)) if word.starts_with(|c: char| c.is_ascii_lowercase()) => {
                code = word;
                fill(request)
            }
            _ => fill(request),
        };
        let (method, target) = request.trim().split_once(' ').expect(place);
        let (target, body) = target.trim().split_once(' ').unwrap_or((target.trim(), ""));
        let body = body.trim();

        let options: Vec<_> = columns.chain(of_row).map(fill).collect();
        let (mut path, mut pieces) = (field.to_owned(), None);
        let (mut is_anonymous, mut is_unstated) = (false, false);
        let mut headers = vec![("Content-Type", "application/json".to_owned())];
        let mut has_type = !matches!(method, "POST" | "PUT" | "PATCH");
        for option in &options {
            match option.split_once(' ').unwrap_or((option, "")) {
                ("->", part) => names = part,
                ("at", parent) => path = format!("{parent}.{field}"),
                ("pieces", length) => pieces = Some(length.parse().expect(place)),
                ("unstated", "") => is_unstated = true,
                ("no", "type") => has_type = true,
                ("as", "nobody") => is_anonymous = true,
                ("as", token) => headers.push(("Authorization", format!("Bearer {{{token}}}"))),
                ("key", key) => headers.push(("Idempotency-Key", key.to_owned())),
                (name, value) => {
                    let name = name.strip_suffix(':').expect(place);
                    has_type |= name == "Content-Type";
                    headers.push((name, value.to_owned()));
                }
            }
        }
        let names = match names {
            "" if has_field => format!("{}: ", path.trim_start_matches("items[0].")),
            _ => names.to_owned(),
        };
        let is_silent = matches!(status, "403" | "404" | "405");
        assert!(is_silent || !names.is_empty(), "{place}: what is named?");

        let body = match is_field {
            true => expand(&put(body, &path, value)),
            false => expand(body),
        };
        let target = match target.starts_with('/') {
            true => expand(target),
            false => expand(&format!("/v1/locations/{{here}}/{target}")),
        };
        let method = Method::from_bytes(method.as_bytes()).expect(place);
        let mut request = Request::new(method, String::from_utf8(target).expect(place));
        for (name, value) in headers.iter().skip(usize::from(has_type)) {
            request = request.header(name, expand(value));
        }
        let what = format!("{} {}", request.method, request.target);
        request.body = match pieces {
            Some(length) => {
                Payload::Chunked(body.chunks(length).map(Bytes::copy_from_slice).collect())
            }
            None => Payload::Whole(body.into()),
        };
        Self {
            name: format!("{place}, for {}: {what}: {field} {why}", line.place),
            request,
            is_anonymous,
            status: if status == "item" {
                200
            } else {
                status.parse().expect(place)
            },
            code: code.to_owned(),
            names,
            is_unstated,
        }
    }

    /// The faults of the body by the document: for a 422, and for items.
    pub(super) fn faults_in_the_document(&self) -> Option<Vec<String>> {
        let told = matches!(self.status, 200 | 422) && self.code == "validation_failed";
        if !told || self.is_unstated {
            return None;
        }
        let Payload::Whole(body) = &self.request.body else {
            return None;
        };
        // A number that no float can hold is beyond this reader, though not beyond the service.
        let body: Value = serde_json::from_slice(body).ok()?;
        let (method, target) = (self.request.method.as_str(), &self.request.target);
        let checker = Checker::of(target);
        let schema = checker.request_schema(method, target)?;
        Some(checker.schema_faults(schema, &body))
    }
}

/// The usual code of a status, and the usual part of its message.
fn usual(status: &str) -> (&str, &str) {
    match status {
        "401" => ("unauthorized", "Authorization"),
        "404" => ("not_found", ""),
        "405" => ("method_not_allowed", ""),
        "409" => ("conflict", ""),
        "413" => ("payload_too_large", "2000000"),
        "415" => ("validation_failed", "Content-Encoding"),
        _ => ("validation_failed", ""),
    }
}

/// A body with this text at a path such as `lines[0].name`. The text may be no JSON, or a number
/// beyond this reader.
fn put(body: &str, path: &str, text: &str) -> String {
    const MARK: &str = "the place of the fault";
    let mut body: Value = serde_json::from_str(body).expect(body);
    let pointer = path.replace('[', ".").replace(']', "").replace('.', "/");
    let (parent, last) = pointer.rsplit_once('/').unwrap_or(("", &pointer));
    let parent = match parent {
        "" => &mut body,
        _ => body.pointer_mut(&format!("/{parent}")).expect(path),
    };
    match parent {
        Value::Object(fields) if text == "(left out)" => drop(fields.remove(last).expect(path)),
        Value::Object(fields) => drop(fields.insert(last.to_owned(), MARK.into())),
        entries => entries[last.parse::<usize>().expect(path)] = MARK.into(),
    }
    body.to_string().replace(&format!("\"{MARK}\""), text)
}

/// The bytes of a text: `<0xff>` is a byte, `<3*ab>` is `ababab`, and `<3*#,>` is `0,1,2`.
pub(crate) fn expand(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut parts = text.split('<');
    bytes.extend(parts.next().unwrap_or_default().bytes());
    for part in parts {
        let (inside, after) = part.split_once('>').unwrap_or(("", part));
        if let Some(digits) = inside.strip_prefix("0x") {
            let digits: Vec<_> = digits
                .chars()
                .map(|c| c.to_digit(16).expect(text))
                .collect();
            bytes.extend(digits.chunks(2).map(|pair| (16 * pair[0] + pair[1]) as u8));
        } else if let Some((count, repeated)) = inside.split_once('*')
            && let Ok(count) = count.parse::<usize>()
        {
            let many = match repeated.contains('#') {
                true => (0..count)
                    .map(|n| repeated.replace('#', &n.to_string()))
                    .collect(),
                false => repeated.repeat(count),
            };
            bytes.extend(many.strip_suffix(',').unwrap_or(&many).bytes());
        } else {
            bytes.extend(format!("<{part}").bytes());
            continue;
        }
        bytes.extend(after.bytes());
    }
    bytes
}
