//! Lists.

use std::collections::HashSet;

use serde::{Deserialize, Deserializer};
use uuid::Uuid;

use super::Form;
use crate::wire::read::{Invalid, array};

/// A list of at most `MAX` ids, each once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ids<const MAX: usize>;

impl<const MAX: usize> Form for Ids<MAX> {
    type Value = Vec<Uuid>;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Uuid>, D::Error> {
        let ids = array(deserializer)?;
        Ok(ids.into_iter().map(|Element(id)| id).collect())
    }

    fn check(ids: &mut Vec<Uuid>, field: &str) -> Result<(), Invalid> {
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
