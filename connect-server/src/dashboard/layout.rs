//! The frame of every page: head, navigation, and the previous action's notice.

use connect_core::{Account, UserRight};
use maud::{DOCTYPE, Markup, html};

use super::{
    Answer, PageRequest, components,
    notices::Notice,
    page_request::SignedIn,
    sections::{ROOT, SANDBOX, SECTIONS},
};

/// Makes a page for a signed-in user.
/// `section` is the path of its part in the navigation.
pub(super) fn page(to: &SignedIn<'_>, section: &str, title: &str, content: Markup) -> Answer {
    let account = to.account();
    let sandbox = to
        .sandbox()
        .filter(|_| to.session.has(UserRight::UseSandbox));
    let sandbox = sandbox.map(|_| (SANDBOX, "Sandbox"));
    let sections = SECTIONS
        .iter()
        .filter(|(.., right)| right.is_none_or(|right| to.session.has(right)));
    let sections = sections
        .map(|(path, name, _)| (*path, *name))
        .chain(sandbox);
    let body = html! {
        a.skip href="#content" { "Skip to the content" }
        @if sandbox.is_some() {
            aside.banner aria-label="Sandbox" {
                "This is a sandbox: nothing in it is real. "
                a href=(SANDBOX) { "Simulate a sale, an order or a day of trade" }
            }
        }
        @if to.connect.holds_deliveries() {
            aside.banner aria-label="Deliveries" {
                "Deliveries are off: webhooks and e-mail are not sent, and images are not downloaded. "
                "This is a copy of a shop, or one that was restored and is not in use yet."
            }
        }
        @if account.lacks_factor(to.user()) {
            aside.banner aria-label="Second factor" {
                "Your account demands a second factor. "
                a href="/dashboard/account/second-factor" { "Set one up to go on" }
            }
        }
        @for planned in &account.erasures {
            aside.banner aria-label="Erasure" {
                @match account.locations.iter().find(|at| Some(at.id) == planned.location_id) {
                    Some(at) => { "The location " (at.name) " is erased at " }
                    None => "This account is erased at ",
                }
                (components::time(planned.erase_at)) ". "
                @if to.session.has(UserRight::ManagePrivacy) {
                    a href="/dashboard/privacy" { "Take it back" }
                } @else { "An owner can take it back." }
            }
        }
        header {
            a.brand href=(ROOT) { "Connect" }
            (business(account))
            form.sign-out method="post" action="/dashboard/sign-out" {
                (components::hidden(&to.csrf))
                button.quiet { "Sign out" }
            }
        }
        nav aria-label="Dashboard" {
            ul {
                @for (path, name) in sections {
                    @let is_current = path == section;
                    li { a href=(path) aria-current=[is_current.then_some("page")] { (name) } }
                }
            }
        }
        main id="content" {
            (notice(to))
            h1 { (title) }
            (content)
        }
    };
    Answer::page(document(title, &html! {}, &body))
}

/// Makes a page for a signed-out visitor.
pub(super) fn open_page(visit: &PageRequest, title: &str, content: Markup) -> Answer {
    Answer::page(bare(title, &notice(visit), content))
}

/// Makes a page for a signed-out visitor, with another page to go on to at once.
pub(super) fn onward_page(visit: &PageRequest, title: &str, url: &str, content: Markup) -> Answer {
    let body = bare_body(title, &notice(visit), content);
    let onward = html! { meta http-equiv="refresh" content={ "0; url=" (url) }; };
    Answer::page(document(title, &onward, &body))
}

/// Makes a page for the sender of an invalid request.
pub(super) fn bare_page(title: &str, content: Markup) -> Markup {
    bare(title, &html! {}, content)
}

fn bare(title: &str, notice: &Markup, content: Markup) -> Markup {
    document(title, &html! {}, &bare_body(title, notice, content))
}

fn bare_body(title: &str, notice: &Markup, content: Markup) -> Markup {
    html! {
        main.door id="content" {
            p.brand { "Connect" }
            (notice)
            h1 { (title) }
            (content)
        }
    }
}

fn business(account: &Account) -> Markup {
    html! {
        span.business { (account.name) }
        @if account.sandbox { span.tag { "Sandbox" } }
    }
}

/// The notice named by the address, if any.
fn notice(visit: &PageRequest) -> Markup {
    html! {
        @if let Some(text) = Notice::text(visit.query.get("done")) {
            p.notice role="status" { (text) }
        }
    }
}

fn document(title: &str, more: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                (more)
                title { (title) " · Connect" }
                // Without an icon, browsers ask for /favicon.ico.
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/dashboard/style.css";
            }
            body { (body) }
        }
    }
}
