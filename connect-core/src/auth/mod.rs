//! Rights: tokens are authenticated, counted, and authorized at a location.

mod admission;
mod concurrency_limit;
mod counting;
mod credential_cache;
mod credentials;
mod device;
mod limit;
mod pending_requests;
mod right;
mod sharing;
mod sign_ins;

pub(crate) use admission::Admission;
pub use admission::{Authenticated, Denied};
pub use device::ScreenRight;
pub(crate) use pending_requests::{PendingOfToken, TokenOf};
pub use right::{Access, Actor};
pub(crate) use sign_ins::SignIns;

use crate::{rules::rate::RequestTime, transaction::Store};

/// Returns the time for counting a request.
fn moment(store: &Store) -> RequestTime {
    RequestTime {
        now: store.now(),
        elapsed: store.elapsed(),
    }
}
