//! A shop and the model side by side: each write goes to both, and all that can be seen of the one
//! is held against the other.

use connect_core::{
    Request,
    wire::{OptionGroup, Product, query::OptionGroupQuery},
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    input::{Body, CODES, Pick, Ref, Step},
    model::{Model, Outcome},
};
use crate::properties::shop::{Filters, Reply, Shop, events};

/// An id that no record has.
const UNKNOWN: &str = "09090909-0909-7000-8000-000000000909";

/// A shop and what it should be.
pub(super) struct Play {
    shop: Shop,
    model: Model,
    /// The time of the last change.
    last: String,
    events: usize,
}

impl Play {
    /// An empty shop. Another location has a group and a product, with codes that are used here
    /// too.
    pub(super) async fn begin(shop: Shop) -> Self {
        let there = shop.connect.location(&shop.there);
        let group =
            json!({ "name": "Theirs", "externalId": CODES[0], "options": [{ "name": "P" }] });
        let product = json!({ "name": "Theirs", "externalId": CODES[0] });
        let group = there.json::<OptionGroup>().create(request(&group)).await;
        let product = there.json::<Product>().create(request(&product)).await;
        let foreign = [group.into(), product.into()];
        let foreign = foreign.map(|reply: Reply| reply.data()["id"].clone());
        let model = Model {
            foreign: foreign.to_vec(),
            ..Model::default()
        };
        Self {
            shop,
            model,
            last: String::new(),
            events: 0,
        }
    }

    /// Does a write in both, and compares.
    pub(super) async fn step(&mut self, step: &Step) {
        self.model.events.clear();
        let before = self.model.clone();
        let here = self.shop.connect.location(&self.shop.at);
        let (groups, products) = (here.json::<OptionGroup>(), here.json::<Product>());
        let (expected, reply): (Outcome, Reply) = match step {
            Step::CreateGroup(body) => {
                let body = self.body(body, &Value::Null);
                let reply = groups.create(request(&body)).await;
                (self.model.create_group(&body), reply.into())
            }
            Step::UpdateGroup(group, body) => {
                let id = self.picked(*group, &self.model.groups, 0);
                let body = self.body(body, &id);
                let reply = groups.update(uuid(&id), request(&body)).await;
                (self.model.update_group(&id, &body), reply.into())
            }
            Step::UpdateOption(group, option, body) => {
                let group = self.picked(*group, &self.model.groups, 0);
                let option = self.picked(*option, &self.options(&group), 0);
                let body = body.clone().into();
                let reply = groups.update_option(uuid(&group), uuid(&option), request(&body));
                (
                    self.model.update_option(&group, &option, &body),
                    reply.await.into(),
                )
            }
            Step::DeleteGroup(group) => {
                let id = self.picked(*group, &self.model.groups, 0);
                let reply = groups.delete(uuid(&id), ().into()).await;
                (self.model.delete_group(&id), reply.into())
            }
            Step::WriteGroups {
                by_id,
                create_missing,
                dry_run,
                items,
            } => {
                let items = items.iter().map(|(pick, body)| {
                    let id = pick.map(|pick| self.picked(pick, &self.model.groups, 0));
                    let of = if *by_id { id.clone() } else { None };
                    let mut item = self.body(body, &of.unwrap_or_default());
                    if let Some(id) = id {
                        item["id"] = id;
                    }
                    item
                });
                let body = json!({
                    "matchBy": if *by_id { "id" } else { "externalId" },
                    "createMissing": create_missing, "dryRun": dry_run,
                    "items": items.collect::<Vec<_>>(),
                });
                let reply = groups.batch(request(&body)).await;
                (self.model.write_groups(&body), reply.into())
            }
            Step::CreateProduct(code, groups) => {
                let body = json!({
                    "name": "Product", "externalId": code, "optionGroupIds": self.groups(groups),
                });
                let reply = products.create(request(&body)).await;
                (self.model.create_product(&body), reply.into())
            }
            Step::UpdateProduct(product, groups) => {
                let id = self.picked(*product, &self.model.products, 1);
                let body = json!({ "optionGroupIds": self.groups(groups) });
                let reply = products.update(uuid(&id), request(&body)).await;
                (self.model.update_product(&id, &body), reply.into())
            }
            Step::DeleteProduct(product) => {
                let id = self.picked(*product, &self.model.products, 1);
                let reply = products.delete(uuid(&id), ().into()).await;
                (self.model.delete_product(&id), reply.into())
            }
            Step::Link {
                ids,
                codes,
                add,
                remove,
            } => {
                let ids = ids
                    .iter()
                    .map(|it| self.picked(*it, &self.model.products, 1));
                let refs = |refs: &[Ref]| -> Vec<Value> {
                    let each = refs.iter().map(|group| match group {
                        Ref::Id(pick) => json!({ "id": self.picked(*pick, &self.model.groups, 0) }),
                        Ref::Code(code) => json!({ "externalId": code }),
                    });
                    each.collect()
                };
                let body = json!({
                    "productIds": ids.collect::<Vec<_>>(), "productExternalIds": codes,
                    "add": refs(add), "remove": refs(remove),
                });
                let reply = products.link_option_groups(request(&body)).await;
                (self.model.link(&body), reply.into())
            }
        };
        if expected.is_err() {
            self.model = before;
        }
        let is_dry = matches!(step, Step::WriteGroups { dry_run: true, .. });
        self.compare(&expected, &reply, is_dry).await;
    }

    /// Holds every row against every index.
    pub(super) async fn check(&self) {
        let report = self.shop.connect.check(&mut |_| {}).await.unwrap();
        assert_eq!(report.problems, []);
    }

    fn picked(&self, pick: Pick, live: &[Value], foreign: usize) -> Value {
        match pick {
            Pick::Live(number) if !live.is_empty() => {
                live[usize::from(number) % live.len()]["id"].clone()
            }
            Pick::Foreign => self.model.foreign[foreign].clone(),
            Pick::Live(_) | Pick::Unknown => json!(UNKNOWN),
        }
    }

    fn groups(&self, picks: &[Pick]) -> Vec<Value> {
        let each = picks
            .iter()
            .map(|it| self.picked(*it, &self.model.groups, 0));
        each.collect()
    }

    /// The options of a group, or of all.
    fn options(&self, group: &Value) -> Vec<Value> {
        let groups = self.model.groups.iter();
        let these = groups.filter(|it| group.is_null() || it["id"] == *group);
        these
            .flat_map(|it| it["options"].as_array().unwrap().clone())
            .collect()
    }

    /// A body, whose options may be named after those of `group`.
    fn body(&self, body: &Body, group: &Value) -> Value {
        let mut fields = body.fields.clone();
        let known = self.options(group);
        if let Some(options) = &body.options {
            let each = options.iter().map(|(pick, fields)| {
                let mut fields = fields.clone();
                fields.extend(pick.map(|pick| ("id".to_owned(), self.picked(pick, &known, 0))));
                Value::Object(fields)
            });
            fields.insert("options".into(), each.collect());
        }
        fields.into()
    }

    async fn compare(&mut self, expected: &Outcome, reply: &Reply, is_dry: bool) {
        if let Ok(outcome) = expected {
            assert!(reply.status < 300, "{expected:?}\n{reply:?}");
            if !is_dry {
                self.learn_ids(outcome, reply);
            }
        }
        self.compare_lists().await;
        self.compare_events().await;
        let outcome = match expected {
            Err(codes) => {
                let code = reply.body["error"]["code"].as_str().unwrap_or("none");
                assert!(codes.contains(&code), "{codes:?}\n{reply:?}");
                return;
            }
            Ok(outcome) => outcome,
        };
        if let Some(at) = outcome["group"].as_u64() {
            assert_eq!(*reply.data(), self.model.groups[at as usize]);
        } else if let Some(results) = outcome["results"].as_array() {
            compare_results(results, reply.data());
        } else if outcome["affected"].is_u64() {
            let mut data = reply.data().clone();
            for failure in data["failed"].as_array_mut().unwrap() {
                let error = failure.as_object_mut().unwrap().remove("error").unwrap();
                failure["code"] = error["code"].clone();
            }
            assert_eq!(data, *outcome);
        }
    }

    /// What the records that were made are called.
    fn learn_ids(&mut self, outcome: &Value, reply: &Reply) {
        let learn = |records: &mut Vec<Value>, at: &Value, id: &Value| {
            let Some(at) = at.as_u64() else { return };
            let is_new = records.iter().all(|record| record["id"] != *id);
            let known = &mut records[at as usize]["id"];
            assert!(
                id.is_string() && (is_new || known == id),
                "{id} is another's"
            );
            *known = id.clone();
        };
        if reply.body.is_null() {
            return;
        }
        let data = reply.data();
        learn(&mut self.model.groups, &outcome["group"], &data["id"]);
        learn(&mut self.model.products, &outcome["product"], &data["id"]);
        for (at, result) in outcome["results"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            let id = &data["results"][at]["id"];
            learn(&mut self.model.groups, &result["group"], id);
        }
    }

    async fn compare_lists(&mut self) {
        let mut query = OptionGroupQuery::default();
        query.sync.limit = Some(200);
        query.sync.include_deleted = true;
        let here = self.shop.connect.location(&self.shop.at);
        let page = here
            .json::<OptionGroup>()
            .list(&query)
            .await
            .unwrap()
            .into_bytes();
        let page: Value = serde_json::from_slice(&page).unwrap();
        let (gone, shown): (Vec<Value>, Vec<Value>) = page["data"]
            .as_array()
            .unwrap()
            .iter()
            .cloned()
            .partition(|entry| entry["deleted"] == true);
        let gone: Vec<_> = gone.iter().map(|entry| entry["id"].clone()).collect();
        assert_eq!(gone, self.model.gone);
        let products = self.shop.products(&Filters::default(), false, 200).await;
        let products: Vec<Value> = products
            .iter()
            .map(|product| {
                let fields = ["id", "externalId", "optionGroupIds", "updatedAt"];
                fields
                    .iter()
                    .map(|&field| (field, product[field].clone()))
                    .collect()
            })
            .collect();
        let mut used: Vec<Value> = self.options(&Value::Null);
        used.retain(|option| !option["id"].is_null());
        let mut times = Vec::new();
        for (own, shown) in [
            (&mut self.model.groups, &shown),
            (&mut self.model.products, &products),
        ] {
            for record in own.iter_mut() {
                let there = shown.iter().find(|it| it["id"] == record["id"]);
                let there = there.unwrap_or_else(|| panic!("{record} is not listed"));
                if record["updatedAt"].is_null() {
                    times.push(there["updatedAt"].as_str().unwrap().to_owned());
                    record["updatedAt"] = there["updatedAt"].clone();
                }
                if record.get("createdAt").is_some_and(Value::is_null) {
                    record["createdAt"] = there["createdAt"].clone();
                }
                let options = record.get_mut("options").and_then(Value::as_array_mut);
                for (at, option) in options.into_iter().flatten().enumerate() {
                    let id = &there["options"][at]["id"];
                    if option["id"].is_null() {
                        assert!(used.iter().all(|it| it["id"] != *id), "{id} is another's");
                        option["id"] = id.clone();
                    }
                }
            }
            let mut expected = own.clone();
            expected.sort_by_key(|it| (it["updatedAt"].to_string(), it["id"].to_string()));
            assert_eq!(*shown, expected, "the lists differ");
        }
        // What changed together has one time, later than any before.
        times.dedup();
        assert!(times.len() <= 1, "{times:?}");
        if let Some(time) = times.pop() {
            assert!(time > self.last, "{time} is not later than {}", self.last);
            self.last = time;
        }
    }

    async fn compare_events(&mut self) {
        let all = events(&self.shop).await;
        let new: Vec<Value> = all[self.events..]
            .iter()
            .map(|event| json!({ "type": event.kind.as_str(), "data": event.data }))
            .collect();
        self.events = all.len();
        let (groups, products) = (&self.model.groups, &self.model.products);
        let show = |event: &Value| {
            let about = &event["about"];
            let data = if let Some(at) = about["group"].as_u64() {
                let mut group = groups[at as usize].clone();
                group["deleted"] = json!(false);
                group
            } else if let Some(at) = about["product"].as_u64() {
                products[at as usize]["id"].clone()
            } else if about["gone"].is_string() {
                json!({ "id": about["gone"], "deleted": true })
            } else if let Some(ids) = about["groups"].as_array() {
                let id = |at: &Value| groups[at.as_u64().unwrap() as usize]["id"].clone();
                let ids: Vec<_> = ids.iter().map(id).collect();
                json!({ "ids": ids, "created": about["created"], "updated": about["updated"] })
            } else {
                about.clone()
            };
            json!({ "type": event["type"], "data": data })
        };
        let expected: Vec<Value> = self.model.events.iter().map(show).collect();
        // Of a product that was written only the id is told here.
        let told = new.into_iter().map(|mut event| {
            if event["type"] == "catalog.product.changed" && event["data"]["deleted"] == false {
                event["data"] = event["data"]["id"].clone();
            }
            event
        });
        assert_eq!(told.collect::<Vec<_>>(), expected, "the events differ");
    }
}

/// The results of a batch, and that they add up.
fn compare_results(expected: &[Value], data: &Value) {
    let results = data["results"].as_array().unwrap();
    assert_eq!(results.len(), expected.len());
    for (result, expected) in results.iter().zip(expected) {
        assert_eq!(result["status"], expected["status"], "{result} {expected}");
        assert_eq!(result["externalId"], expected["externalId"], "{result}");
        assert_eq!(result["error"]["code"], expected["code"], "{result}");
    }
    for status in ["created", "updated", "unchanged", "failed"] {
        let count = expected.iter().filter(|it| it["status"] == status).count();
        assert_eq!(data[status], count, "{status}");
    }
}

fn request<T>(body: &Value) -> Request<T> {
    Request::json(serde_json::to_vec(body).unwrap())
}

fn uuid(id: &Value) -> Uuid {
    id.as_str().unwrap().parse().unwrap()
}
