//! The declaration of one kind of record, with its specifics.
//! Everything else is written once, in this module.

use std::ops::Deref;

use async_trait::async_trait;
use serde::Serialize;

use super::request::FromJson;
use crate::{
    auth::Access,
    transaction::{Error, Reads, Record, UnitOfWork},
    wire::{
        EventType, Id, WriteInput as _,
        query::ListQuery,
        read::{Faults, Invalid},
    },
};

/// The purpose of a write's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To create a record: its required fields must be present.
    Create,
    /// To change a record; a batch may also create one.
    Change,
}

/// A kind of record with all operations.
/// Clients list, read, create, change and delete it by id.
///
/// Its indexes and references are declared by its supertrait. This seals it, since the supertrait cannot be
/// named outside of this crate.
#[async_trait]
pub trait Resource:
    Record<Input: FromJson + Serialize, Query: ListQuery> + Clone + PartialEq
{
    /// The singular name, for messages.
    const NAME: &'static str;
    /// The name of the list, part of its cursors.
    const LIST: &'static str;
    /// The event of a single write.
    const CHANGED: EventType;
    /// The number of records changed by a deletion.
    #[doc(hidden)]
    const DELETE_WEIGHT: usize = 1;

    /// Checks every field independent of other records.
    #[doc(hidden)]
    fn check(input: &mut Self::Input) -> Result<(), Invalid> {
        input.check()
    }

    /// Adds lookups of a write of `draft`, besides its unique texts and references.
    #[doc(hidden)]
    fn reads(_draft: &Draft<Self>, _reads: &mut Reads) {}

    /// Adds reads of the rows belonging to the record `id`.
    /// `draft` changes the record; without it the record is deleted. For an item of a batch, `unit` has
    /// read the record already.
    #[doc(hidden)]
    fn reads_of(
        _id: Id<Self>,
        _draft: Option<&Draft<Self>>,
        _unit: Option<&UnitOfWork<'_>>,
        _reads: &mut Reads,
    ) {
    }

    /// Makes a new record with its defaults, to be filled from input.
    #[doc(hidden)]
    fn blank(unit: &UnitOfWork<'_>, _: &Access) -> Self {
        Self::new(unit.next_id(), unit.time())
    }

    /// Writes the given fields into the record.
    /// `old` is the record before, if there was one. References and unique texts are checked afterwards.
    #[doc(hidden)]
    async fn fill(
        &mut self,
        draft: &Draft<Self>,
        _old: Option<&Self>,
        _: &mut UnitOfWork<'_>,
        _: &Access,
    ) -> Result<(), Error> {
        self.apply(draft);
        Ok(())
    }

    /// Removes the rows belonging to a deleted record.
    /// For a lost record, only the id is valid.
    #[doc(hidden)]
    async fn on_delete(&self, _: &mut UnitOfWork<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Restores lost parts of the record.
    #[doc(hidden)]
    async fn restore_parts(&self, _: &mut UnitOfWork<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// Checked input: it satisfies every rule independent of other records.
#[derive(Debug)]
pub struct Draft<R: Resource>(R::Input);

impl<R: Resource> Draft<R> {
    /// Checks input.
    pub(crate) fn check(mut input: R::Input, purpose: Purpose) -> Result<Self, Invalid> {
        let is_new = purpose == Purpose::Create;
        let required = if is_new { R::Input::REQUIRED } else { &[] };
        let mut checked = R::check(&mut input);
        if is_new {
            checked = checked.and_then(|()| input.check_required());
        }
        checked.map_err(|first| Faults::of_input(&input, required).after(first))?;
        Ok(Self(input))
    }

    /// Checks the presence of a new record's required fields.
    pub(super) fn check_required(&self) -> Result<(), Invalid> {
        let checked = self.0.check_required();
        checked.map_err(|first| Faults::of_input(&self.0, R::Input::REQUIRED).after(first))
    }
}

impl<R: Resource> Deref for Draft<R> {
    type Target = R::Input;

    fn deref(&self) -> &R::Input {
        &self.0
    }
}
