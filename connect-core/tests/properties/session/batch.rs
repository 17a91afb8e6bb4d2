//! Holding the results of a batch against the model.

use serde_json::{Map, Value, json};

use super::compare::{code, id_in};
use crate::properties::model::{ItemOutcome, Names};

/// The results of a batch, and that they add up.
pub(super) fn compare_batch(outcomes: &[ItemOutcome], data: &Value, names: &mut Names) {
    let count = |status| {
        outcomes
            .iter()
            .filter(|outcome| outcome.status == status)
            .count()
    };
    let results = data["results"].as_array().unwrap();
    assert_eq!(results.len(), outcomes.len());
    let counts = json!({
        "created": count("created"),
        "updated": count("updated"),
        "unchanged": count("unchanged"),
        "failed": count("failed"),
        "imagesQueued": outcomes.iter().filter(|outcome| outcome.image_queued).count(),
        "results": results,
    });
    assert_eq!(*data, counts);
    for (index, (outcome, result)) in outcomes.iter().zip(results).enumerate() {
        let mut expected = Map::new();
        expected.insert("index".into(), json!(index));
        expected.insert("status".into(), json!(outcome.status));
        if !outcome.external_id.is_null() {
            expected.insert("externalId".into(), outcome.external_id.clone());
        }
        if outcome.image_queued {
            expected.insert("imageStatus".into(), json!("pending"));
        }
        if let Some(serial) = outcome.serial {
            assert!(result["id"].is_string(), "{outcome:?}\n{result}");
            names.learn_id(serial, id_in(result));
            expected.insert("id".into(), json!(names.id(serial)));
        }
        if !outcome.refused.is_empty() {
            let error = &result["error"];
            let codes: Vec<_> = outcome.refused.iter().map(|status| code(*status)).collect();
            assert!(
                codes.iter().any(|code| error["code"] == *code),
                "not {codes:?}: {result}"
            );
            let message = error["message"].as_str().unwrap();
            assert!(!message.contains("items["), "{message}");
            expected.insert("error".into(), error.clone());
        }
        assert_eq!(*result, Value::Object(expected), "{outcome:?}");
    }
}
