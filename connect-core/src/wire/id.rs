//! Typed ids: each is the id of one kind of record.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    marker::PhantomData,
    str::FromStr,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

use super::{form::Form, read::Invalid};

/// The id of a record of one kind, such as `Id<Product>`.
/// It is a UUID in JSON and in `Display`.
///
/// The compiler distinguishes ids of different kinds. An id from elsewhere, such as a file or a
/// URL, is a [`Uuid`] first, and becomes an id of any kind:
///
/// ```
/// use connect_core::wire::{Category, Id, Product};
/// use uuid::Uuid;
///
/// let product: Id<Product> = Uuid::nil().into();
/// assert_eq!(product.to_string(), "00000000-0000-0000-0000-000000000000");
/// assert_eq!(product, "00000000-0000-0000-0000-000000000000".parse::<Id<Product>>()?);
/// # Ok::<(), uuid::Error>(())
/// ```
///
/// ```compile_fail
/// # use connect_core::wire::{Category, Id, Product};
/// # let category: Id<Category> = uuid::Uuid::nil().into();
/// let product: Id<Product> = category;
/// ```
pub struct Id<T> {
    uuid: Uuid,
    kind: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    /// An id of this kind.
    pub const fn new(uuid: Uuid) -> Self {
        Self {
            uuid,
            kind: PhantomData,
        }
    }

    /// Returns the id without its kind.
    pub const fn uuid(self) -> Uuid {
        self.uuid
    }
}

impl<T> From<Uuid> for Id<T> {
    fn from(uuid: Uuid) -> Self {
        Self::new(uuid)
    }
}

impl<T> From<&Uuid> for Id<T> {
    fn from(uuid: &Uuid) -> Self {
        Self::new(*uuid)
    }
}

impl<T> From<&Self> for Id<T> {
    fn from(id: &Self) -> Self {
        *id
    }
}

impl<T> From<Id<T>> for Uuid {
    fn from(id: Id<T>) -> Self {
        id.uuid
    }
}

impl<T> FromStr for Id<T> {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        text.parse().map(Self::new)
    }
}

impl<T> fmt::Display for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.uuid, f)
    }
}

impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.uuid, f)
    }
}

// Derives would require these traits of `T`, though only the id needs them.

impl<T> Copy for Id<T> {}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid
    }
}

impl<T> Eq for Id<T> {}

impl<T> PartialEq<Uuid> for Id<T> {
    fn eq(&self, other: &Uuid) -> bool {
        self.uuid == *other
    }
}

impl<T> PartialEq<Id<T>> for Uuid {
    fn eq(&self, other: &Id<T>) -> bool {
        *self == other.uuid
    }
}

impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.uuid.cmp(&other.uuid)
    }
}

impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.uuid.hash(state);
    }
}

impl<T> Serialize for Id<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.uuid.serialize(serializer)
    }
}

impl<'de, T> Deserialize<'de> for Id<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Uuid::deserialize(deserializer).map(Self::new)
    }
}

impl<T> Form for Id<T> {
    type Value = Self;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <Uuid as Form>::read(deserializer).map(Self::new)
    }

    fn check(_: &mut Self, _: &str) -> Result<(), Invalid> {
        Ok(())
    }
}

#[cfg(feature = "schema")]
impl<T> schemars::JsonSchema for Id<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Id".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        generator.subschema_for::<Uuid>()
    }
}
