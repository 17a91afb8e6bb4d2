//! JSON as literals of programming languages.

use serde_json::Value;

/// A language in which a value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    TypeScript,
    Python,
}

impl Language {
    fn step(self) -> &'static str {
        match self {
            Self::TypeScript => "  ",
            Self::Python => "    ",
        }
    }

    fn key(self, name: &str) -> String {
        match self {
            // All names are identifiers.
            Self::TypeScript => name.to_owned(),
            Self::Python => format!("\"{name}\""),
        }
    }
}

/// Writes a value over several lines, of which all but the first begin with `indent`.
pub(super) fn literal(value: &Value, language: Language, indent: &str) -> String {
    let inner = indent.to_owned() + language.step();
    let several = |open: &str, entries: Vec<String>, close: &str| {
        let entries = entries.iter().map(|entry| format!("{inner}{entry},\n"));
        match entries.len() {
            0 => format!("{open}{close}"),
            _ => format!("{open}\n{}{indent}{close}", entries.collect::<String>()),
        }
    };
    let is_python = language == Language::Python;
    match value {
        Value::Null if is_python => "None".to_owned(),
        Value::Bool(true) if is_python => "True".to_owned(),
        Value::Bool(false) if is_python => "False".to_owned(),
        Value::Array(entries) => {
            let entry = |entry| literal(entry, language, &inner);
            several("[", entries.iter().map(entry).collect(), "]")
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, _)| {
                let value = literal(value, language, &inner);
                format!("{}: {value}", language.key(name))
            };
            several("{", fields.iter().map(field).collect(), "}")
        }
        other => other.to_string(),
    }
}
