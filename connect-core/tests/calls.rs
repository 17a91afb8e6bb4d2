//! Writes of all chapters as clients send them: JSON goes in, and JSON comes out.

use connect_core::{
    Access, Answer, Connect, Error, Fingerprint, Idempotency, Outcome, Request,
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
        let body = match &self.body {
            Value::Null => Vec::new(),
            body => serde_json::to_vec(body).unwrap(),
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
        let answer = match self.verb {
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
        };
        answer
            .map(|answer| data(&answer))
            .map_err(|refusal| refusal.error)
    }
}

fn data(answer: &Answer) -> Value {
    match answer.outcome {
        Outcome::Removed => Value::Null,
        _ => answer.decode().unwrap(),
    }
}
