//! The schemas of the document, from the types of the core.

use connect_core::{
    Resource, Upsert,
    wire::{
        Batch, BatchInput, BatchResult, Collection, Entry, Page, Single, StockCount,
        StockCountItem, StockCounts, StockCountsResult, WriteInput, limits::MAX_STOCK_COUNTS,
    },
};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// An id as the service makes it.
const ID: &str = "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";
/// A UUID as the service reads it.
const UUID: &str = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$";

/// The schemas that were asked for, and those that they refer to.
pub(super) struct Schemas {
    /// For requests: closed, and without defaults, which generators of clients would send.
    requests: SchemaGenerator,
    /// For responses: open to new fields and values.
    responses: SchemaGenerator,
    /// Schemas that are made from others.
    made_requests: Map<String, Value>,
    made_responses: Map<String, Value>,
}

impl Default for Schemas {
    fn default() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.meta_schema = None;
                settings.definitions_path = "/components/schemas".into();
            })
        };
        Self {
            requests: settings().for_deserialize().into_generator(),
            responses: settings().for_serialize().into_generator(),
            made_requests: Map::new(),
            made_responses: Map::new(),
        }
    }
}

impl Schemas {
    /// Adds a schema of a response.
    pub(super) fn add<T: JsonSchema>(&mut self) {
        self.responses.subschema_for::<T>();
    }

    /// Adds a list without pages.
    pub(super) fn add_list<T: JsonSchema>(&mut self) {
        self.add::<Collection<T>>();
    }

    /// Adds a kind of record: one, a page of them, and what creates and changes one.
    pub(super) fn add_kind<R>(&mut self)
    where
        R: Resource<Input: WriteInput + JsonSchema> + JsonSchema,
    {
        self.add::<Single<R>>();
        self.add::<Page<Entry<R>>>();
        self.bound::<R>();
        let (name, noun) = (R::schema_name(), R::NAME);
        let mut update = self.input::<R::Input>(R::Input::READ_ONLY);
        update["description"] =
            format!("What changes of a {noun}. What is left out stays as it is.").into();
        let mut create = update.clone();
        create["description"] = format!("A new {noun}.").into();
        create["required"] = json!(R::Input::REQUIRED);
        self.made_requests.insert(format!("{name}Update"), update);
        self.made_requests.insert(format!("{name}Create"), create);
    }

    /// Adds the body of a write that changes a part of a record.
    pub(super) fn add_update<I: WriteInput + JsonSchema>(&mut self, name: &str, noun: &str) {
        let mut update = self.input::<I>(I::READ_ONLY);
        update["description"] =
            format!("What changes of an {noun}. What is left out stays as it is.").into();
        self.made_requests.insert(format!("{name}Update"), update);
    }

    /// Adds the body of a write that is no change of a record.
    pub(super) fn add_request<I: WriteInput + JsonSchema>(&mut self) {
        let mut schema = self.input::<I>(I::READ_ONLY);
        if !I::REQUIRED.is_empty() {
            schema["required"] = json!(I::REQUIRED);
        }
        self.made_requests
            .insert(I::schema_name().into_owned(), schema);
    }

    /// Adds the batch of a kind of record, and its result.
    pub(super) fn add_batch<R>(&mut self)
    where
        R: Upsert<Input: BatchInput<Extra: JsonSchema> + JsonSchema> + JsonSchema,
    {
        let name = R::schema_name();
        let item = format!("{name}BatchItem");
        // The id counts where a batch is matched by it.
        let ignored = R::Input::READ_ONLY.iter().filter(|field| **field != "id");
        let mut schema = self.input::<R::Input>(&ignored.copied().collect::<Vec<_>>());
        schema["description"] = format!(
            "A {} as in a single write. What creating requires is needed where one is made.",
            R::NAME
        )
        .into();
        self.made_requests.insert(item.clone(), schema);

        let mut batch = Value::from(Batch::<R::Input>::json_schema(&mut self.requests));
        // Its items are those above.
        let definitions = self.requests.definitions_mut();
        definitions.remove(&*R::Input::schema_name());
        batch["required"] = json!(["items"]);
        batch["additionalProperties"] = false.into();
        let items = &mut batch["properties"]["items"];
        items["minItems"] = 1.into();
        items["maxItems"] = <R::Input as BatchInput>::MAX_ITEMS.into();
        items["items"] = json!({ "$ref": format!("#/components/schemas/{item}") });
        let keys = <R::Input as BatchInput>::MATCH_BY;
        batch["properties"]["matchBy"]["enum"] = json!(keys);
        self.made_requests.insert(format!("{name}Batch"), batch);

        // The result is named after the kind of record, not after what is particular to it.
        let mut result = Value::from(BatchResult::<<R::Input as BatchInput>::Extra>::json_schema(
            &mut self.responses,
        ));
        result["description"] = format!("What a batch of {} did.", R::LIST).into();
        self.made_responses
            .insert(format!("{name}BatchResult"), result);
        self.made_responses.insert(
            format!("{name}BatchResultSingle"),
            json!({
                "type": "object",
                "description": "The result of a batch: `{ \"data\": result }`.",
                "required": ["data"],
                "properties": {
                    "data": {
                        "description": "The result.",
                        "$ref": format!("#/components/schemas/{name}BatchResult"),
                    },
                },
            }),
        );
    }

    /// Adds the counts of many products, and their result.
    pub(super) fn add_counts(&mut self) {
        let mut item = self.input::<StockCountItem>(StockCountItem::READ_ONLY);
        item["required"] = json!(StockCountItem::REQUIRED);
        let mut counts = Value::from(StockCounts::json_schema(&mut self.requests));
        counts["required"] = json!(["items"]);
        let items = &mut counts["properties"]["items"];
        items["minItems"] = 1.into();
        items["maxItems"] = MAX_STOCK_COUNTS.into();
        let one = self.input::<StockCount>(StockCount::READ_ONLY);
        counts["properties"]["note"] = one["properties"]["note"].clone();
        self.made_requests.insert("StockCountItem".to_owned(), item);
        self.made_requests.insert("StockCounts".to_owned(), counts);
        self.add::<Single<StockCountsResult>>();
    }

    /// The schema of a write, without the fields that are ignored in it.
    fn input<I: JsonSchema>(&mut self, ignored: &[&str]) -> Value {
        let mut schema = Value::from(I::json_schema(&mut self.requests));
        let fields = schema["properties"].as_object_mut().unwrap();
        fields.retain(|field, _| !ignored.contains(&&**field));
        schema["additionalProperties"] = false.into();
        schema["x-ignored"] = json!(ignored);
        schema
    }

    /// Gives the fields of a record the bounds that they have in what writes it.
    fn bound<R: Resource<Input: JsonSchema> + JsonSchema>(&mut self) {
        // What the input refers to is no part of responses.
        let mut scratch = self.responses.clone();
        let written = Value::from(R::Input::json_schema(&mut scratch));
        let record = self.responses.definitions_mut();
        let record = &mut record[&*R::schema_name()]["properties"];
        for (field, schema) in record.as_object_mut().unwrap() {
            if let Some(written) = written["properties"].get(field)
                && field != "id"
            {
                let (description, items) = (schema["description"].take(), schema["items"].take());
                *schema = written.clone();
                schema["description"] = description;
                if items["$ref"].is_string() {
                    // What is read has a schema of its own.
                    schema["items"] = items;
                }
            }
        }
    }

    /// All schemas, sorted by name.
    pub(super) fn finish(mut self) -> Map<String, Value> {
        let mut all = Map::new();
        let requests = self.requests.take_definitions(true);
        let mut responses = self.responses.take_definitions(true);
        responses.append(&mut self.made_responses);
        for (name, mut schema) in requests.into_iter().chain(self.made_requests) {
            if schema["type"] == "object" {
                schema["additionalProperties"] = false.into();
            }
            tidy(&mut schema, UUID);
            all.insert(name, schema);
        }
        for (name, mut schema) in responses {
            tidy(&mut schema, ID);
            never_null(&mut schema);
            all.insert(name, schema);
        }
        all.sort_keys();
        all
    }
}

/// Says how ids look, and leaves out what says nothing to a client: defaults, which a generated
/// client might send although an update must leave them out, and formats of Rust's own.
fn tidy(schema: &mut Value, id: &str) {
    match schema {
        Value::Object(fields) => {
            fields.remove("default");
            if let Some(Value::String(text)) = fields.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            if fields
                .get("format")
                .is_some_and(|format| format.as_str().is_some_and(|text| text.starts_with("uint")))
            {
                fields.remove("format");
            }
            if fields.get("format").is_some_and(|format| format == "uuid") {
                fields.insert("pattern".to_owned(), id.into());
            }
            for field in fields.values_mut() {
                tidy(field, id);
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| tidy(entry, id)),
        _ => {}
    }
}

/// Takes `null` from the fields that are left out where they have no value.
fn never_null(schema: &mut Value) {
    let required = schema["required"].clone();
    let required = required.as_array().cloned().unwrap_or_default();
    let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    let optional = fields
        .iter_mut()
        .filter(|(name, _)| !required.contains(&name.as_str().into()));
    for (_, field) in optional {
        if let Some(types) = field["type"].as_array() {
            field["type"] = types[0].clone();
        }
        if let Some(types) = field["anyOf"].as_array() {
            field["$ref"] = types[0]["$ref"].clone();
            field.as_object_mut().unwrap().remove("anyOf");
        }
    }
}
