//! The vectors, and what several tests need.

use std::{fs, path::PathBuf};

use connect_webhook_verify::Secret;
use serde::Deserialize;

/// The time of most tests.
pub(crate) const NOW: u64 = 1_700_000_000;

/// A secret of the right form.
pub(crate) fn secret() -> Secret {
    Secret::new("whsec_test_secret").unwrap()
}

/// A path within the crate.
pub(crate) fn here(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vectors {
    #[serde(rename = "about")]
    _about: String,
    pub(crate) version: u32,
    pub(crate) cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) reason: String,
    pub(crate) decided: bool,
    pub(crate) secrets: Vec<String>,
    header: Option<String>,
    header_hex: Option<String>,
    body: Body,
    pub(crate) now: u64,
    pub(crate) tolerance: u64,
    pub(crate) expect: Expect,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Body {
    Text { text: String },
    Hex { hex: String },
    Repeat { repeat: String, times: usize },
}

#[derive(Deserialize, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    pub(crate) status: u16,
    pub(crate) code: Option<String>,
    pub(crate) secret: Option<usize>,
}

impl Case {
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        self.secrets
            .iter()
            .map(|secret| Secret::new(secret).unwrap())
            .collect()
    }

    /// The bytes of the header, none if the request has no such header.
    pub(crate) fn header(&self) -> Option<Vec<u8>> {
        match &self.header_hex {
            Some(header) => Some(hex::decode(header).unwrap()),
            None => self
                .header
                .as_ref()
                .map(|header| header.clone().into_bytes()),
        }
    }

    pub(crate) fn body(&self) -> Vec<u8> {
        match &self.body {
            Body::Text { text } => text.clone().into_bytes(),
            Body::Hex { hex } => hex::decode(hex).unwrap(),
            Body::Repeat { repeat, times } => repeat.repeat(*times).into_bytes(),
        }
    }
}

/// The cases of `vectors.json`.
pub(crate) fn vectors() -> Vectors {
    serde_json::from_str(&fs::read_to_string(here("vectors.json")).unwrap()).unwrap()
}
