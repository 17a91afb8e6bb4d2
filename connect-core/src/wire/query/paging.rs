//! The common parameters of lists.

use super::{Query, SyncQuery};

/// The parameters of a list: page parameters and its own.
/// The page parameters are in the field `$of`.
macro_rules! page_parameters {
    ($of:ident; $($own:expr),* $(,)?) => {
        &[
            $crate::wire::query::parameter::parameter!(
                "limit", $of.limit, $crate::wire::query::parameter::PageSize,
                "Records per page."
            ),
            $crate::wire::query::parameter::parameter!(
                "cursor", $of.cursor, $crate::wire::query::parameter::CursorText,
                "The `nextCursor` of the page before; keep the other parameters the same. A cursor \
                 is refused if it is altered, or sent to another list or location, or with other \
                 filters. `limit` may change from page to page."
            ),
            $($own,)*
        ]
    };
}

pub(super) use page_parameters;

/// The parameters of a list read page by page.
pub trait PageQuery: Query + Clone + Send + Sync + 'static {
    /// Records per page, 1 to 200; 50 unless given.
    fn limit(&self) -> Option<usize>;

    /// The `nextCursor` of the page before.
    fn cursor(&self) -> Option<&str>;

    /// Sets the number of records per page.
    fn set_limit(&mut self, limit: usize);

    /// Sets the cursor of the page.
    fn set_cursor(&mut self, cursor: String);

    /// Leaves deleted records out.
    /// A list without them has nothing to do.
    fn leave_out_deleted(&mut self) {}
}

/// The parameters of a list by `updatedAt`.
pub trait ListQuery: Query + Clone + Send + Sync + 'static {
    /// The common parameters.
    fn sync(&self) -> &SyncQuery;

    /// The same, mutable.
    fn sync_mut(&mut self) -> &mut SyncQuery;
}

impl<Q: ListQuery> PageQuery for Q {
    fn limit(&self) -> Option<usize> {
        self.sync().limit
    }

    fn cursor(&self) -> Option<&str> {
        self.sync().cursor.as_deref()
    }

    fn set_limit(&mut self, limit: usize) {
        self.sync_mut().limit = Some(limit);
    }

    fn set_cursor(&mut self, cursor: String) {
        self.sync_mut().cursor = Some(cursor);
    }

    fn leave_out_deleted(&mut self) {
        self.sync_mut().include_deleted = false;
    }
}

/// The parameters of every other list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paging {
    /// Records per page, 1 to 200; 50 unless given.
    pub limit: Option<usize>,
    /// The `nextCursor` of the page before; keep the other parameters the same.
    pub cursor: Option<String>,
}
