//! The checker itself: it lets good responses pass and names what is wrong with bad ones.

use connect_tests::{
    check::Checker,
    http::{Answer, Request},
};
use http::{HeaderMap, HeaderName, Method, StatusCode};
use serde_json::{Value, json};

const ANSWERS: &str = include_str!("checker.txt");
const ID: &str = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";

fn category(id: &str, updated: &str) -> Value {
    json!({
        "id": id, "name": "Bread", "isActive": true, "position": 1,
        "createdAt": "2026-11-20T09:15:30.123456Z", "updatedAt": updated,
    })
}

/// The text for a name in braces, or nothing where the braces are of JSON.
fn piece(name: &str) -> Option<String> {
    let place = "/v1/locations/019a8c52-7d10-7a31-9f0e-3b1c5d7e9a01";
    let error = |code: &str| json!({ "code": code, "message": "it is wrong" });
    let result = |index: u8, status: &str| json!({ "index": index, "status": status, "id": ID });
    let value = match name {
        "place" => return Some(place.to_owned()),
        "list" => return Some(format!("{place}/categories")),
        "one" => return Some(format!("{place}/categories/{ID}")),
        "batch" => {
            let items = json!({ "items": [{ "name": "Rye" }, { "name": 7 }] });
            return Some(format!("{place}/products/batch {items}"));
        }
        "k101" => return Some("k".repeat(101)),
        "none" => json!({ "data": [], "nextCursor": null }),
        "lost" => json!({ "error": error("not_found") }),
        "refused" => json!({ "error": error("method_not_allowed") }),
        "gone" => {
            json!({ "id": ID, "deleted": true, "updatedAt": "2026-11-20T09:15:30.123456Z" })
        }
        "made" => result(0, "created"),
        "also" => result(1, "created"),
        "failed" => {
            let wrong = json!({
                "code": "validation_failed", "message": "name: must be a string", "field": "name",
            });
            json!({ "index": 1, "status": "failed", "error": wrong })
        }
        "both" => {
            json!({ "index": 0, "status": "updated", "id": ID, "error": error("conflict") })
        }
        _ => {
            if let Some((id, second)) = name.split_once('@').filter(|(id, _)| id.len() == 1) {
                let id = format!("019a8c52-8e20-7c42-8a1f-4c2d6e8fab0{id}");
                category(&id, &format!("2026-11-20T09:15:0{second}.000000Z"))
            } else if let Some(changes) = name.strip_prefix("bread") {
                let mut bread = category(ID, "2026-11-20T09:15:30.123456Z");
                let changes = format!("{{{}}}", changes.trim_start_matches(','));
                let Value::Object(changes) = serde_json::from_str(&changes).unwrap() else {
                    return None;
                };
                bread.as_object_mut().unwrap().extend(changes);
                bread
            } else {
                let counts: Option<Vec<_>> = name.chars().map(|it| it.to_digit(10)).collect();
                let [created, updated, unchanged, failed] = counts?.try_into().ok()?;
                let counts = json!({
                    "created": created, "updated": updated, "unchanged": unchanged,
                    "failed": failed, "imagesQueued": 0,
                });
                return Some(counts.to_string().trim_matches(['{', '}']).to_owned());
            }
        }
    };
    Some(value.to_string())
}

fn fill(line: &str) -> String {
    let Some((before, rest)) = line.split_once('{') else {
        return line.to_owned();
    };
    let found = rest
        .split_once('}')
        .and_then(|(name, rest)| Some((piece(name)?, rest)));
    let (text, rest) = found.unwrap_or_else(|| ("{".to_owned(), rest));
    format!("{before}{text}{}", fill(rest))
}

/// The headers of every answer, with the changes of a line.
fn set(headers: &mut HeaderMap, change: &str) {
    if let Some(name) = change.strip_prefix('-') {
        headers.remove(name).unwrap();
        return;
    }
    let (name, value) = change.split_once(": ").unwrap();
    let added = name.strip_prefix('+');
    let name: HeaderName = added.unwrap_or(name).parse().unwrap();
    if added.is_some() {
        headers.append(name, value.parse().unwrap());
    } else {
        headers.insert(name, value.parse().unwrap());
    }
}

fn answer(sent: &str, answered: &str) -> Answer {
    let mut sent = sent.split(" | ");
    let line = sent.next().unwrap();
    let (method, rest) = line.split_once(' ').unwrap();
    let (target, body) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut request = Request::new(method.parse().unwrap(), target);
    if !body.is_empty() {
        request = request
            .header("content-type", "application/json")
            .body(body.to_owned());
    }
    for header in sent {
        let (name, value) = header.split_once(": ").unwrap();
        request = request.header(name, value);
    }
    let mut answered = answered.split(" | ");
    let line = answered.next().unwrap();
    let (status, body) = line.split_once(' ').unwrap_or((line, ""));
    let mut headers = HeaderMap::new();
    for header in [
        "x-ratelimit-limit: 120",
        "x-ratelimit-remaining: 119",
        "x-ratelimit-reset: 1795000020",
        "x-request-id: r-1",
        "content-type: application/json",
    ] {
        set(&mut headers, header);
    }
    let path = target.split('?').next().unwrap();
    if path.ends_with("/categories") && request.method == Method::GET && status == "200" {
        set(&mut headers, "connect-state: 2026-11-20T10:00:00.000000Z");
    }
    for change in answered {
        set(&mut headers, change);
    }
    Answer {
        request,
        status: StatusCode::from_bytes(status.as_bytes()).unwrap(),
        headers,
        body: body.to_owned().into(),
    }
}

#[test]
fn good_answers_pass_and_faults_are_named() {
    let mut problems = Vec::new();
    for line in ANSWERS.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (exchange, words) = line.split_once(" ! ").unwrap_or((line, ""));
        let (sent, answered) = exchange.split_once(" => ").unwrap();
        let faults = Checker::v1().faults(&answer(&fill(sent), &fill(answered)));
        let named = faults.iter().any(|fault| fault.contains(words));
        if named == words.is_empty() {
            problems.push(format!("{line}\n{faults:?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}
