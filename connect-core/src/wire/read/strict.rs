//! Objects read strictly: no arrays, no unknown fields, no field twice.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize,
    de::{
        DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
        value::CowStrDeserializer,
    },
    forward_to_deserialize_any,
};
use serde_json::value::RawValue;

use super::{nearest::unknown_field, refuse::refuse_scalars, syntax};

/// A deserializer with strict structs.
/// Derived readers alone take an array for a struct. They also either drop unknown fields, or
/// cannot tell them from fields ignored on purpose.
pub(super) struct Strict<'a, D> {
    inner: D,
    ignored: &'a [&'static str],
}

impl<'a, D> Strict<'a, D> {
    /// Skips `ignored` fields with any value.
    pub(super) fn new(inner: D, ignored: &'a [&'static str]) -> Self {
        Self { inner, ignored }
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<'_, D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let fields = Fields {
            known,
            ignored: self.ignored,
        };
        self.inner.deserialize_any(Object { fields, visitor })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The known and the ignored fields of an object.
#[derive(Clone, Copy)]
struct Fields<'a> {
    known: &'static [&'static str],
    ignored: &'a [&'static str],
}

struct Object<'a, V> {
    fields: Fields<'a>,
    visitor: V,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Object<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(StrictEntries {
            inner,
            fields: self.fields,
            passed_over: 0,
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<V::Value, A::Error> {
        Err(A::Error::custom("must be an object, not an array"))
    }

    refuse_scalars!("an object");
}

/// The entries of an object, without ignored ones.
struct StrictEntries<'a, A> {
    inner: A,
    fields: Fields<'a>,
    /// One bit for each ignored field already seen.
    passed_over: u64,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for StrictEntries<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        loop {
            let key = match self.inner.next_key_seed(self.fields)? {
                None => return Ok(None),
                Some(Key::Known(key)) => key,
                Some(Key::Ignored(at)) => {
                    let bit = 1 << at;
                    if self.passed_over & bit != 0 {
                        return Err(A::Error::custom("stands twice"));
                    }
                    self.passed_over |= bit;
                    self.inner.next_value::<Ignored>()?;
                    continue;
                }
            };
            return seed.deserialize(CowStrDeserializer::new(key)).map(Some);
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}

enum Key<'de> {
    Known(Cow<'de, str>),
    /// The place in the list of ignored fields.
    Ignored(usize),
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = Key<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key<'de>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, key: &'de str) -> Result<Key<'de>, E> {
        self.find(key.into())
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<Key<'de>, E> {
        self.find(key.to_owned().into())
    }
}

impl Fields<'_> {
    fn find<'de, E: serde::de::Error>(self, key: Cow<'de, str>) -> Result<Key<'de>, E> {
        // A field can be both: the `id` of an item counts in some batches only.
        if let Some(at) = self.ignored.iter().position(|ignored| *ignored == key) {
            return Ok(Key::Ignored(at));
        }
        if self.known.contains(&&*key) {
            return Ok(Key::Known(key));
        }
        let allowed: Vec<_> = self
            .known
            .iter()
            .filter(|known| !self.ignored.contains(known))
            .copied()
            .collect();
        Err(E::custom(unknown_field(&key, &allowed)))
    }
}

/// A value skipped after a check of its syntax.
struct Ignored;

impl<'de> Deserialize<'de> for Ignored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = <&RawValue>::deserialize(deserializer)?;
        syntax::check(value.get()).map_err(D::Error::custom)?;
        Ok(Self)
    }
}
