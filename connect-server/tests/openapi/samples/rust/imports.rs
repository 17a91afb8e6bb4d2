//! The names that a sample imports.

use std::collections::BTreeSet;

use super::{
    super::operation::{DEVICES, Operation},
    Call,
};

/// The most characters of a line of imports.
const LONGEST: usize = 90;

/// The lines that import what a call needs, with these names of `connect_client::wire`.
pub(super) fn of(
    operation: &Operation<'_>,
    call: &Call,
    mut names: BTreeSet<String>,
) -> Vec<String> {
    let is_of_device = *operation.address == DEVICES;
    let client = match is_of_device {
        true => "device::DeviceClient",
        false => "Client",
    };
    let mut ours = vec![client.to_owned()];
    if operation.path.contains('{') {
        ours.push("Uuid".to_owned());
    }
    for envelope in ["Batch", "StockCounts"] {
        if call.method.contains(&format!("(&{envelope}")) {
            names.insert(envelope.to_owned());
        }
    }
    let mut names: Vec<_> = names.into_iter().collect();
    if let Some((_, query)) = call.method.split_once(".list(&") {
        let query = query.split("::").next().unwrap_or_default();
        names.push(format!("query::{query}"));
    }
    if names.is_empty() {
        return vec![format!("use connect_client::{};", braced(&ours))];
    }
    let wire = format!("wire::{}", braced(&names));
    let together = braced(&[&ours[..], &[wire]].concat());
    let line = format!("use connect_client::{together};");
    match line.len() <= LONGEST {
        true => vec![line],
        false => {
            let mut lines = vec![format!("use connect_client::{};", braced(&ours))];
            lines.extend(wire_lines(&names));
            lines
        }
    }
}

/// The import of names of `wire`, over several lines where they are many.
fn wire_lines(names: &[String]) -> Vec<String> {
    let mut lines = vec![
        "use connect_client::wire::{".to_owned(),
        String::from("   "),
    ];
    for name in names {
        if lines[lines.len() - 1].len() + name.len() > LONGEST {
            lines.push(String::from("   "));
        }
        let line = lines.last_mut().unwrap();
        *line += &format!(" {name},");
    }
    lines.push("};".to_owned());
    lines
}

fn braced(names: &[String]) -> String {
    match names {
        [one] => one.clone(),
        several => format!("{{{}}}", several.join(", ")),
    }
}
