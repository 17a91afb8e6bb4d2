//! The frame of every page: head, navigation, and the previous action's notice.

use connect_core::{Account, UserRight};
use maud::{DOCTYPE, Markup, html};

use super::{
    Answer, PageRequest,
    answer::STYLE_ADDRESS,
    components,
    icons::icon,
    messages,
    messages::dates,
    notices,
    page_request::SignedIn,
    period::Kept,
    search_form,
    sections::{COMPONENTS, GROUPS, ROOT, SANDBOX, SEARCH, Section},
};

/// Makes a page for a signed-in user.
/// `section` is the path of its part in the navigation.
pub(super) fn page(to: &SignedIn<'_>, section: &str, title: &str, content: Markup) -> Answer {
    page_with_choice(to, section, title, html! {}, content)
}

/// The same with a choice beside the title, of location and period.
pub(super) fn page_with_choice(
    to: &SignedIn<'_>,
    section: &str,
    title: &str,
    choice: Markup,
    content: Markup,
) -> Answer {
    let account = to.account();
    let kept = Kept::of(to);
    let body = html! {
        a.skip href="#content" { (text!("frame-skip")) }
        (kept.in_markup(banners(to)))
        header {
            button.menu.quiet popovertarget="menu" { (icon("menu")) (text!("frame-menu")) }
            a.brand href=(kept.added_to(ROOT)) { "Connect" }
            (business(account))
            // The page of the search has the form itself.
            @if section != SEARCH { (search_form::in_frame(to)) }
            form.sign-out method="post" action="/dashboard/sign-out" {
                (components::hidden(&to.csrf))
                button.quiet { (text!("frame-sign-out")) }
            }
        }
        div.frame {
            (navigation(to, section, &kept))
            main id="content" {
                (notice(to))
                div.head { h1 { (title) } (kept.in_markup(choice)) }
                (kept.in_markup(content))
            }
        }
    };
    Answer::page(document(title, &html! {}, &body))
}

/// The links to the parts of the user; on narrow screens a button opens them.
fn navigation(to: &SignedIn<'_>, current: &str, kept: &Kept) -> Markup {
    let may = |section: &&Section| {
        let is_there = ![SANDBOX, COMPONENTS].contains(&section.path) || to.sandbox().is_some();
        is_there && section.right.is_none_or(|right| to.session.has(right))
    };
    html! {
        nav id="menu" popover aria-label=(text!("frame-navigation")) {
            button.close.quiet popovertarget="menu" popovertargetaction="hide" { (text!("frame-close")) }
            @for (group, sections) in GROUPS {
                @let mut sections = sections.iter().filter(may).peekable();
                @if sections.peek().is_some() {
                    p id={ "group-" (group) } { (text_of!("group", group).unwrap_or_default()) }
                    ul aria-labelledby={ "group-" (group) } {
                        @for section in sections {
                            @let is_current = section.path == current;
                            li {
                                a href=(kept.added_to(section.path)) aria-current=[is_current.then_some("page")] {
                                    (icon(section.name))
                                    (text_of!("section", section.name).unwrap_or_default())
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The state of the account, on top of each page.
fn banners(to: &SignedIn<'_>) -> Markup {
    let account = to.account();
    let has_sandbox = to.sandbox().is_some() && to.session.has(UserRight::UseSandbox);
    html! {
        @if has_sandbox {
            aside.banner aria-label=(text!("section-sandbox")) {
                (marked!("frame-sandbox-banner", a = |words: &str| html! { a href=(SANDBOX) { (words) } }))
            }
        }
        @if to.connect.holds_deliveries() {
            aside.banner aria-label=(text!("word-deliveries")) { (text!("frame-deliveries-banner")) }
        }
        @if account.lacks_factor(to.user()) {
            aside.banner aria-label=(text!("second-factor-title")) {
                (marked!("frame-factor-banner", a = |words: &str| html! {
                    a href="/dashboard/account/second-factor" { (words) }
                }))
            }
        }
        @for planned in account.erasures.iter().filter(|it| it.location_id.is_none_or(|at| to.has_role_at(at))) {
            @let time = dates::date_time(planned.erase_at);
            @let location = account.locations.iter().find(|at| Some(at.id) == planned.location_id);
            aside.banner aria-label=(text!("frame-erasure")) {
                @match location {
                    Some(at) => (text!("frame-erasure-location", location = &*at.name, time = time)),
                    None => (text!("frame-erasure-account", time = time)),
                }
                " "
                @if to.session.has(UserRight::ManagePrivacy) {
                    a href="/dashboard/privacy" { (text!("frame-erasure-keep")) }
                } @else { (text!("frame-erasure-owner")) }
            }
        }
    }
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
        @if account.sandbox { span.tag { (text!("section-sandbox")) } }
    }
}

/// The notice named by the address, if any.
fn notice(visit: &PageRequest) -> Markup {
    html! {
        @if let Some(text) = notices::text(visit.query.get("done")) {
            p.notice role="status" { (text) }
        }
    }
}

fn document(title: &str, more: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(messages::tag(messages::language())) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                (more)
                title { (title) " · Connect" }
                // Without an icon, browsers ask for /favicon.ico.
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(&*STYLE_ADDRESS);
            }
            body { (body) }
        }
    }
}
