//! Samples of code for each operation, in four languages, made of the operation itself: its method,
//! its path and the example of its body.

mod curl;
mod literal;
mod operation;
mod python;
mod rust;
mod typescript;

use serde_json::{Value, json};

pub(super) use rust::{MODULE, module};

/// Adds `x-codeSamples` to every operation of a document.
pub(super) fn add(document: &mut Value) {
    let whole = document.clone();
    for operation in operation::all(&whole) {
        let samples = [
            ("Shell", "curl", curl::sample(&operation)),
            ("Rust", "Rust", rust::sample(&operation)),
            ("TypeScript", "TypeScript", typescript::sample(&operation)),
            ("Python", "Python", python::sample(&operation)),
        ];
        let samples = samples
            .map(|(lang, label, source)| json!({ "lang": lang, "label": label, "source": source }));
        let described = &mut document["paths"][operation.path][operation.method];
        described["x-codeSamples"] = json!(samples);
    }
}
