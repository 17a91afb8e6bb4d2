//! The service's ids of the records counted by the model.

use serde_json::Value;

/// Ids as they were learned from the service, by the number of the record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(Vec<Option<String>>);

impl Names {
    /// The same JSON with the ids of the service.
    pub(crate) fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.id(text).into(),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| (name.clone(), self.fill(value)));
                Value::Object(fields.collect())
            }
            other => other.clone(),
        }
    }

    /// The id of a record; another text stays as it is.
    pub(crate) fn id(&self, text: &str) -> String {
        let Some(number) = number(text) else {
            return text.to_owned();
        };
        let known = self.0.get(number).cloned().flatten();
        known.unwrap_or_else(|| panic!("the service has not shown {text}"))
    }

    /// Compares an answer with the expected one. A new record gets its id.
    ///
    /// An expected `{ "?": [[code, field], ..] }` is an error of one of these codes and fields.
    pub(crate) fn learn(&mut self, expected: &Value, shown: &Value) {
        if let Err(difference) = self.compare(expected, shown) {
            panic!(
                "{difference}\nexpected: {expected}\nshown: {shown}\n{:?}",
                self.0
            );
        }
    }

    fn compare(&mut self, expected: &Value, shown: &Value) -> Result<(), String> {
        match (expected, shown) {
            (Value::String(text), Value::String(id)) if number(text).is_some() => {
                self.call(text, id)
            }
            (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
                let mut pairs = items.iter().zip(others);
                pairs.try_for_each(|(item, other)| self.compare(item, other))
            }
            (Value::Object(fields), _) if fields.contains_key("?") => {
                let is_it = |error: &Value| {
                    // The path goes on within the field.
                    let field = shown["field"]
                        .as_str()
                        .and_then(|path| path.split(['[', '.']).next());
                    let is_at = error[1] == "" || error[1].as_str() == field;
                    error[0] == shown["code"] && is_at
                };
                let is_one = fields["?"].as_array().unwrap().iter().any(is_it);
                let message = shown["message"].as_str().unwrap_or_default();
                let is_good = is_one && !message.is_empty() && !message.contains("items[");
                is_good
                    .then_some(())
                    .ok_or_else(|| format!("{shown} is not one of {expected}"))
            }
            (Value::Object(fields), Value::Object(others)) if fields.len() == others.len() => {
                fields
                    .iter()
                    .try_for_each(|(name, value)| match others.get(name) {
                        Some(other) => self.compare(value, other),
                        None => Err(format!("{name} is missing in {shown}")),
                    })
            }
            _ if expected == shown => Ok(()),
            _ => Err(format!("{shown} is not {expected}")),
        }
    }

    /// The record has this id: the one it had before, or one that no other record has.
    fn call(&mut self, text: &str, id: &str) -> Result<(), String> {
        let number = number(text).unwrap_or_default();
        self.0.resize(self.0.len().max(number + 1), None);
        let is_anothers = || self.0.iter().flatten().any(|other| other == id);
        match &self.0[number] {
            Some(known) if known != id => Err(format!("{text} is {known}, not {id}")),
            None if is_anothers() => Err(format!("{id} is another's, not of {text}")),
            _ => {
                self.0[number] = Some(id.to_owned());
                Ok(())
            }
        }
    }
}

fn number(text: &str) -> Option<usize> {
    text.strip_prefix('#')?.parse().ok()
}
