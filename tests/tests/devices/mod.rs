//! The queue of the SDK against the service. Writes of registers and kiosks are in the stories.

mod queue;

use serde_json::{Value, json};

/// A sale of one article, paid by card.
pub(crate) fn sale(name: &str, cents: i64) -> Value {
    json!({
        "type": "sale", "totalCents": cents, "payments": [{ "method": "card", "amountCents": cents }],
        "lines": [{ "name": name, "quantity": 1, "unitPriceCents": cents, "totalCents": cents, "vatRate": 9 }],
    })
}
