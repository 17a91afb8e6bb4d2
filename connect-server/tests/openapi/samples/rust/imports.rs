//! The names that a sample imports.

use super::{
    super::operation::{DEVICES, Operation},
    Call,
};

/// The lines that import what a call needs.
pub(super) fn of(operation: &Operation<'_>, call: &Call) -> Vec<String> {
    let is_of_device = *operation.address == DEVICES;
    let client = match is_of_device {
        true => "device::DeviceClient",
        false => "Client",
    };
    let mut names = vec![client.to_owned()];
    if operation.path.contains('{') {
        names.push("Uuid".to_owned());
    }
    let wire = wire(call);
    names.extend((!wire.is_empty()).then(|| format!("wire::{}", braced(&wire))));
    let mut lines = vec![format!("use connect_client::{};", braced(&names))];
    if call.body.is_some() {
        lines.push("use serde_json::{from_value, json};".to_owned());
    }
    lines
}

/// The types of bodies and queries.
fn wire(call: &Call) -> Vec<String> {
    let mut names: Vec<_> = call.body.iter().map(|body| body.of.clone()).collect();
    for envelope in ["Batch", "StockCounts"] {
        if call.method.contains(&format!("(&{envelope}")) {
            names.push(envelope.to_owned());
        }
    }
    names.sort_unstable();
    if let Some((_, query)) = call.method.split_once(".list(&") {
        let query = query.split("::").next().unwrap_or_default();
        names.push(format!("query::{query}"));
    }
    names
}

fn braced(names: &[String]) -> String {
    match names {
        [one] => one.clone(),
        several => format!("{{{}}}", several.join(", ")),
    }
}
