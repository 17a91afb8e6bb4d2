//! Lists.

use std::{collections::HashSet, marker::PhantomData};

use serde::{Deserialize, Deserializer};
use uuid::Uuid;

use super::Form;
use crate::wire::{
    Id,
    read::{Invalid, array},
};

/// A list of at most `MAX` ids of one kind, each once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ids<T, const MAX: usize>(PhantomData<T>);

impl<T, const MAX: usize> Form for Ids<T, MAX> {
    type Value = Vec<Id<T>>;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Id<T>>, D::Error> {
        let ids = array(deserializer)?;
        Ok(ids.into_iter().map(|Element(id)| id.into()).collect())
    }

    fn check(ids: &mut Vec<Id<T>>, field: &str) -> Result<(), Invalid> {
        if ids.len() > MAX {
            let problem = format!("must have at most {MAX} ids, not {}", ids.len());
            return Err(Invalid::new(field, problem));
        }
        let mut seen = HashSet::new();
        match ids.iter().position(|id| !seen.insert(*id)) {
            Some(at) => Err(Invalid::new(
                format!("{field}[{at}]"),
                "repeats an earlier id",
            )),
            None => Ok(()),
        }
    }
}

struct Element(Uuid);

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <Uuid as Form>::read(deserializer).map(Self)
    }
}
