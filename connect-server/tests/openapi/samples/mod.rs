//! Samples of code for each operation, in four languages, made of the operation itself: its method,
//! its path and the example of its body. Those in Rust are written by hand, for the SDK's tests.

mod literal;
mod operation;
mod rust;
mod template;

use serde_json::{Value, json};

pub(super) use rust::{MODULE, function};

/// Adds `x-codeSamples` to every operation of a document.
pub(super) fn add(document: &mut Value) {
    let whole = document.clone();
    for operation in operation::all(&whole) {
        let samples = [
            ("Shell", "curl", template::curl(&operation)),
            ("Rust", "Rust", rust::sample(&operation)),
            ("TypeScript", "TypeScript", template::typescript(&operation)),
            ("Python", "Python", template::python(&operation)),
        ];
        let samples = samples
            .map(|(lang, label, source)| json!({ "lang": lang, "label": label, "source": source }));
        let described = &mut document["paths"][operation.path][operation.method];
        described["x-codeSamples"] = json!(samples);
    }
}

/// The ids of all operations of a document.
pub(super) fn operations(document: &Value) -> Vec<String> {
    let all = operation::all(document).into_iter();
    all.map(|operation| operation.id.to_owned()).collect()
}
