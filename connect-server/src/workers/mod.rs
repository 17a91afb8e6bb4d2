//! The work beside the listeners: images, webhooks and mail.
//! Requests to other servers are guarded.

pub(crate) mod images;
pub mod mail;
pub mod outbound;
pub(crate) mod providers;
pub mod webhooks;
