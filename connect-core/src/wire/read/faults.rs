//! All faults of a refused body.
//!
//! A body is read and checked until its first fault. Only then is each field examined by itself, so
//! a client can correct all faults at once.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{Invalid, WriteInput, clip, missing, nearest::unknown_field, required_not_null};

/// The most faults reported for a request.
const MOST_FAULTS: usize = 20;

/// The faults found so far.
#[derive(Debug, Default)]
pub struct Faults {
    found: Vec<Invalid>,
}

impl Faults {
    /// Adds a fault, unless the list is full or has its field.
    pub fn add(&mut self, fault: Invalid) {
        let is_known = self.found.iter().any(|other| other.field == fault.field);
        if !is_known && !self.is_full() {
            self.found.push(fault);
        }
    }

    /// Returns whether the list is full.
    pub fn is_full(&self) -> bool {
        self.found.len() >= MOST_FAULTS
    }

    /// Returns the number of faults.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns whether there are no faults.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Takes the checked value, or adds the faults of the check.
    pub fn take<T>(&mut self, checked: Result<T, Invalid>) -> Option<T> {
        let mut first = match checked {
            Ok(value) => return Some(value),
            Err(first) => first,
        };
        let others = std::mem::take(&mut first.others);
        std::iter::once(first)
            .chain(others)
            .for_each(|fault| self.add(fault));
        None
    }

    /// Returns all checked values.
    ///
    /// # Errors
    /// Some were refused; the error has all faults found.
    pub fn all<T>(
        checked: impl ExactSizeIterator<Item = Result<T, Invalid>>,
    ) -> Result<Vec<T>, Invalid> {
        let mut faults = Self::default();
        let mut values = Vec::with_capacity(checked.len());
        for checked in checked {
            values.extend(faults.take(checked));
        }
        faults.into_result().map(|()| values)
    }

    /// Ends a search for faults.
    ///
    /// # Errors
    /// Faults were found: the first, with all other ones.
    pub fn into_result(self) -> Result<(), Invalid> {
        self.into_first().map_or(Ok(()), Err)
    }

    /// Returns the first fault with all other ones, if any.
    pub(in crate::wire) fn into_first(mut self) -> Option<Invalid> {
        if self.is_empty() {
            return None;
        }
        let first = self.found.remove(0);
        Some(self.after(first))
    }

    /// Returns the fault of a refused request, with all faults found.
    /// A fault found for the same field replaces its problem, since the search knows the required
    /// fields.
    pub(crate) fn after(self, first: Invalid) -> Invalid {
        let Invalid { field, problem, .. } = first;
        let is_same = |fault: &Invalid| fault.field == field;
        let (same, others): (Vec<_>, Vec<_>) = self.found.into_iter().partition(is_same);
        let same = same.into_iter().next();
        let problem = same.map_or(problem, |fault| fault.problem);
        let others = others.into_iter().take(MOST_FAULTS - 1).collect();
        Invalid {
            field,
            problem,
            others,
        }
    }
}

/// A field of a body, with its search for faults.
#[derive(Clone, Copy, Debug)]
pub struct FieldRule {
    /// The name in JSON.
    pub name: &'static str,
    /// Adds the faults of a value.
    faults: fn(&RawValue, &str, &mut Faults),
}

impl FieldRule {
    /// The rule of a field.
    /// The function adds the faults of a value.
    pub(in crate::wire) const fn new(
        name: &'static str,
        faults: fn(&RawValue, &str, &mut Faults),
    ) -> Self {
        Self { name, faults }
    }

    /// The rule of a field examined elsewhere.
    pub(super) const fn elsewhere(name: &'static str) -> Self {
        Self {
            name,
            faults: |_, _, _| (),
        }
    }
}

impl Faults {
    /// Adds the fault of a failed check.
    pub(in crate::wire) fn extend(&mut self, checked: Result<(), Invalid>) {
        if let Err(fault) = checked {
            self.add(fault);
        }
    }

    /// Adds the faults of array elements, found by `look`.
    /// Returns `false` when the value is no array.
    pub(in crate::wire) fn elements(
        &mut self,
        sent: &RawValue,
        path: &str,
        look: impl Fn(&mut Self, &RawValue, String),
    ) -> bool {
        let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(sent.get()) else {
            return false;
        };
        for (at, element) in elements.into_iter().enumerate() {
            if self.is_full() {
                break;
            }
            look(self, element, format!("{path}[{at}]"));
        }
        true
    }

    /// Adds the faults of the fields of an object.
    /// Its own path ends with a dot, or is empty. Returns `false` when the text is no object.
    pub(super) fn fields(
        &mut self,
        text: &str,
        path: &str,
        rules: &[FieldRule],
        ignored: &[&str],
        required: &[&str],
    ) -> bool {
        let Ok(Sent(sent)) = serde_json::from_str(text) else {
            return false;
        };
        let known = rules.iter().map(|rule| rule.name);
        let known: Vec<_> = known.filter(|name| !ignored.contains(name)).collect();
        // Telling what was meant takes a while, and names that are clipped may be one fault only.
        let mut unknown = 0;
        for (name, value) in &sent {
            if ignored.contains(&&**name) || self.is_full() {
                continue;
            }
            match rules.iter().find(|rule| rule.name == name) {
                Some(_) if value.get() == "null" && required.contains(&&**name) => {
                    self.add(required_not_null(&format!("{path}{name}")));
                }
                Some(rule) => (rule.faults)(value, &format!("{path}{name}"), self),
                None if unknown == MOST_FAULTS => {}
                None => {
                    unknown += 1;
                    let path = format!("{path}{}", clip(name));
                    self.add(Invalid::new(path, unknown_field(name, &known)));
                }
            }
        }
        for name in required {
            if !sent.iter().any(|(sent, _)| sent == name) {
                self.add(missing(&format!("{path}{name}")));
            }
        }
        true
    }

    /// Adds the faults of an object with declared fields.
    pub(in crate::wire) fn object<T: WriteInput>(&mut self, sent: &RawValue, path: String) {
        let within = format!("{path}.");
        if !self.fields(sent.get(), &within, T::RULES, T::READ_ONLY, T::REQUIRED) {
            let problem = format!("must be an object, not {}", super::kind(sent.get()));
            self.add(Invalid::new(path, problem));
        }
    }
}

impl Faults {
    /// Returns all faults of the body of a write, field by field.
    pub fn of_body<T: WriteInput>(json: &[u8], required: &[&str]) -> Self {
        let mut faults = Self::default();
        if let Ok(text) = std::str::from_utf8(json) {
            faults.fields(text, "", T::RULES, T::READ_ONLY, required);
        }
        faults
    }

    /// Checks an input for creating something.
    /// A refused input has all its faults.
    ///
    /// # Errors
    /// A field is missing or out of bounds.
    pub fn check_new<T: WriteInput + Serialize>(input: &mut T) -> Result<(), Invalid> {
        let checked = input.check().and_then(|()| input.check_required());
        checked.map_err(|first| Self::of_input(input, T::REQUIRED).after(first))
    }

    /// Returns all faults of an input already read.
    pub fn of_input<T: WriteInput + Serialize>(input: &T, required: &[&str]) -> Self {
        let json = serde_json::to_vec(input).unwrap_or_default();
        Self::of_body::<T>(&json, required)
    }
}

/// Returns a field of an object text, as sent.
pub(super) fn field<'a>(text: &'a str, name: &str) -> Option<&'a RawValue> {
    let Sent(sent) = serde_json::from_str(text).ok()?;
    let mut named = sent.into_iter().filter(|(sent, _)| sent == name);
    named.next().map(|(_, value)| value)
}

/// The fields of an object in the order of the text.
/// An array is refused, while a derived reader would accept it.
struct Sent<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Sent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;
        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Sent<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sent<'de>, A::Error> {
                let mut sent = Vec::new();
                while let Some(entry) = map.next_entry::<Cow<'de, str>, &RawValue>()? {
                    sent.push(entry);
                }
                Ok(Sent(sent))
            }
        }
        deserializer.deserialize_map(EntriesVisitor)
    }
}
