//! From the shape of a write to the write: references become ids.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::Session;
use crate::properties::{
    input::{Item, Pick, Shape, Write},
    model::{Gone, Serial},
    shop::{Call, Verb},
};

/// An id that no record has.
const UNKNOWN: Uuid = Uuid::from_u128(0x0909_0909_0909_7000_8000_0000_0000_0909);

impl Session {
    /// The write that `write` means as things are now.
    pub(crate) fn resolve(&mut self, write: &Write) -> Call {
        let (verb, body) = match &write.shape {
            Shape::CreateCategory(item) => (Verb::CreateCategory, self.body(item)),
            Shape::UpdateCategory(pick, item) => {
                (Verb::UpdateCategory(self.category(*pick)), self.body(item))
            }
            Shape::DeleteCategory(pick) => {
                (Verb::DeleteCategory(self.category(*pick)), Value::Null)
            }
            Shape::CreateProduct(item) => (Verb::CreateProduct, self.body(item)),
            Shape::UpdateProduct(pick, item) => {
                (Verb::UpdateProduct(self.product(*pick)), self.body(item))
            }
            Shape::DeleteProduct(pick) => (Verb::DeleteProduct(self.product(*pick)), Value::Null),
            Shape::Batch {
                match_by,
                create_missing,
                dry_run,
                items,
            } => {
                let items: Vec<Value> = items.iter().map(|item| self.body(item)).collect();
                let mut body = Map::from_iter([("items".to_owned(), json!(items))]);
                let mut set = |name: &str, value: Option<Value>| {
                    body.extend(value.map(|value| (name.to_owned(), value)));
                };
                set("matchBy", match_by.map(Value::from));
                set("createMissing", create_missing.map(Value::from));
                set("dryRun", dry_run.map(Value::from));
                (Verb::WriteProducts, body.into())
            }
            Shape::Again(which) => {
                let calls = &self.memory.calls;
                let Some(last) = calls.len().checked_sub(1) else {
                    return Call::new(Verb::DeleteProduct(UNKNOWN), Value::Null);
                };
                return calls[usize::from(*which).min(last)].clone();
            }
        };
        let call = Call {
            verb,
            body,
            key: write.key.map(str::to_owned),
        };
        if call.key.is_some() {
            self.memory.calls.push(call.clone());
        }
        call
    }

    fn body(&self, item: &Item) -> Value {
        let (given, id, category) = match item {
            Item::Other(value) => return value.clone(),
            Item::Record {
                given,
                id,
                category,
            } => (given, id, category),
        };
        let mut body: Map<String, Value> = given
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        if let Some(pick) = id {
            body.insert("id".into(), json!(self.product(*pick)));
        }
        if let Some(pick) = category {
            body.insert("categoryId".into(), json!(self.category(*pick)));
        }
        body.into()
    }

    fn product(&self, pick: Pick) -> Uuid {
        let live: Vec<Serial> = self.model.products.iter().map(|it| it.serial).collect();
        self.picked(pick, live, &self.model.gone_products)
    }

    fn category(&self, pick: Pick) -> Uuid {
        let live: Vec<Serial> = self.model.categories.iter().map(|it| it.serial).collect();
        self.picked(pick, live, &self.model.gone_categories)
    }

    fn picked(&self, pick: Pick, live: Vec<Serial>, gone: &[Gone]) -> Uuid {
        let gone: Vec<Serial> = gone.iter().map(|gone| gone.serial).collect();
        let (serials, number) = match pick {
            Pick::Live(number) => (live, number),
            Pick::Gone(number) => (gone, number),
            Pick::Unknown => return UNKNOWN,
            Pick::Foreign => return self.model.foreign_category,
        };
        match serials.len() {
            0 => UNKNOWN,
            len => self.model.names.id(serials[usize::from(number) % len]),
        }
    }
}
