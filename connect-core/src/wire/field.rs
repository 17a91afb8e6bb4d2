//! Three-valued fields of writes.

use std::{fmt, marker::PhantomData};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Visitor};

use super::{
    Quantity,
    form::{Counted, Form, OrNull},
    read::{FieldRule, Invalid},
};

/// A field of a write: left out, `null`, or a value.
/// Left out keeps the stored value, `null` clears it. Its type names the [form](super::form) of its
/// values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Field<F: Form> {
    /// The field is not in the request.
    #[default]
    Absent,
    /// The field is `null`.
    Null,
    /// The field has a value.
    Value(F::Value),
}

impl<F: Form> Field<F> {
    /// Returns whether the field is left out.
    /// Such fields are not written to JSON.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Returns the value, if there is one.
    pub fn value(&self) -> Option<&F::Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// Returns the value itself, if there is one.
    pub fn into_value(self) -> Option<F::Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// Checks the field against its form; names are trimmed.
    ///
    /// # Errors
    /// The value is out of bounds, or is `null` and cannot be.
    pub fn check(&mut self, name: &str) -> Result<(), Invalid> {
        match self {
            Self::Null if !F::TAKES_NULL => {
                Err(Invalid::new(name, "must not be null; leave it out instead"))
            }
            Self::Absent | Self::Null => Ok(()),
            Self::Value(value) => F::check(value, name),
        }
    }

    /// The rule for finding all faults in the field of this name.
    pub(crate) const fn rule(name: &'static str) -> FieldRule {
        FieldRule::new(name, |sent, path, faults| {
            if sent.get() == "null" {
                faults.extend(Self::Null.check(path));
            } else {
                F::faults(sent, path, faults);
            }
        })
    }

    /// Writes the field into the field of a record, if given.
    pub(super) fn write_to<T: Target<F::Value>>(&self, target: &mut T) {
        if !self.is_absent() {
            target.write(self.value());
        }
    }
}

/// A field of a record, as a write changes it.
pub(super) trait Target<V> {
    /// Takes a value or `null`.
    /// For fields without `null`, an earlier check refused it.
    fn write(&mut self, given: Option<&V>);
}

impl<V: Clone> Target<V> for V {
    fn write(&mut self, given: Option<&V>) {
        if let Some(value) = given {
            self.clone_from(value);
        }
    }
}

impl<V: Clone> Target<V> for Option<V> {
    fn write(&mut self, given: Option<&V>) {
        match (self, given) {
            (Some(own), Some(value)) => own.clone_from(value),
            (own, given) => *own = given.cloned(),
        }
    }
}

/// Makes a field from a value of its form's own type.
/// An integer literal works too, as only `i64` makes fields of number forms.
///
/// ```
/// use connect_core::wire::{Field, ProductInput};
///
/// let mut change = ProductInput { price_cents: 395.into(), ..ProductInput::default() };
/// change.name = "Bread".into();
/// assert_eq!(change, ProductInput::named("Bread").price_cents(395));
/// ```
impl<F: Form<Value = F>> From<F> for Field<F> {
    fn from(value: F) -> Self {
        Self::Value(value)
    }
}

impl<F: Form<Value = F>> From<F> for Field<OrNull<F>> {
    fn from(value: F) -> Self {
        Self::Value(value)
    }
}

impl<F: Form<Value = String>> From<&str> for Field<F> {
    fn from(text: &str) -> Self {
        Self::Value(text.to_owned())
    }
}

impl<F: Form<Value = String>> From<String> for Field<F> {
    fn from(text: String) -> Self {
        Self::Value(text)
    }
}

impl<F: Form<Value = String>> From<&String> for Field<F> {
    fn from(text: &String) -> Self {
        Self::Value(text.clone())
    }
}

impl<F: Form<Value = i64>> From<i64> for Field<F> {
    fn from(number: i64) -> Self {
        Self::Value(number)
    }
}

impl<T, F: Form<Value = Vec<T>>> From<Vec<T>> for Field<F> {
    fn from(list: Vec<T>) -> Self {
        Self::Value(list)
    }
}

impl From<Quantity> for Field<Counted> {
    fn from(quantity: Quantity) -> Self {
        Self::Value(quantity)
    }
}

/// Takes a double option: serde's form for left out, `null` or given.
///
/// ```
/// use connect_core::wire::{Field, ProductInput};
///
/// let cleared = ProductInput { barcode: Some(None).into(), ..ProductInput::default() };
/// assert_eq!(cleared.barcode, Field::Null);
/// assert!(ProductInput { barcode: None.into(), ..cleared }.barcode.is_absent());
/// ```
impl<F: Form> From<Option<Option<F::Value>>> for Field<F> {
    fn from(given: Option<Option<F::Value>>) -> Self {
        match given {
            None => Self::Absent,
            Some(None) => Self::Null,
            Some(Some(value)) => Self::Value(value),
        }
    }
}

impl<F: Form> Serialize for Field<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent | Self::Null => serializer.serialize_none(),
            Self::Value(value) => serializer.serialize_some(value),
        }
    }
}

/// Reads a present field; `null` is taken with any form.
impl<'de, F: Form> Deserialize<'de> for Field<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldVisitor<F>(PhantomData<F>);
        impl<'de, F: Form> Visitor<'de> for FieldVisitor<F> {
            type Value = Field<F>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or null")
            }

            fn visit_none<E>(self) -> Result<Field<F>, E> {
                Ok(Field::Null)
            }

            fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<Field<F>, D::Error> {
                F::read(value).map(Field::Value)
            }
        }
        deserializer.deserialize_option(FieldVisitor(PhantomData))
    }
}
