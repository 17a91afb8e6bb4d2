//! A naive model of a shop: lists that are searched from the front, copied for a dry run, and
//! sorted when they are looked at. It shares nothing with the core.

mod batch;
mod categories;
mod names;
mod products;
mod rules;
mod show;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::shop::{Call, Verb};

pub(crate) use batch::ItemOutcome;
pub(crate) use names::Names;

/// What the model knows a record by until it learns its id: it was the so-manieth to be made.
pub(crate) type Serial = usize;
/// What the model knows a time by until it learns it: it was that of the so-manieth change.
pub(crate) type Tick = usize;

/// A product.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Product {
    pub(crate) serial: Serial,
    /// The fields that are a client's to write, as they are shown.
    pub(crate) shown: Map<String, Value>,
    pub(crate) category: Option<Serial>,
    pub(crate) created: Tick,
    pub(crate) updated: Tick,
}

/// A category.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Category {
    pub(crate) serial: Serial,
    pub(crate) name: String,
    pub(crate) is_active: Value,
    pub(crate) position: Value,
    pub(crate) created: Tick,
    pub(crate) updated: Tick,
}

/// What remains of a deleted record.
#[derive(Clone, Debug)]
pub(crate) struct Gone {
    pub(crate) serial: Serial,
    pub(crate) tick: Tick,
}

/// An event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) tick: Tick,
    pub(crate) news: News,
}

/// What an event tells.
#[derive(Clone, Debug)]
pub(crate) enum News {
    Product(Product),
    ProductGone(Serial),
    Category(Category),
    CategoryGone(Serial),
    Written {
        ids: Vec<Serial>,
        created: usize,
        updated: usize,
    },
    LeftCategory(Vec<Serial>),
}

/// The shop.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) products: Vec<Product>,
    pub(crate) categories: Vec<Category>,
    pub(crate) gone_products: Vec<Gone>,
    pub(crate) gone_categories: Vec<Gone>,
    pub(crate) events: Vec<Event>,
    pub(crate) names: Names,
    pub(crate) foreign_category: Uuid,
    /// The time of the change under way.
    tick: Tick,
}

/// The status codes with which a write may be refused. Where a request is wrong in several ways
/// that only a look at the records shows, the order of those looks is nobody's business.
pub(crate) type Refused = Vec<u16>;

/// What a write should come to.
#[derive(Clone, Debug)]
pub(crate) enum Expected {
    Refused(Refused),
    Product {
        status: u16,
        product: Product,
    },
    Category {
        status: u16,
        category: Category,
    },
    Removed,
    Batch {
        dry_run: bool,
        outcomes: Vec<ItemOutcome>,
        names: Names,
    },
}

impl Model {
    /// An empty shop.
    pub(crate) fn new(foreign_category: Uuid) -> Self {
        Self {
            products: Vec::new(),
            categories: Vec::new(),
            gone_products: Vec::new(),
            gone_categories: Vec::new(),
            events: Vec::new(),
            names: Names::default(),
            foreign_category,
            tick: 0,
        }
    }

    /// Does a write.
    pub(crate) fn apply(&mut self, call: &Call) -> Expected {
        self.tick = self.names.next_tick();
        let before = self.clone();
        let done = match call.verb {
            Verb::CreateCategory => self.create_category(&call.body),
            Verb::UpdateCategory(id) => self.update_category(id, &call.body),
            Verb::DeleteCategory(id) => self.delete_category(id),
            Verb::CreateProduct => self.create_product(&call.body),
            Verb::UpdateProduct(id) => self.update_product(id, &call.body),
            Verb::DeleteProduct(id) => self.delete_product(id),
            Verb::WriteProducts => Ok(self.batch(&call.body)),
        };
        let is_rehearsal = matches!(done, Ok(Expected::Batch { dry_run: true, .. }));
        if is_rehearsal || done.is_err() {
            *self = before;
        }
        done.unwrap_or_else(Expected::Refused)
    }

    fn tell(&mut self, news: News) {
        self.events.push(Event {
            tick: self.tick,
            news,
        });
    }
}
