//! The pages. [`ROUTES`] is their table of contents.

mod account;
mod activity;
mod forgotten;
mod gallery;
mod invitation;
mod names;
mod once;
mod passkeys;
mod privacy;
mod problem;
mod requests;
mod route;
mod sandbox;
mod screens;
mod search;
mod second_factor;
mod shop;
mod sign_in;
mod sign_in_passkey;
mod single_sign_on;
mod tokens;
mod usage;
mod users;
mod webhooks;

use std::future::ready;

use connect_core::{
    Error,
    UserRight::{
        ChangeCatalog, ChangeStock, ManageAccount, ManagePrivacy, ManageScreens, ManageTokens,
        ManageUsers, ManageWebhooks, ReadCatalog, ReadSales, ReadTrail, UseSandbox,
    },
};
use futures_util::FutureExt as _;
use http::Method;

pub(crate) use self::problem::problem_of_request;
use self::problem::{problem, problem_of_user};
use self::route::{
    Ids, Page, Route,
    Serve::{self, Open, Sandbox, User, With},
};
use super::{
    answer::Answer,
    components, messages,
    page_request::{PageRequest, SignedIn, segments},
    period::Kept,
    sections::ROOT,
    table,
};
use crate::{net::completion::complete, telemetry::audit::Action};

/// All pages and forms. The first route of a path counts.
///
/// Every form of a user is checked for its origin and has an audit line.
static ROUTES: &[Route] = &[
    Route::page("", User(|to, _| shop::today(to).boxed())),
    Route::page("usage", User(|to, _| usage::show(to).boxed())),
    Route::page("search", User(|to, _| search::show(to).boxed())),
    Route::page(
        "journal",
        With(ReadSales, |to, _| shop::journal(to).boxed()),
    ),
    Route::page(
        "journal/z-reports",
        With(ReadSales, |to, _| shop::z_reports(to).boxed()),
    ),
    Route::page(
        "journal/{}",
        With(ReadSales, |to, [id, _]| shop::receipt(to, id).boxed()),
    ),
    Route::page("orders", With(ReadSales, |to, _| shop::orders(to).boxed())),
    Route::page(
        "products",
        With(ReadCatalog, |to, _| shop::products(to).boxed()),
    ),
    Route::form(
        "products/bulk",
        Action::ChangeProducts,
        With(ChangeCatalog, |to, _| shop::products_bulk(to).boxed()),
    ),
    Route::page(
        "products/import",
        With(ChangeCatalog, |to, _| {
            ready(shop::products_import(to)).boxed()
        }),
    ),
    Route::form(
        "products/import",
        Action::CheckImport,
        With(ChangeCatalog, |to, _| shop::import_upload(to).boxed()),
    )
    .with_file(),
    Route::form(
        "products/import/check",
        Action::CheckImport,
        With(ChangeCatalog, |to, _| shop::import_check(to).boxed()),
    )
    .with_file(),
    Route::form(
        "products/import/apply",
        Action::ImportProducts,
        With(ChangeCatalog, |to, _| shop::import_apply(to).boxed()),
    )
    .with_file(),
    Route::form(
        "products/prices/preview",
        Action::PreviewPrices,
        With(ChangeCatalog, |to, _| shop::preview_prices(to).boxed()),
    ),
    Route::form(
        "products/prices",
        Action::ChangeProducts,
        With(ChangeCatalog, |to, _| shop::change_prices(to).boxed()),
    )
    .once(once::PRODUCTS),
    Route::form(
        "products/undo",
        Action::ChangeProducts,
        With(ChangeCatalog, |to, _| shop::undo_products(to).boxed()),
    )
    .once(once::PRODUCTS),
    Route::form(
        "products/new",
        Action::ChangeProducts,
        With(ChangeCatalog, |to, _| shop::create_product(to).boxed()),
    )
    .once(once::PRODUCTS),
    Route::form(
        "products/{}",
        Action::ChangeProducts,
        With(ChangeCatalog, |to, [id, _]| {
            shop::save_product(to, id).boxed()
        }),
    ),
    Route::page("stock", With(ReadCatalog, |to, _| shop::stock(to).boxed())),
    Route::page(
        "stock/count",
        With(ChangeStock, |to, _| shop::stock_sheet(to).boxed()),
    ),
    Route::page(
        "stock/{}",
        With(ReadCatalog, |to, [id, _]| shop::movements(to, id).boxed()),
    ),
    Route::form(
        "stock/{}",
        Action::ChangeStock,
        With(ChangeStock, |to, [id, _]| shop::stock_entry(to, id).boxed()),
    )
    .once(once::STOCK),
    Route::form(
        "stock/{}/count",
        Action::ChangeStock,
        With(ChangeStock, |to, [id, _]| shop::stock_count(to, id).boxed()),
    ),
    Route::form(
        "stock/{}/minimum",
        Action::SetStockMinimum,
        With(ChangeStock, |to, [id, _]| shop::set_minimum(to, id).boxed()),
    ),
    Route::page(
        "sandbox",
        Sandbox(|to, sandbox| sandbox::show(to, sandbox).boxed()),
    ),
    Route::form(
        "sandbox",
        Action::UseSandbox,
        Sandbox(|to, sandbox| sandbox::act(to, sandbox).boxed()),
    )
    .once(once::SANDBOX),
    Route::page("components", Sandbox(|to, _| gallery::show(to).boxed())),
    Route::page(
        "activity",
        With(ReadTrail, |to, _| activity::list(to).boxed()),
    ),
    Route::page("account", User(|to, _| account::show(to).boxed())),
    Route::form(
        "account",
        Action::ChangeAccount,
        With(ManageAccount, |to, _| account::change(to).boxed()),
    ),
    Route::form(
        "account/profile",
        Action::ChangeUser,
        User(|to, _| account::change_profile(to).boxed()),
    ),
    Route::form(
        "account/sessions/{}/end",
        Action::EndSession,
        User(|to, [id, _]| account::end_session(to, id).boxed()),
    ),
    Route::form(
        "account/sessions/end-others",
        Action::EndSession,
        User(|to, _| account::end_other_sessions(to).boxed()),
    ),
    Route::page("account/email", User(|to, _| made(account::email(to)))),
    Route::form(
        "account/email",
        Action::ChangeEmail,
        User(|to, _| account::change_email(to).boxed()),
    ),
    Route::page(
        "account/password",
        User(|to, _| made(account::password(to))),
    ),
    Route::form(
        "account/password",
        Action::ChangePassword,
        User(|to, _| account::change_password(to).boxed()),
    ),
    Route::page(
        "account/second-factor",
        User(|to, _| second_factor::show(to).boxed()),
    ),
    Route::form(
        "account/second-factor",
        Action::ChangeSecondFactor,
        User(|to, _| second_factor::begin(to).boxed()),
    ),
    Route::form(
        "account/second-factor/add",
        Action::ChangeSecondFactor,
        User(|to, _| second_factor::add(to).boxed()),
    )
    .once(once::RECOVERY_CODES),
    Route::form(
        "account/second-factor/codes",
        Action::ChangeSecondFactor,
        User(|to, _| second_factor::renew_codes(to).boxed()),
    )
    .once(once::RECOVERY_CODES),
    Route::form(
        "account/second-factor/remove",
        Action::ChangeSecondFactor,
        User(|to, _| second_factor::remove(to).boxed()),
    ),
    Route::page("account/passkeys", User(|to, _| passkeys::show(to).boxed())),
    Route::form(
        "account/passkeys",
        Action::ChangePasskeys,
        User(|to, _| passkeys::begin(to).boxed()),
    ),
    Route::form(
        "account/passkeys/add",
        Action::ChangePasskeys,
        User(|to, _| passkeys::add(to).boxed()),
    ),
    Route::form(
        "account/passkeys/{}/remove",
        Action::ChangePasskeys,
        User(|to, [id, _]| passkeys::remove(to, id).boxed()),
    ),
    Route::page(
        "account/single-sign-on",
        With(ManageAccount, |to, _| single_sign_on::show(to).boxed()),
    ),
    Route::form(
        "account/single-sign-on",
        Action::ChangeProvider,
        With(ManageAccount, |to, _| single_sign_on::change(to).boxed()),
    ),
    Route::form(
        "account/single-sign-on/remove",
        Action::ChangeProvider,
        With(ManageAccount, |to, _| single_sign_on::remove(to).boxed()),
    ),
    Route::page(
        "privacy",
        With(ManagePrivacy, |to, _| privacy::show(to).boxed()),
    ),
    Route::page(
        "privacy/export",
        With(ManagePrivacy, |to, _| privacy::export(to).boxed()),
    ),
    Route::form(
        "privacy/export",
        Action::ExportAccount,
        With(ManagePrivacy, |to, _| privacy::download(to).boxed()),
    ),
    Route::form(
        "privacy/erase",
        Action::EraseAccount,
        With(ManagePrivacy, |to, _| privacy::erase(to).boxed()),
    ),
    Route::form(
        "privacy/keep",
        Action::KeepAccount,
        With(ManagePrivacy, |to, _| privacy::keep(to).boxed()),
    ),
    Route::form(
        "privacy/locations/{}/erase",
        Action::EraseLocation,
        With(ManagePrivacy, |to, [id, _]| {
            privacy::erase_location(to, id).boxed()
        }),
    ),
    Route::form(
        "privacy/locations/{}/keep",
        Action::KeepLocation,
        With(ManagePrivacy, |to, [id, _]| {
            privacy::keep_location(to, id).boxed()
        }),
    ),
    Route::form(
        "privacy/retention",
        Action::ChangeRetention,
        With(ManagePrivacy, |to, _| privacy::retention(to).boxed()),
    ),
    Route::form(
        "privacy/blank",
        Action::BlankPerson,
        With(ManagePrivacy, |to, _| privacy::blank(to).boxed()),
    ),
    Route::page(
        "tokens",
        With(ManageTokens, |to, _| tokens::list(to).boxed()),
    ),
    Route::form(
        "tokens",
        Action::CreateToken,
        With(ManageTokens, |to, _| tokens::create(to).boxed()),
    )
    .once(once::TOKEN),
    Route::page(
        "tokens/new",
        With(ManageTokens, |to, _| made(tokens::fill_in(to))),
    ),
    Route::page(
        "tokens/{}",
        With(ManageTokens, |to, [id, _]| tokens::show(to, id).boxed()),
    ),
    Route::form(
        "tokens/{}/revoke",
        Action::RevokeToken,
        With(ManageTokens, |to, [id, _]| tokens::revoke(to, id).boxed()),
    ),
    Route::page(
        "requests",
        With(ManageTokens, |to, _| requests::list(to).boxed()),
    ),
    Route::page(
        "webhooks",
        With(ManageWebhooks, |to, _| webhooks::list(to).boxed()),
    ),
    Route::form(
        "webhooks",
        Action::CreateWebhook,
        With(ManageWebhooks, |to, _| webhooks::create(to).boxed()),
    )
    .once(once::WEBHOOK),
    Route::page(
        "webhooks/new",
        With(ManageWebhooks, |to, _| made(webhooks::new(to))),
    ),
    Route::page(
        "webhooks/{}",
        With(ManageWebhooks, |to, [id, _]| webhooks::show(to, id).boxed()),
    ),
    Route::form(
        "webhooks/{}",
        Action::ChangeWebhook,
        With(ManageWebhooks, |to, [id, _]| {
            webhooks::change(to, id).boxed()
        }),
    ),
    Route::page(
        "webhooks/{}/edit",
        With(ManageWebhooks, |to, [id, _]| webhooks::edit(to, id).boxed()),
    ),
    Route::form(
        "webhooks/{}/test",
        Action::TestWebhook,
        With(ManageWebhooks, |to, [id, _]| webhooks::test(to, id).boxed()),
    ),
    Route::form(
        "webhooks/{}/enable",
        Action::EnableWebhook,
        With(ManageWebhooks, |to, [id, _]| {
            webhooks::enable(to, id).boxed()
        }),
    ),
    Route::form(
        "webhooks/{}/disable",
        Action::DisableWebhook,
        With(ManageWebhooks, |to, [id, _]| {
            webhooks::disable(to, id).boxed()
        }),
    ),
    Route::form(
        "webhooks/{}/roll",
        Action::RollWebhookSecret,
        With(ManageWebhooks, |to, [id, _]| webhooks::roll(to, id).boxed()),
    )
    .once(once::WEBHOOK_SECRET),
    Route::form(
        "webhooks/{}/delete",
        Action::DeleteWebhook,
        With(ManageWebhooks, |to, [id, _]| {
            webhooks::delete(to, id).boxed()
        }),
    ),
    Route::page(
        "webhooks/{}/resend",
        With(ManageWebhooks, |to, [id, _]| {
            webhooks::resend_ask(to, id).boxed()
        }),
    ),
    Route::form(
        "webhooks/{}/resend",
        Action::ResendDeliveries,
        With(ManageWebhooks, |to, [id, _]| {
            webhooks::resend_chosen(to, id).boxed()
        }),
    )
    .once(once::RESEND),
    Route::form(
        "webhooks/{}/resend-failed",
        Action::ResendDeliveries,
        With(ManageWebhooks, |to, [id, _]| {
            webhooks::resend_failed(to, id).boxed()
        }),
    )
    .once(once::RESEND),
    Route::page(
        "webhooks/{}/deliveries/{}",
        With(ManageWebhooks, |to, [id, delivery]| {
            webhooks::delivery(to, id, delivery).boxed()
        }),
    ),
    Route::form(
        "webhooks/{}/deliveries/{}/resend",
        Action::ResendDeliveries,
        With(ManageWebhooks, |to, [id, delivery]| {
            webhooks::resend(to, id, delivery).boxed()
        }),
    )
    .once(once::RESEND),
    Route::page(
        "screens",
        With(ManageScreens, |to, _| screens::list(to).boxed()),
    ),
    Route::form(
        "screens",
        Action::CreateScreen,
        With(ManageScreens, |to, _| screens::create(to).boxed()),
    )
    .once(once::SCREEN),
    Route::page(
        "screens/names",
        With(ManageScreens, |to, _| names::show(to).boxed()),
    ),
    Route::form(
        "screens/names",
        Action::ChangeNames,
        With(ManageScreens, |to, _| names::change(to).boxed()),
    ),
    Route::form(
        "screens/{}/key",
        Action::RollScreenKey,
        With(ManageScreens, |to, [id, _]| screens::roll(to, id).boxed()),
    )
    .once(once::SCREEN_KEY),
    Route::form(
        "screens/{}/revoke",
        Action::RevokeScreenKey,
        With(ManageScreens, |to, [id, _]| screens::revoke(to, id).boxed()),
    ),
    Route::form(
        "screens/{}/delete",
        Action::DeleteScreen,
        With(ManageScreens, |to, [id, _]| screens::delete(to, id).boxed()),
    ),
    Route::page("users", With(ManageUsers, |to, _| users::list(to).boxed())),
    Route::form(
        "users",
        Action::CreateUser,
        With(ManageUsers, |to, _| users::create(to).boxed()),
    )
    .once(once::USER),
    Route::page(
        "users/{}",
        With(ManageUsers, |to, [id, _]| users::show(to, id).boxed()),
    ),
    Route::form(
        "users/{}",
        Action::ChangeUser,
        With(ManageUsers, |to, [id, _]| users::change(to, id).boxed()),
    ),
    Route::form(
        "users/{}/invite",
        Action::InviteUser,
        With(ManageUsers, |to, [id, _]| users::invite(to, id).boxed()),
    )
    .once(once::INVITATION),
    Route::form(
        "users/{}/reset-second-factor",
        Action::ResetSecondFactor,
        With(ManageUsers, |to, [id, _]| {
            users::reset_second_factor(to, id).boxed()
        }),
    ),
    Route::form(
        "users/{}/remove",
        Action::RemoveUser,
        With(ManageUsers, |to, [id, _]| users::remove(to, id).boxed()),
    ),
    // A session can be ended at any time.
    Route::form(
        "sign-out",
        Action::SignOut,
        User(|to, _| sign_in::sign_out(to).boxed()),
    )
    .uncounted(),
    // A user who is signed in goes onward.
    Route::page("sign-in", User(|to, _| made(sign_in::onward(to)))),
    Route::page("sign-in", Open(|request, _| made(sign_in::show(request)))),
    Route::form(
        "sign-in",
        Action::SignIn,
        Open(|request, _| sign_in::sign_in(request).boxed()),
    ),
    Route::page(
        "sign-in/code",
        Open(|request, _| sign_in::code(request).boxed()),
    ),
    Route::form(
        "sign-in/code",
        Action::SignInCode,
        Open(|request, _| sign_in::finish(request).boxed()),
    ),
    Route::page("sign-in/passkey", User(|to, _| made(sign_in::onward(to)))),
    Route::page(
        "sign-in/passkey",
        Open(|request, _| sign_in_passkey::show(request).boxed()),
    ),
    Route::form(
        "sign-in/passkey",
        Action::SignInByPasskey,
        Open(|request, _| sign_in_passkey::finish(request).boxed()),
    ),
    Route::page(
        "sign-in/with/{}",
        Open(|request, [account, _]| single_sign_on::ask(request, account).boxed()),
    ),
    Route::form(
        "sign-in/with/{}",
        Action::SignInThroughProvider,
        Open(|request, [account, _]| single_sign_on::begin(request, account).boxed()),
    ),
    Route::page(
        "sign-in/callback/{}",
        Open(|request, [account, _]| single_sign_on::come_back(request, account).boxed()),
    ),
    Route::page(
        "forgotten",
        Open(|request, _| made(forgotten::show(request))),
    ),
    Route::form(
        "forgotten",
        Action::ForgetPassword,
        Open(|request, _| forgotten::ask(request).boxed()),
    ),
    Route::page(
        "invitations/{}",
        Open(|request, [value, _]| invitation::show(request, value).boxed()),
    ),
    Route::form(
        "invitations/{}",
        Action::AcceptInvitation,
        Open(|request, [value, _]| invitation::accept(request, value).boxed()),
    ),
];

/// A page made without waiting.
fn made<'a>(answer: Answer) -> Page<'a> {
    ready(Ok(answer)).boxed()
}

/// Answers a request to the dashboard, even after its client has left.
/// On a double click the browser drops the first request, and the second needs its outcome.
pub(crate) async fn answer(request: PageRequest) -> Answer {
    complete(find_answer(request)).await
}

async fn find_answer(request: PageRequest) -> Answer {
    if request.method == Method::GET && request.segments() == ["style.css"] {
        return Answer::style(request.query.get("v"));
    }
    let session = request.signed_in().await;
    let language = match &session {
        Ok(to) => to.user().language,
        Err(_) => messages::of_browser(&request.headers),
    };
    messages::in_language(language, answer_in_language(&request, session)).await
}

/// Answers a request with a page in the language of the work.
async fn answer_in_language(request: &PageRequest, session: Result<SignedIn<'_>, Error>) -> Answer {
    let answer = match session {
        Ok(to) => {
            let answer = of_user(&to).await;
            let mut answer = answer.unwrap_or_else(|error| problem_of_user(&to, &error));
            answer.account = Some(to.account().id.uuid());
            Ok(answer)
        }
        Err(Error::Unauthorized(_)) => {
            let answer = of_visitor(request).await;
            answer.map_err(|error| problem(request, &error))
        }
        Err(error) => Err(problem(request, &error)),
    };
    answer.unwrap_or_else(|problem| problem)
}

/// Finds the route of a request, if it is one of these.
fn find<'r>(
    request: &'r PageRequest,
    is_one: impl Fn(&Route) -> bool,
) -> Option<(&'static Route, Ids<'r>)> {
    let segments = request.segments();
    let is_form = request.method == Method::POST;
    let of_method = |route: &&Route| route.form.is_some() == is_form && is_one(route);
    let mut routes = ROUTES.iter().filter(of_method);
    routes.find_map(|route| Some((route, route.ids(&segments)?)))
}

/// Returns whether the form of a path may have a file.
pub(crate) fn may_have_file(path: &str) -> bool {
    let segments = segments(path);
    let mut routes = ROUTES.iter();
    routes.any(|route| {
        route.form.is_some_and(|form| form.may_have_file) && route.ids(&segments).is_some()
    })
}

/// Answers a request of a signed-in user.
async fn of_user(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let found = find(to, |_| true);
    let form = found.and_then(|(route, _)| route.form);
    if form.is_none_or(|form| form.is_counted)
        && let Err(denied) = to.count().await
    {
        if let Some(form) = form {
            to.audit(form.action, Err(&denied.error));
        }
        let mut problem = problem_of_user(to, &denied.error);
        problem.retry_after = denied.retry_after;
        return Ok(problem);
    }
    let Some((route, ids)) = found else {
        if to.method == Method::POST {
            to.check_form()?;
        }
        let page = page_of_form(to).map(|page| Answer::redirect(&page));
        return page.ok_or_else(components::gone);
    };
    let _turn = table::turn(to).await;
    let page = serve(to, route.page, ids);
    let (Some(form), User(_) | With(..) | Sandbox(_)) = (form, route.page) else {
        return page.await;
    };
    let answer = match (to.check_form(), form.once) {
        (Err(error), _) => Err(error),
        (Ok(()), Some(once)) => once.run(to, page).await,
        (Ok(()), None) => page.await,
    };
    let answer = answer.map(|answer| Kept::of(to).in_answer(answer));
    to.audit(form.action, answer.as_ref());
    answer
}

/// Finds the page for an address of a form alone.
/// A page answered to a form has this address, and browsers load it again without the form.
fn page_of_form(to: &PageRequest) -> Option<String> {
    let segments = to.segments();
    let is_of = |segments: &[&str], is_form: bool| {
        let mut routes = ROUTES.iter();
        routes.any(|route| route.form.is_some() == is_form && route.ids(segments).is_some())
    };
    if to.method != Method::GET || !is_of(&segments, true) {
        return None;
    }
    let mut above = (0..segments.len())
        .rev()
        .filter_map(|end| segments.get(..end));
    let page = above.find(|page| is_of(page, false))?;
    let path: Vec<&str> = [ROOT].into_iter().chain(page.iter().copied()).collect();
    let query = to.query.query();
    let mark = if query.is_empty() { "" } else { "?" };
    Some(format!("{}{mark}{query}", path.join("/")))
}

/// Calls the function behind a route.
fn serve<'a>(to: &'a SignedIn<'a>, page: Serve, ids: Ids<'a>) -> Page<'a> {
    match (page, to.sandbox()) {
        (Open(page), _) => page(to, ids),
        (User(page), _) => page(to, ids),
        (With(right, page), _) if to.session.has(right) => page(to, ids),
        (Sandbox(page), Some(sandbox)) if to.session.has(UseSandbox) => page(to, sandbox),
        (Sandbox(_), None) => ready(Err(components::gone())).boxed(),
        (With(..) | Sandbox(_), _) => ready(Err(Error::lacks_right())).boxed(),
    }
}

/// Answers a request of a signed-out visitor.
/// Only signed-in users learn of a missing page.
async fn of_visitor(request: &PageRequest) -> Result<Answer, Error> {
    let found = find(request, |route| matches!(route.page, Open(_)));
    match found.map(|(route, ids)| (route.page, ids)) {
        Some((Open(page), ids)) => page(request, ids).await,
        _ => Ok(sign_in::first(request)),
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod transcript_tests;
