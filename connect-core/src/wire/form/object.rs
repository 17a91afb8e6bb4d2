//! Objects within objects.

use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::{Form, faults_of_value};
use crate::wire::{
    WriteInput,
    read::{Faults, Invalid, array, object_within},
};

/// A list of `MIN` to `MAX` objects, each read as strictly as a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Objects<T, const MIN: usize, const MAX: usize>(PhantomData<T>);

impl<T: WriteInput + Serialize, const MIN: usize, const MAX: usize> Form for Objects<T, MIN, MAX> {
    type Value = Vec<T>;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
        let objects = array(deserializer)?;
        Ok(objects
            .into_iter()
            .map(|InputElement(object)| object)
            .collect())
    }

    fn check(objects: &mut Vec<T>, field: &str) -> Result<(), Invalid> {
        if !(MIN..=MAX).contains(&objects.len()) {
            let problem = format!("must have {MIN} to {MAX} entries, not {}", objects.len());
            return Err(Invalid::new(field, problem));
        }
        for (at, object) in objects.iter_mut().enumerate() {
            let checked = object.check();
            checked.map_err(|invalid| invalid.within(format_args!("{field}[{at}].")))?;
        }
        Ok(())
    }

    fn faults(sent: &RawValue, path: &str, faults: &mut Faults) {
        let before = faults.len();
        let is_array = faults.elements(sent, path, |faults, object, path| {
            faults.object::<T>(object, path);
        });
        if !is_array || faults.len() == before {
            faults_of_value::<Self>(sent, path, faults);
        }
    }
}

struct InputElement<T>(T);

impl<'de, T: WriteInput> Deserialize<'de> for InputElement<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object_within(deserializer).map(Self)
    }
}
