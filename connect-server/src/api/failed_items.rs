//! The first errors in the answer to a batch, read no further than needed.

use std::fmt;

use connect_core::wire::ErrorDetail;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

/// Returns the first errors of items, with the paths of their fields.
pub(super) fn first(body: &[u8], most: usize) -> Vec<ErrorDetail> {
    let mut found = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(body);
    let search = FailedItemSearch {
        found: &mut found,
        most,
    };
    // With enough errors the search ends by an error of its own.
    let _ = reader.deserialize_map(search);
    found
}

/// The search for failed items.
struct FailedItemSearch<'f> {
    found: &'f mut Vec<ErrorDetail>,
    most: usize,
}

#[derive(Deserialize)]
struct BatchItem {
    index: usize,
    error: Option<ErrorDetail>,
}

impl BatchItem {
    fn error(self) -> Option<ErrorDetail> {
        let mut error = self.error?;
        let rest = error.field.map(|field| format!(".{field}"));
        error.field = Some(format!("items[{}]{}", self.index, rest.unwrap_or_default()));
        Some(error)
    }
}

impl<'de> Visitor<'de> for FailedItemSearch<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer to a batch")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            if name == "data" || name == "results" {
                return map.next_value_seed(self);
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element::<BatchItem>()? {
            self.found.extend(item.error());
            if self.found.len() >= self.most {
                return Err(A::Error::custom("enough"));
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for FailedItemSearch<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, items: D) -> Result<(), D::Error> {
        items.deserialize_any(self)
    }
}
