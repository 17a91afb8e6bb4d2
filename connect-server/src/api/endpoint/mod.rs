//! Endpoints: the table entry, the handler's request and its reply.

mod call;
mod operation;
mod reply;
mod route;

pub(crate) use call::PathTarget;
pub use call::{Anywhere, AtLocation, AtPart, AtRecord, Call, Content};
pub use operation::{Operation, QueryParameter};
pub use reply::Reply;
pub(crate) use reply::{AUTHORIZATION_FIELD, add_rate};
pub use route::{Needs, Route};
