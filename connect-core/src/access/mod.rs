//! Rights: tokens are authenticated, counted, and authorized at a location.

mod admission;
mod counting;
mod credentials;
mod device;
mod known;
mod limit;
mod places;
mod right;
mod sharing;
mod sign_ins;

pub(crate) use admission::Admission;
pub use admission::{Authenticated, Denied};
pub use device::ScreenRight;
pub use right::{Access, Actor};
pub(crate) use sign_ins::SignIns;

use crate::{record::Store, rules::rate::Moment};

/// Returns the time at which something is counted.
fn moment(store: &Store) -> Moment {
    Moment {
        now: store.now(),
        elapsed: store.elapsed(),
    }
}
