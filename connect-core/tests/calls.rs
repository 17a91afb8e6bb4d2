//! Writes of all chapters as clients send them: JSON goes in, and JSON comes out.

use connect_core::{
    Access, Answer, Connect, Error, Fingerprint, Idempotency, Outcome, Refusal, Request,
    wire::{Category, IdempotencyKey, OptionGroup, Product},
};
use serde_json::Value;
use uuid::Uuid;

/// The deed of a write, and the record that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    CreateCategory,
    UpdateCategory(Uuid),
    DeleteCategory(Uuid),
    CreateProduct,
    UpdateProduct(Uuid),
    DeleteProduct(Uuid),
    WriteProducts,
    LinkGroups,
    CreateGroup,
    UpdateGroup(Uuid),
    /// A group, and its option.
    UpdateOption(Uuid, Uuid),
    DeleteGroup(Uuid),
    WriteGroups,
    Count(Uuid),
    CountMany,
    Adjust,
    WriteRow,
    CloseRegister,
    MakeOrder,
    MoveOrder(Uuid),
}

/// A write.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) verb: Verb,
    /// Its body; deletions have none.
    pub(crate) body: Value,
    pub(crate) key: Option<String>,
}

impl Call {
    /// Sends the write. Returns the data of the answer, which is `null` for a deletion.
    pub(crate) async fn send(self, connect: Connect, at: Access) -> Result<Value, Error> {
        let answer = self.answer(connect, at).await;
        let answer = answer.map_err(|refusal| refusal.error)?;
        Ok(match answer.outcome {
            Outcome::Removed => Value::Null,
            _ => answer.decode().unwrap(),
        })
    }

    /// Sends the write.
    pub(crate) async fn answer(self, connect: Connect, at: Access) -> Result<Answer, Refusal> {
        let body = match self.verb {
            Verb::DeleteCategory(_) | Verb::DeleteProduct(_) | Verb::DeleteGroup(_) => Vec::new(),
            _ => serde_json::to_vec(&self.body).unwrap(),
        };
        let idempotency = self.key.as_ref().map(|key| Idempotency {
            key: IdempotencyKey::new(key).unwrap(),
            fingerprint: Fingerprint::of("WRITE", &format!("/{:?}", self.verb), &body),
        });
        macro_rules! request {
            () => {
                Request::json(body).with_idempotency(idempotency)
            };
        }
        let here = connect.location(&at);
        let (products, groups) = (here.json::<Product>(), here.json::<OptionGroup>());
        let (categories, stock) = (here.json::<Category>(), here.stock());
        match self.verb {
            Verb::CreateCategory => categories.create(request!()).await,
            Verb::UpdateCategory(id) => categories.update(id, request!()).await,
            Verb::DeleteCategory(id) => categories.delete(id, request!()).await,
            Verb::CreateProduct => products.create(request!()).await,
            Verb::UpdateProduct(id) => products.update(id, request!()).await,
            Verb::DeleteProduct(id) => products.delete(id, request!()).await,
            Verb::WriteProducts => products.batch(request!()).await,
            Verb::LinkGroups => products.link_option_groups(request!()).await,
            Verb::CreateGroup => groups.create(request!()).await,
            Verb::UpdateGroup(id) => groups.update(id, request!()).await,
            Verb::UpdateOption(id, option) => groups.update_option(id, option, request!()).await,
            Verb::DeleteGroup(id) => groups.delete(id, request!()).await,
            Verb::WriteGroups => groups.batch(request!()).await,
            Verb::Count(product) => stock.json().count(product, request!()).await,
            Verb::CountMany => stock.json().count_many(request!()).await,
            Verb::Adjust => stock.json().adjust(request!()).await,
            Verb::WriteRow => here.transactions().write_json(request!()).await,
            Verb::CloseRegister => here.z_reports().close_json(request!()).await,
            Verb::MakeOrder => here.orders().create_json(request!()).await,
            Verb::MoveOrder(id) => here.orders().update_json(id.into(), request!()).await,
        }
    }
}

/// An answer, as HTTP has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// Whether it is the answer to an earlier request with the same key.
    pub(crate) replayed: bool,
    /// The body; `null` is none.
    pub(crate) body: Value,
}

impl Reply {
    /// The `data` of a success.
    pub(crate) fn data(&self) -> &Value {
        assert!(self.status < 300, "refused: {self:?}");
        &self.body["data"]
    }
}

impl From<Result<Answer, Refusal>> for Reply {
    fn from(outcome: Result<Answer, Refusal>) -> Self {
        match outcome {
            Ok(answer) => Self {
                status: match answer.outcome {
                    Outcome::Created => 201,
                    Outcome::Done => 200,
                    Outcome::Removed => 204,
                },
                replayed: answer.replayed,
                body: match &answer.body[..] {
                    [] => Value::Null,
                    body => serde_json::from_slice(body).unwrap(),
                },
            },
            Err(refusal) => Self {
                status: match &refusal.error {
                    Error::Malformed(_) => 400,
                    Error::ForbiddenLocation(_) => 403,
                    Error::NotFound(_) => 404,
                    Error::Conflict(_) => 409,
                    Error::Invalid(_) => 422,
                    other => panic!("no write may fail with {other:?}: {refusal}"),
                },
                replayed: refusal.replayed,
                body: serde_json::to_value(refusal.error.body()).unwrap(),
            },
        }
    }
}
