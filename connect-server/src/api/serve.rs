//! One of the two APIs: the way of a request to its response.

use std::net::IpAddr;

use connect_core::{Connect, RateStatus};
use warp::reply::Response;

use super::{
    caller::{CredentialKind, denied},
    document::{Form, ServedDocument},
    endpoint::Reply,
    gate,
    incoming::{Incoming, IncomingBody, ResponseContext, respond},
    routes::Table,
};
use crate::net::RequestNote;

/// An API: its routes, its document, and its callers.
#[derive(Clone)]
pub(super) struct ServedApi {
    pub(super) connect: Connect,
    pub(super) table: &'static Table,
    pub(super) callers: CredentialKind,
    pub(super) document: ServedDocument,
    /// The paths of the document, as JSON and as a page.
    pub(super) document_paths: [&'static str; 2],
}

impl ServedApi {
    /// Answers a request from a network address.
    pub(super) async fn answer(
        self,
        address: IpAddr,
        mut incoming: Incoming<impl IncomingBody>,
    ) -> Response {
        let asked = ResponseContext::of(&mut incoming);
        let mut note = RequestNote::default();
        let path = incoming.path.as_str();
        let [json, page] = self.document_paths;
        let form = match path {
            _ if path == json => Some((json, Form::Json)),
            _ if path == page => Some((page, Form::Page)),
            _ => None,
        };
        let (reply, rate) = if let Some((path, form)) = form {
            note.route = Some(path);
            let counted = match self.callers {
                CredentialKind::Token => self.connect.count_anonymous(address).map(Some),
                // Screens are on the shop's own network.
                CredentialKind::ScreenKey => Ok(None),
            };
            match counted {
                Ok(rate) => {
                    let (method, query) = (&asked.method, &incoming.query);
                    let reply = self.document.answer(form, method, query, asked.accepted);
                    (reply.await, rate)
                }
                Err(refused) => {
                    let rate = refused.rate;
                    (denied(refused, None, self.callers), Some(rate))
                }
            }
        } else {
            self.call(address, incoming, &mut note).await
        };
        respond(reply, asked, rate, note).await
    }

    /// Authenticates the caller, and calls the route of the path.
    async fn call(
        &self,
        address: IpAddr,
        incoming: Incoming<impl IncomingBody>,
        note: &mut RequestNote,
    ) -> (Reply, Option<RateStatus>) {
        // Only the log shows the route: callers without a token must not learn of it.
        let found = gate::find(self.table, &incoming);
        note.route = found.template();
        let admitted = self
            .callers
            .authenticate(&self.connect, address, &incoming.headers);
        let caller = match admitted.await {
            Ok(caller) => caller,
            Err((reply, rate)) => return (reply, Some(rate)),
        };
        let rate = caller.rate();
        caller.note(note);
        let passed = gate::pass(&self.connect, caller, self.table, found, incoming).await;
        let reply = match passed {
            Ok((passed, route)) => route.answer(passed).await.unwrap_or_else(Reply::from),
            Err(reply) => reply,
        };
        (reply, rate)
    }
}
