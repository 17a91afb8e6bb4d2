//! The parameters of lists that are not by `updatedAt`.

use super::{
    PageQuery, Paging, Parameter, Query,
    paging::page_parameters,
    parameter::{IdOf, parameter},
};
use crate::wire::{AnyEvent, EventType, Id, ImageStatus};

/// The parameters of the list of image jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageJobQuery {
    /// Pages.
    pub paging: Paging,
    /// Only jobs that are this far.
    pub status: Option<ImageStatus>,
}

impl Query for ImageJobQuery {
    const PARAMETERS: &'static [Parameter<Self>] = page_parameters![
        paging;
        parameter!("status", status, ImageStatus, "Only jobs that are this far."),
    ];
}

/// The parameters of the list of events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventQuery {
    /// Pages.
    pub paging: Paging,
    /// Only events of this type.
    pub kind: Option<EventType>,
    /// Only events after the one with this id.
    pub after: Option<Id<AnyEvent>>,
}

impl Query for EventQuery {
    const PARAMETERS: &'static [Parameter<Self>] = page_parameters![
        paging;
        parameter!("type", kind, EventType, "Only events of this type."),
        parameter!(
            "after", after, IdOf<AnyEvent>,
            "Only events after the one with this id, which is the last that you have. One that \
             is unknown, or older than the 30 days for which events are kept, is refused."
        ),
    ];
}

/// Has the parameters of its pages in the field `paging`.
macro_rules! paged {
    ($query:ty) => {
        impl PageQuery for $query {
            fn limit(&self) -> Option<usize> {
                self.paging.limit
            }

            fn cursor(&self) -> Option<&str> {
                self.paging.cursor.as_deref()
            }

            fn set_limit(&mut self, limit: usize) {
                self.paging.limit = Some(limit);
            }

            fn set_cursor(&mut self, cursor: String) {
                self.paging.cursor = Some(cursor);
            }
        }
    };
}

paged!(EventQuery);
paged!(ImageJobQuery);
