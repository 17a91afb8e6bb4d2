//! The endpoints of the demo's sandbox as one warp filter.

use std::net::IpAddr;

use connect_core::{
    Connect, Error, Reason,
    wire::{Id, Location, Scope},
};
use http::{Method, StatusCode};
use serde_json::json;
use warp::{Filter as _, filters::BoxedFilter, reply::Response};

use super::{
    gate,
    incoming::{Asked, Body, Incoming, incoming, respond},
};
use crate::{
    endpoint::Reply,
    net::RequestNote,
    sandbox::{Place, Sandbox, Simulation},
};

type LocationId = Id<Location>;

/// The path, for the log.
pub(super) const TEMPLATE: &str = "/sandbox/v1/locations/{location}/{simulation}";

/// The longest time ago that a day is simulated.
const MOST_DAYS: u8 = 90;

/// Answers `POST /sandbox/v1/locations/{location}/{simulation}` with a token of a sandbox that has any
/// scope at the location. Rejects every other path.
pub(super) fn sandbox(connect: Connect, sandbox: Sandbox) -> BoxedFilter<(Response,)> {
    warp::path!("sandbox" / "v1" / "locations" / LocationId / String)
        .and(incoming())
        .then(move |location, what: String, address, incoming| {
            answer(
                connect.clone(),
                sandbox.clone(),
                location,
                what,
                address,
                incoming,
            )
        })
        .boxed()
}

async fn answer(
    connect: Connect,
    sandbox: Sandbox,
    location: LocationId,
    what: String,
    address: IpAddr,
    mut incoming: Incoming<impl Body>,
) -> Response {
    let asked = Asked::of(&mut incoming);
    let note = RequestNote::of(Some(TEMPLATE));
    let token = gate::bearer(&incoming.headers);
    let unsent = token.err();
    let (reply, rate) = match connect.authenticate(address, token.ok()).await {
        Err(denied) => {
            let rate = denied.rate;
            (gate::denied(denied, unsent, "token"), rate)
        }
        Ok(caller) => {
            let rate = caller.rate();
            let method = &incoming.method;
            let reply = if *method == Method::POST {
                let place = connect
                    .authorize_any(&caller, location, Scope::KNOWN)
                    .map(|_| Place {
                        account: caller.account().id,
                        location,
                    });
                simulate(&sandbox, place, &what, &incoming.query).await
            } else {
                Ok(Reply::method_not_allowed(method, &[Method::POST]))
            };
            (reply.unwrap_or_else(Reply::from), rate)
        }
    };
    respond(reply, asked, Some(rate), note).await
}

async fn simulate(
    sandbox: &Sandbox,
    place: Result<Place, Error>,
    what: &str,
    query: &str,
) -> Result<Reply, Error> {
    let what = match what {
        "sales" => Simulation::Sale,
        "refunds" => Simulation::Refund,
        "z-reports" => Simulation::ZReport,
        "orders" => Simulation::Order,
        "order-steps" => Simulation::OrderStep,
        "days" => Simulation::Day(days_ago(query)?),
        _ => {
            let problem = "nothing of this name is simulated; there are sales, refunds, z-reports, \
                           orders, order-steps and days";
            return Err(Error::NotFound(Reason::new(problem)));
        }
    };
    let data = sandbox.simulate(place?, what).await?;
    Ok(Reply::json(
        StatusCode::CREATED,
        json!({ "data": data }).to_string(),
    ))
}

/// Reads `daysAgo`, which is 0 unless given.
fn days_ago(query: &str) -> Result<u8, Error> {
    let fields: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
    let days = match &fields[..] {
        [] => return Ok(0),
        [(name, days)] if name == "daysAgo" => days.parse().ok(),
        _ => None,
    };
    days.filter(|days| *days <= MOST_DAYS).ok_or_else(|| {
        let problem =
            format!("must be a whole number from 0 to {MOST_DAYS}; nothing else is taken");
        Error::Malformed(Reason::of("daysAgo", problem))
    })
}
