//! Webhooks: listed, made, changed, tested and monitored.

mod actions;
mod deliveries;
mod delivery;
mod filters;
mod form;
mod health;
mod list;
mod resend;
mod resend_report;
mod show;
mod switched_off;
mod test_event;

pub(super) use actions::{delete, disable, enable, resend, roll, test};
pub(super) use delivery::show as delivery;
pub(super) use form::{change, create, edit, new};
pub(super) use list::list;
pub(super) use resend::ask as resend_ask;
pub(super) use resend_report::{chosen as resend_chosen, failed as resend_failed};
pub(super) use show::show;

/// The path of the list.
const PATH: &str = "/dashboard/webhooks";
