//! Holding a shop against its model.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{Session, batch::compare_batch};
use crate::properties::{
    model::Expected,
    shop::{Filters, Reply, events},
};

impl Session {
    /// Status, codes and ids of a reply. Its other data may name what is not yet known.
    pub(super) fn compare_reply(&mut self, expected: &Expected, reply: &Reply) {
        let (status, serial) = match expected {
            Expected::Refused(statuses) => {
                assert!(
                    statuses.contains(&reply.status),
                    "not one of {statuses:?}: {reply:?}"
                );
                let code = code(reply.status);
                assert_eq!(reply.body["error"]["code"], code, "{reply:?}");
                return;
            }
            Expected::Removed => (204, None),
            Expected::Product { status, product } => (*status, Some(product.serial)),
            Expected::Category { status, category } => (*status, Some(category.serial)),
            Expected::Batch { .. } => (200, None),
        };
        assert_eq!(reply.status, status, "{expected:?}\n{reply:?}");
        if let Some(serial) = serial {
            self.model.names.learn_id(serial, id_in(reply.data()));
        }
        if let Expected::Batch {
            dry_run,
            outcomes,
            names,
        } = expected
        {
            let data = reply.data();
            // What a dry run would have made stays unknown afterwards.
            let mut would_be = names.clone();
            let names = if *dry_run {
                &mut would_be
            } else {
                &mut self.model.names
            };
            compare_batch(outcomes, data, names);
        }
    }

    /// The record in a reply, once all ids and times in it are known.
    pub(super) fn compare_data(&self, expected: &Expected, reply: &Reply) {
        let names = &self.model.names;
        let data = match expected {
            Expected::Product { product, .. } => product.show(names),
            Expected::Category { category, .. } => category.show(names),
            _ => return,
        };
        assert_eq!(
            *reply.data(),
            Value::Object(data),
            "the reply shows another record"
        );
    }

    /// Lists and events, after learning what new records and times are called.
    pub(crate) async fn compare(&mut self) {
        let products = self
            .shop
            .products(&Filters::default(), true, self.page)
            .await;
        let categories = self.shop.categories(true, self.page).await;
        let events = events(&self.shop).await;
        self.learn_categories(&categories);
        self.learn_times(&products, &categories);
        assert_eq!(
            events.len(),
            self.model.events.len(),
            "another number of events: {events:?}"
        );
        for (event, expected) in events.iter().zip(&self.model.events) {
            self.model
                .names
                .learn_time(expected.tick, &event.created_at.to_string());
        }
        assert_eq!(
            products,
            self.model.show_products(),
            "the lists of products differ"
        );
        assert_eq!(
            categories,
            self.model.show_categories(),
            "the lists of categories differ"
        );
        for (index, (event, expected)) in events.iter().zip(&self.model.events).enumerate() {
            let (kind, data) = expected.show(&self.model.names);
            assert_eq!(
                event.sequence,
                Some(index as u64 + 1),
                "a gap before {event:?}"
            );
            assert_eq!(
                (event.kind.as_str(), &event.data),
                (kind, &data),
                "the events differ"
            );
        }
    }

    /// A category that came with a product is known by its name.
    fn learn_categories(&mut self, shown: &[Value]) {
        let names = &mut self.model.names;
        for category in &self.model.categories {
            if names.is_known(category.serial) {
                continue;
            }
            let same = shown
                .iter()
                .find(|shown| shown["name"] == json!(category.name));
            let shown = same.unwrap_or_else(|| panic!("no category {category:?}: {shown:?}"));
            names.learn_id(category.serial, id_in(shown));
        }
    }

    fn learn_times(&mut self, products: &[Value], categories: &[Value]) {
        let model = &mut self.model;
        let live = model
            .products
            .iter()
            .map(|it| (it.serial, Some(it.created), it.updated));
        let more = model
            .categories
            .iter()
            .map(|it| (it.serial, Some(it.created), it.updated));
        let gone = model.gone_products.iter().chain(&model.gone_categories);
        let gone = gone.map(|gone| (gone.serial, None, gone.tick));
        for (serial, created, updated) in live.chain(more).chain(gone) {
            let id = json!(model.names.id(serial));
            let mut shown = products.iter().chain(categories);
            let Some(shown) = shown.find(|shown| shown["id"] == id) else {
                continue;
            };
            let mut learn = |tick, field: &str| {
                if let Some(time) = shown[field].as_str() {
                    model.names.learn_time(tick, time);
                }
            };
            learn(updated, "updatedAt");
            if let Some(created) = created {
                learn(created, "createdAt");
            }
        }
    }
}

/// The code that goes with a status.
pub(super) fn code(status: u16) -> &'static str {
    match status {
        400 | 422 => "validation_failed",
        403 => "forbidden_location",
        404 => "not_found",
        409 => "conflict",
        other => panic!("no write of these tests may be refused with {other}"),
    }
}

pub(super) fn id_in(record: &Value) -> Uuid {
    record["id"].as_str().unwrap().parse().unwrap()
}
