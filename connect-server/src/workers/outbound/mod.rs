//! Requests to addresses from outside: images and webhooks.
//! The address guard keeps them out of every network other than the public internet and the allowed
//! ones.
//!
//! A link is checked before each request ([`AddressGuard::check`]). This catches literal addresses. The
//! resolver checks names: it returns only admitted addresses, so there is no second lookup with perhaps
//! another answer. Redirects are not followed and proxies not used.

mod client;
mod guard;
mod lookups;
mod names;
mod no_response;
mod public;

pub(crate) use client::install_provider;
pub use client::{Outbound, OutboundError, OutboundSettings};
pub use guard::{AddressGuard, LinkRefusal, Reach};
pub use lookups::Lookups;
pub use names::{LookupError, Names, SystemNames};
pub use no_response::{Insecurity, NoResponse};
pub use public::is_public;
