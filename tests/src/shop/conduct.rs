//! Requests to a shop. Each response is checked first.

use serde_json::Value;

use super::Shop;
use crate::{
    check::Checker,
    http::{Answer, Request, send},
};

impl Shop {
    /// Sends a request with the shop's token, unless `Authorization` is set.
    ///
    /// # Panics
    /// There is no response, or it does not match the document.
    pub async fn send(&self, request: Request) -> Answer {
        self.send_bare(request.bearer(&self.token)).await
    }

    /// Sends a request as it is.
    ///
    /// # Panics
    /// There is no response, or it does not match the document.
    pub async fn send_bare(&self, request: Request) -> Answer {
        let answer = self.send_unjudged(request).await.expect("a response");
        Checker::of(&answer.request.target).judge(&answer);
        answer
    }

    /// Sends a request as it is, to the listener of its path.
    ///
    /// # Errors
    /// There is no response.
    pub async fn send_unjudged(&self, request: Request) -> Result<Answer, String> {
        let is_of_devices = request.target.starts_with("/device/");
        let to = if is_of_devices {
            self.owner_address
        } else {
            self.address
        };
        send(to, request).await
    }

    /// Sends a request with this token.
    ///
    /// # Panics
    /// There is no response, or it does not match the document.
    pub async fn send_as(&self, token: &str, request: Request) -> Answer {
        self.send_bare(request.bearer(token)).await
    }

    /// `GET`, here.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(self.at(path))).await
    }

    /// `POST`, here.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Request::post(self.at(path), body)).await
    }

    /// `PATCH`, here.
    pub async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.send(Request::patch(self.at(path), body)).await
    }

    /// `DELETE`, here.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Request::delete(self.at(path))).await
    }

    /// Makes a product here, or another record of `path`, and returns it.
    pub async fn make(&self, path: &str, body: &Value) -> Value {
        self.post(path, body).await.expect(201).data()
    }

    /// The data of a batch of products here.
    pub async fn batch(&self, body: &Value) -> Value {
        self.post("products/batch", body).await.expect(200).data()
    }

    /// All records of a list here, page by page.
    /// `query` has no cursor.
    pub async fn all(&self, list: &str, query: &str) -> Vec<Value> {
        let mut records = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self
                .get(&format!("{list}?{query}{cursor}"))
                .await
                .expect(200);
            records.extend(page.list());
            match page.next_cursor() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return records,
            }
        }
    }
}
