//! All that is wrong with a body, for one that was refused.
//!
//! A body is read and checked until its first fault. Only then does this look at each field by
//! itself, so that a client can mend all of them at once.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{Invalid, WriteInput, clip, missing, nearest::unknown_field, required_not_null};

/// The most faults of a request that are told.
const MOST_FAULTS: usize = 20;

/// The faults that were found so far.
#[derive(Debug, Default)]
pub struct Faults {
    found: Vec<Invalid>,
}

impl Faults {
    /// Adds a fault, unless there are enough, or one of the same field.
    pub fn add(&mut self, fault: Invalid) {
        let is_known = self.found.iter().any(|other| other.field == fault.field);
        if !is_known && !self.is_full() {
            self.found.push(fault);
        }
    }

    /// Returns whether there are as many as are told.
    pub fn is_full(&self) -> bool {
        self.found.len() >= MOST_FAULTS
    }

    /// Returns the number of faults.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Takes the value that was checked, or adds the faults that were found.
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

    /// Returns all values that were checked.
    ///
    /// # Errors
    /// Some were refused, with all faults that were found.
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
    /// Some were found: the first with the others.
    pub fn into_result(self) -> Result<(), Invalid> {
        self.into_first().map_or(Ok(()), Err)
    }

    /// Returns the first fault with the others, if there is one.
    pub(in crate::wire) fn into_first(mut self) -> Option<Invalid> {
        if self.is_empty() {
            return None;
        }
        let first = self.found.remove(0);
        Some(self.after(first))
    }

    /// Returns the fault that a request is refused with, with all that were found. What was found of
    /// the same field is told in its place, since it was found by one who knows what is required.
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

/// A field of a body, as a list of faults is made of it.
#[derive(Clone, Copy, Debug)]
pub struct FieldRule {
    /// The name in JSON.
    pub name: &'static str,
    /// Adds what is wrong with a value.
    faults: fn(&RawValue, &str, &mut Faults),
}

impl FieldRule {
    /// The rule of a field. The function adds what is wrong with a value.
    pub(in crate::wire) const fn new(
        name: &'static str,
        faults: fn(&RawValue, &str, &mut Faults),
    ) -> Self {
        Self { name, faults }
    }

    /// The rule of a field that is looked at elsewhere.
    pub(super) const fn elsewhere(name: &'static str) -> Self {
        Self {
            name,
            faults: |_, _, _| (),
        }
    }
}

impl Faults {
    /// Adds the fault that a check has found, if it has.
    pub(in crate::wire) fn extend(&mut self, checked: Result<(), Invalid>) {
        if let Err(fault) = checked {
            self.add(fault);
        }
    }

    /// Adds what is wrong with the elements of an array, each of which `look` looks at. Returns
    /// `false` when the value is no array.
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

    /// Adds what is wrong with the fields of an object. Its own path ends with a dot, or is empty.
    /// Returns `false` when the text is no object.
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

    /// Adds what is wrong with an object of which fields are declared.
    pub(in crate::wire) fn object<T: WriteInput>(&mut self, sent: &RawValue, path: String) {
        let within = format!("{path}.");
        if !self.fields(sent.get(), &within, T::RULES, T::READ_ONLY, T::REQUIRED) {
            let problem = format!("must be an object, not {}", super::kind(sent.get()));
            self.add(Invalid::new(path, problem));
        }
    }
}

impl Faults {
    /// Returns all that is wrong with the body of a write, field by field.
    pub fn of_body<T: WriteInput>(json: &[u8], required: &[&str]) -> Self {
        let mut faults = Self::default();
        if let Ok(text) = std::str::from_utf8(json) {
            faults.fields(text, "", T::RULES, T::READ_ONLY, required);
        }
        faults
    }

    /// Checks an input that creates something. All faults of one that is refused are told.
    ///
    /// # Errors
    /// A field is missing or out of bounds.
    pub fn check_new<T: WriteInput + Serialize>(input: &mut T) -> Result<(), Invalid> {
        let checked = input.check().and_then(|()| input.check_required());
        checked.map_err(|first| Self::of_input(input, T::REQUIRED).after(first))
    }

    /// Returns all that is wrong with an input that could be read.
    pub fn of_input<T: WriteInput + Serialize>(input: &T, required: &[&str]) -> Self {
        let json = serde_json::to_vec(input).unwrap_or_default();
        Self::of_body::<T>(&json, required)
    }
}

/// Returns a field of a text that is an object, as it was sent.
pub(super) fn field<'a>(text: &'a str, name: &str) -> Option<&'a RawValue> {
    let Sent(sent) = serde_json::from_str(text).ok()?;
    let mut named = sent.into_iter().filter(|(sent, _)| sent == name);
    named.next().map(|(_, value)| value)
}

/// The fields of an object in the order of the text. An array is none, which a derived reader would
/// take for one.
struct Sent<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Sent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
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
        deserializer.deserialize_map(Entries)
    }
}
