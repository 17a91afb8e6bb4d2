//! The declaration of a chapter: what is particular to one kind of record. Everything else is
//! written once, in this room.

use std::ops::Deref;

use async_trait::async_trait;
use serde::Serialize;
use uuid::Uuid;

use super::request::FromJson;
use crate::{
    access::Access,
    error::Error,
    record::{Reads, Record, Through, Unit},
    wire::{EventType, MatchBy, query::ListQuery, read::Invalid},
};

/// The use that a write makes of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To create a record: what it requires has to be there.
    Create,
    /// To change a record, or, in a batch, to create or change one: the state decides.
    Change,
}

/// A kind of record that a location has: listed, read, created, changed and deleted under its id.
///
/// Sealed: the trait under it cannot be named outside of this crate.
#[async_trait]
pub trait Resource: Record + Clone + PartialEq + 'static {
    /// The name of one, as messages use it.
    const NAME: &'static str;
    /// The name of the list, which its cursors are bound to.
    const LIST: &'static str;
    /// The event of a single write.
    const CHANGED: EventType;

    /// The fields that a client may write.
    type Input: FromJson + Serialize + Send + Sync + 'static;
    /// The parameters of the list.
    type Query: ListQuery;
    /// What filling in a record sets off besides, such as the download of an image.
    #[doc(hidden)]
    type Effect: Send;

    /// Checks every field that needs no other record to be checked.
    #[doc(hidden)]
    fn check(input: Self::Input, purpose: Purpose) -> Result<Self::Input, Invalid>;

    /// Adds what a write of `draft` looks up, whichever record it is for. The records that a batch
    /// is matched `by` are read already.
    #[doc(hidden)]
    fn reads(draft: &Draft<Self>, by: Option<&MatchBy>, reads: &mut Reads);

    /// Adds what belongs to the record `id`, which is changed by `draft`, or deleted.
    #[doc(hidden)]
    fn reads_of(_id: Uuid, _draft: Option<&Draft<Self>>, _reads: &mut Reads) {}

    /// Adds what a write of these drafts looks up once the first reads are known.
    #[doc(hidden)]
    fn more_reads(_: &[&Draft<Self>], _: &Access, _: &Unit<'_>, _: &mut Reads) {}

    /// A new record with its defaults, which `draft` is then filled into.
    #[doc(hidden)]
    fn blank(draft: &Draft<Self>, unit: &Unit<'_>, access: &Access) -> Result<Self, Invalid>;

    /// Writes the given fields into the record, every reference checked. `old` is the record as it
    /// was, if there was one.
    #[doc(hidden)]
    async fn fill(
        &mut self,
        draft: &Draft<Self>,
        old: Option<&Self>,
        unit: &mut Unit<'_>,
        access: &Access,
    ) -> Result<Self::Effect, Error>;

    /// Removes what belongs to a record that is deleted.
    #[doc(hidden)]
    async fn on_delete(&self, _: &mut Unit<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// The number of records that deleting one may change.
    #[doc(hidden)]
    const DELETE_WEIGHT: usize = 1;

    /// The index that a list with these parameters is read through.
    #[doc(hidden)]
    fn through(_query: &Self::Query) -> Through<'_> {
        Through::All
    }

    /// The index in change order that is read instead when a text has too many holders to be
    /// sorted.
    #[doc(hidden)]
    fn in_order(_query: &Self::Query) -> Through<'_> {
        Through::All
    }

    /// Checks a record against the filters, where the index alone does not tell.
    #[doc(hidden)]
    fn filter(_query: &Self::Query) -> Option<fn(&Self, &Self::Query) -> bool> {
        None
    }
}

/// Checked input: every rule holds that needs no other record.
#[derive(Debug)]
pub struct Draft<R: Resource>(R::Input);

impl<R: Resource> Draft<R> {
    /// Checks input.
    pub(crate) fn check(input: R::Input, purpose: Purpose) -> Result<Self, Invalid> {
        R::check(input, purpose).map(Self)
    }
}

impl<R: Resource> Deref for Draft<R> {
    type Target = R::Input;

    fn deref(&self) -> &R::Input {
        &self.0
    }
}
