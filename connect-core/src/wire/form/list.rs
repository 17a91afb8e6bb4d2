//! Lists.

use std::{collections::HashSet, marker::PhantomData};

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{Form, faults_of_value};
use crate::wire::{
    Id,
    read::{Faults, Invalid, array},
};

/// A list of at most `MAX` values of one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListForm<F, const MAX: usize>(PhantomData<F>);

impl<F: Form, const MAX: usize> Form for ListForm<F, MAX> {
    type Value = Vec<F::Value>;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<F::Value>, D::Error> {
        let values: Vec<FormElement<F>> = array(deserializer)?;
        Ok(values.into_iter().map(|FormElement(value)| value).collect())
    }

    fn check(values: &mut Vec<F::Value>, field: &str) -> Result<(), Invalid> {
        if values.len() > MAX {
            let problem = format!("must have at most {MAX} entries, not {}", values.len());
            return Err(Invalid::new(field, problem));
        }
        for (at, value) in values.iter_mut().enumerate() {
            let checked = F::check(value, "");
            checked.map_err(|invalid| invalid.within(format_args!("{field}[{at}]")))?;
        }
        Ok(())
    }

    fn faults(sent: &RawValue, path: &str, faults: &mut Faults) {
        let before = faults.len();
        let is_array = faults.elements(sent, path, |faults, value, path| {
            faults_of_value::<F>(value, &path, faults);
        });
        if !is_array || faults.len() == before {
            faults_of_value::<Self>(sent, path, faults);
        }
    }
}

/// A list of at most `MAX` ids of one kind, each once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdList<T, const MAX: usize>(PhantomData<T>);

impl<T, const MAX: usize> Form for IdList<T, MAX> {
    type Value = Vec<Id<T>>;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Id<T>>, D::Error> {
        ListForm::<Id<T>, MAX>::read(deserializer)
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

    fn faults(sent: &RawValue, path: &str, faults: &mut Faults) {
        let before = faults.len();
        ListForm::<Id<T>, MAX>::faults(sent, path, faults);
        if faults.len() == before {
            faults_of_value::<Self>(sent, path, faults);
        }
    }
}

struct FormElement<F: Form>(F::Value);

impl<'de, F: Form> Deserialize<'de> for FormElement<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        F::read(deserializer).map(Self)
    }
}
