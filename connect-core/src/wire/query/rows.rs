//! The parameters of lists that are not by `updatedAt`.

use super::{PageQuery, Paging, Parameter, Query, paging::page_parameters, parameter::parameter};
use crate::wire::ImageStatus;

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

paged!(ImageJobQuery);
