//! The endpoints of the demo's sandbox as one warp filter.

use std::net::IpAddr;

use connect_core::{
    Authenticated, Connect, Error, Reason,
    wire::{Id, Location, Scope},
};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use warp::{Filter as _, filters::BoxedFilter, reply::Response};

use super::{
    caller::{note_token, token_holder},
    endpoint::Reply,
    gate,
    incoming::{Incoming, IncomingBody, ResponseContext, incoming, respond},
};
use crate::{
    net::RequestNote,
    sandbox::{ADVANCE_FIELD, Sandbox, SandboxLocation, Simulation, days_ago},
};

type LocationId = Id<Location>;

/// The path of simulations, for the log.
pub(super) const TEMPLATE: &str = "/sandbox/v1/locations/{location}/{simulation}";

/// The path of the clock.
pub(super) const CLOCK: &str = "/sandbox/v1/clock";

/// The most characters repeated of an unknown field's name.
const LONGEST_NAME: usize = 50;

/// A request to the sandbox.
enum SandboxCommand {
    /// `POST /sandbox/v1/locations/{location}/{simulation}`.
    Simulate(LocationId, String),
    /// `POST /sandbox/v1/clock`.
    Advance,
}

/// Answers the endpoints of the sandbox. Rejects every other path.
/// The token must be of a sandbox: for a simulation with the scopes to read its results, for the clock with a
/// write scope.
pub(super) fn sandbox(connect: Connect, sandbox: Sandbox) -> BoxedFilter<(Response,)> {
    let simulate = warp::path!("sandbox" / "v1" / "locations" / LocationId / String);
    let simulate = simulate.map(SandboxCommand::Simulate);
    let advance = warp::path!("sandbox" / "v1" / "clock").map(|| SandboxCommand::Advance);
    simulate
        .or(advance)
        .unify()
        .and(incoming())
        .then(move |command, address, incoming| {
            answer(connect.clone(), sandbox.clone(), command, address, incoming)
        })
        .boxed()
}

async fn answer(
    connect: Connect,
    sandbox: Sandbox,
    command: SandboxCommand,
    address: IpAddr,
    incoming: Incoming<impl IncomingBody>,
) -> Response {
    let asked = ResponseContext::of(&incoming);
    let mut note = RequestNote::of(Some(match command {
        SandboxCommand::Simulate(..) => TEMPLATE,
        SandboxCommand::Advance => CLOCK,
    }));
    let (reply, rate) = match token_holder(&connect, address, &incoming.headers, &mut note).await {
        Err(refused) => refused,
        Ok(caller) => {
            let rate = caller.rate();
            note_token(&mut note, &caller);
            let method = &incoming.method;
            let reply = if *method == Method::POST {
                execute(&sandbox, &caller, command, incoming).await
            } else {
                Err(Reply::method_not_allowed(method, &[Method::POST]))
            };
            (reply.unwrap_or_else(|refused| refused), rate)
        }
    };
    respond(reply, asked, Some(rate), note).await
}

async fn execute(
    sandbox: &Sandbox,
    caller: &Authenticated,
    command: SandboxCommand,
    incoming: Incoming<impl IncomingBody>,
) -> Result<Reply, Reply> {
    let account = caller.account().id;
    Ok(match command {
        SandboxCommand::Simulate(location, what) => {
            let what = simulation(&what, incoming.query())?;
            for scope in what.scopes() {
                caller.authorize(location, scope)?;
            }
            let place = SandboxLocation { account, location };
            let data = sandbox.simulate(place, what).await?;
            Reply::json(StatusCode::CREATED, json!({ "data": data }).to_string())
        }
        SandboxCommand::Advance => {
            check_writes(caller)?;
            let body = gate::read(&incoming.headers, incoming.body, incoming.held).await?;
            gate::check_content(&incoming.headers)?;
            let data = sandbox.advance(account, seconds(&body)?).await?;
            Reply::json(StatusCode::OK, json!({ "data": data }).to_string())
        }
    })
}

/// Checks for a write scope at any location.
/// The clock is shared by all shops of the server.
fn check_writes(caller: &Authenticated) -> Result<(), Error> {
    let is_write = |scope: &Scope| matches!(scope, Scope::CatalogWrite | Scope::StockWrite);
    let mut scopes = caller.token().grants.iter().flat_map(|at| &at.scopes);
    if scopes.any(is_write) {
        return Ok(());
    }
    let problem = "this token may only read, and the clock is for all shops of this server: use a token \
                   with the scope catalog:write or stock:write";
    Err(Error::ForbiddenScope(Reason::new(problem)))
}

/// Reads the name and the query of a simulation.
fn simulation(what: &str, query: &str) -> Result<Simulation, Error> {
    Ok(match what {
        "sales" => Simulation::Sale,
        "refunds" => Simulation::Refund,
        "z-reports" => Simulation::ZReport,
        "orders" => Simulation::Order,
        "order-steps" => Simulation::OrderStep,
        "days" => Simulation::Day(days(query)?),
        _ => {
            let problem = "there is no simulation of this name; there are sales, refunds, \
                           z-reports, orders, order-steps and days";
            return Err(Error::NotFound(Reason::new(problem)));
        }
    })
}

/// Reads `daysAgo`; the default is 0.
fn days(query: &str) -> Result<u8, Error> {
    let fields: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
    match &fields[..] {
        [] => Ok(0),
        [(name, days)] if name == "daysAgo" => days_ago(days),
        _ => {
            let problem = "no other parameter than daysAgo is taken, and that once";
            Err(Error::Malformed(Reason::of("query", problem)))
        }
    }
}

/// Reads the one field of an advance's body.
/// `None` without a valid number of seconds.
fn seconds(body: &[u8]) -> Result<Option<u64>, Error> {
    let malformed = |problem: String| Error::Malformed(Reason::of("body", problem));
    let Ok(Value::Object(fields)) = serde_json::from_slice(body) else {
        let problem = format!("must be a JSON object such as {{\"{ADVANCE_FIELD}\": 3600}}");
        return Err(malformed(problem));
    };
    if let Some(unknown) = fields.keys().find(|name| *name != ADVANCE_FIELD) {
        let name: String = unknown.chars().take(LONGEST_NAME).collect();
        let problem = format!("has the field {name:?}, and takes no other than {ADVANCE_FIELD}");
        return Err(malformed(problem));
    }
    Ok(fields.get(ADVANCE_FIELD).and_then(Value::as_u64))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use connect_core::{Grant, NewAccount, NewToken, storage::memory::MemoryStorage};

    use super::*;
    use crate::sandbox::{SandboxClock, demo};

    #[tokio::test]
    async fn simulations_and_the_clock_are_for_those_who_may_see_what_they_make() {
        let clock = Arc::new(SandboxClock::default());
        let storage = Arc::new(MemoryStorage::new());
        let connect = Connect::builder(storage).clock(clock.clone()).build();
        let shop = demo::open(&connect).await.unwrap();
        let account = shop.account.id;
        let location_id = shop.account.locations[0].id;
        let new = NewToken {
            name: "Reader".into(),
            expires_at: None,
            grants: vec![Grant {
                location_id,
                scopes: vec![Scope::PosRead],
            }],
        };
        let reader = connect.create_token(account, new).await.unwrap().secret;
        let all = shop.token.unwrap();
        let filter = sandbox(connect.clone(), Sandbox::new(connect.clone(), clock));
        let post = async |token: &connect_core::Secret, path: &str, kind: &str| {
            let answer = warp::test::request()
                .method("POST")
                .path(&path.replace("{at}", &format!("locations/{location_id}")))
                .header("authorization", format!("Bearer {}", token.expose()))
                .header("content-type", kind)
                .body(r#"{"advanceBySeconds":1}"#)
                .reply(&filter)
                .await;
            let note = answer.extensions().get::<RequestNote>().unwrap();
            assert!(note.token.is_some());
            let body = String::from_utf8_lossy(answer.body()).into_owned();
            (answer.status().as_u16(), body)
        };
        let (json, text) = ("application/json", "text/plain");
        for (token, path, kind, status, told) in [
            (
                &all,
                "/sandbox/v1/{at}/days",
                json,
                201,
                "\"sales\":60,\"refunds\":3",
            ),
            (
                &all,
                "/sandbox/v1/{at}/days?ago=1",
                json,
                400,
                "no other parameter",
            ),
            (&reader, "/sandbox/v1/{at}/sales", json, 201, "totalCents"),
            (
                &reader,
                "/sandbox/v1/{at}/orders",
                json,
                403,
                "forbidden_scope",
            ),
            (&reader, "/sandbox/v1/clock", json, 403, "forbidden_scope"),
            (&all, "/sandbox/v1/clock", text, 400, "Content-Type"),
            (&all, "/sandbox/v1/clock", json, 200, "aheadBySeconds"),
        ] {
            let (seen, body) = post(token, path, kind).await;
            assert_eq!(
                (seen, body.contains(told)),
                (status, true),
                "{path}: {body}"
            );
        }
        let live = NewAccount {
            name: "Rye".into(),
            owner_email: "noor@rye.example".into(),
            sandbox: false,
        };
        connect.create_account(live).await.unwrap();
        assert_eq!(post(&all, "/sandbox/v1/clock", json).await.0, 409);
    }
}
