//! The owner's dashboard: pages on the owner's listener, rendered on the server.
//!
//! Every action is a form, so everything works without scripts. Nothing on a page comes from another
//! host. The pages have no logic of their own: they show the answers of the core, and pass input on to it.
//!
//! A request is a [`Visit`]; [`answer`] passes it to its page, a function in [`pages`].

mod answer;
mod components;
mod cookies;
mod csrf;
mod fields;
mod idempotent_forms;
mod inputs;
mod layout;
mod money;
mod new_password;
mod notices;
mod page_request;
mod pages;
mod sections;
mod wording;

pub(crate) use answer::{Answer, Content};
pub(crate) use fields::Fields;
pub(crate) use idempotent_forms::UsedForms;
pub(crate) use page_request::{Setting, Visit};
pub(crate) use pages::problem_of_request;
pub(crate) use sections::{area, areas, invitation_path};

use connect_core::Error;
use http::Method;

use self::page_request::SignedIn;
use crate::net::completion::complete;

/// Answers a request to the dashboard.
pub(crate) async fn answer(visit: Visit) -> Answer {
    if visit.method == Method::POST {
        // A browser goes away from the first of two clicks, and the second one has to know what became of it.
        return complete(find(visit)).await;
    }
    find(visit).await
}

async fn find(visit: Visit) -> Answer {
    if visit.method == Method::GET && visit.place() == ["style.css"] {
        return Answer::style();
    }
    let answer = match visit.signed_in().await {
        Ok(to) => {
            let mut answer = of_owner(&to).await;
            answer.account = Some(to.owner.account().id.uuid());
            Ok(answer)
        }
        Err(Error::Unauthorized(_)) => {
            let answer = pages::of_anybody(&visit).await;
            answer.map_err(|error| pages::problem(&visit, &error))
        }
        Err(error) => Err(pages::problem(&visit, &error)),
    };
    answer.unwrap_or_else(|problem| problem)
}

async fn of_owner(to: &SignedIn<'_>) -> Answer {
    // A session can be ended at any time.
    let is_sign_out = to.method == Method::POST && to.place() == ["sign-out"];
    if !is_sign_out && let Err(denied) = to.count().await {
        return pages::too_many(to, &denied);
    }
    let answer = pages::of_owner(to).await;
    answer.unwrap_or_else(|error| pages::problem_of_owner(to, &error))
}
