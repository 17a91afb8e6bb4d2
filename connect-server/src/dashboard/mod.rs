//! The owner's dashboard: pages on the owner's listener, rendered on the server.
//!
//! Every action is a form, so everything but passkeys works without scripts. Nothing on a page comes from another
//! host. The pages have no logic of their own: they show the answers of the core, and pass input on to it.
//!
//! A request is a [`PageRequest`]; [`answer`] passes it to its page, a function in [`pages`].

#[macro_use]
mod messages;

mod answer;
mod chart;
mod components;
mod cookies;
mod csrf;
mod fields;
mod icons;
mod idempotent_forms;
mod inputs;
mod layout;
mod new_password;
mod notices;
mod page_request;
mod pages;
mod passkeys;
mod period;
mod period_choice;
mod search_form;
mod sections;
mod table;
mod wording;

pub(crate) use answer::{Answer, AnswerContent};
pub(crate) use fields::FormFields;
pub(crate) use idempotent_forms::IdempotentForms;
pub(crate) use messages::of_browser as language_of_browser;
pub(crate) use page_request::{DashboardContext, PageRequest};
pub(crate) use pages::{answer, may_have_file, problem_of_request};
pub(crate) use passkeys::SCRIPT_HASH;
pub(crate) use sections::{area, areas};
