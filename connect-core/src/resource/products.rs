//! Products (specification: Products). Batches are in a file of their own.

use std::{borrow::Cow, collections::HashSet};

use async_trait::async_trait;
use smallvec::SmallVec;
use uuid::Uuid;

use super::{
    Access, Answer, Connect, Failure, FailureKind, Json, Outcome, Request,
    answer::single,
    categories,
    images::{self, ImageEffect},
    list::{Filter, PageRequest},
    write_queue::Change,
};
use crate::{
    record::{
        Fault, Index, Reads, Record, Row, Through, Unit,
        keys::{Family, Part, key},
    },
    rules::product as rules,
    wire::{
        Category, Deleted, EventType, Field, Page, Product, ProductChanged, ProductInput,
        ProductsChanged, Single, Timestamp, limits::MAX_IDS_PER_EVENT, query::ProductQuery,
        read::Invalid,
    },
};

impl Record for Product {
    const ROWS: Family = Family::Product;
    const BY_CHANGE: Family = Family::ProductByChange;
    const TOMBSTONES: Family = Family::ProductTombstone;

    fn id(&self) -> Uuid {
        self.id
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    fn indexes(&self) -> SmallVec<[Index<'_>; 4]> {
        let external_id = self.external_id.as_deref();
        let by_external_id =
            external_id.map(|text| Index::Unique(Family::ProductByExternalId, Cow::Borrowed(text)));
        let barcode = self.barcode.as_deref();
        let by_barcode = barcode.map(|text| Index::Holders(Family::ProductByBarcode, text));
        let by_category = self
            .category_id
            .map(|id| Index::ByChange(Family::ProductByCategory, id));
        [by_external_id, by_barcode, by_category]
            .into_iter()
            .flatten()
            .collect()
    }
}

impl Connect {
    /// A page of the location's products, in the order in which they last changed.
    ///
    /// With `includeDeleted` every deletion is listed, whatever the filters: what a deleted
    /// product was is no longer known, and a client drops ids it never had.
    ///
    /// # Errors
    /// A query parameter is bad.
    pub async fn list_products(
        &self,
        at: &Access,
        query: &ProductQuery,
    ) -> Result<Json<Page<Product>>, Failure> {
        let request = PageRequest::of("products", at, query, &query.sync, self.now())?;
        let by_barcode = query.barcode.as_deref();
        let in_order = match query.category_id {
            Some(id) => Through::ByChange(Family::ProductByCategory, id),
            None => Through::All,
        };
        let through = match (&query.external_id, by_barcode) {
            (Some(text), _) => Through::Unique(Family::ProductByExternalId, text),
            (None, Some(text)) => Through::Holders(Family::ProductByBarcode, text),
            (None, None) => in_order,
        };
        let filters = [
            query.external_id.is_some(),
            query.barcode.is_some(),
            query.category_id.is_some(),
        ];
        let has_several = filters.iter().filter(|is_set| **is_set).count() > 1;
        let passes = |row: &Row| passes(row, query);
        let filter: Option<Filter<'_>> = if has_several || query.barcode.is_some() {
            Some(&passes)
        } else {
            None
        };
        self.page::<Product>(at, &request, through, in_order, filter)
            .await
    }

    /// One product.
    ///
    /// # Errors
    /// [`FailureKind::NotFound`].
    pub async fn get_product(
        &self,
        at: &Access,
        id: Uuid,
    ) -> Result<Json<Single<Product>>, Failure> {
        let row = self.store().row::<Product>(at.location().id, id).await?;
        row.map(|row| single(&row))
            .ok_or_else(|| Failure::not_found("product", id))
    }

    /// Makes a product; `name` is required.
    ///
    /// # Errors
    /// A field is invalid, the external id is taken, or a reference leads nowhere.
    pub async fn create_product(
        &self,
        at: &Access,
        request: Request<ProductInput>,
    ) -> Result<Answer, Failure> {
        self.write(at, request, |input| {
            let input = rules::check(input)?;
            rules::name_of(&input.name)?;
            Ok(Box::new(Create(input)))
        })
        .await
    }

    /// Changes the given fields of a product.
    ///
    /// # Errors
    /// A field is invalid, the external id is taken, a reference leads nowhere, or there is no
    /// such product.
    pub async fn update_product(
        &self,
        at: &Access,
        id: Uuid,
        request: Request<ProductInput>,
    ) -> Result<Answer, Failure> {
        self.write(at, request, |input| {
            Ok(Box::new(Update(id, rules::check(input)?)))
        })
        .await
    }

    /// Deletes a product.
    ///
    /// # Errors
    /// There is no such product.
    pub async fn delete_product(
        &self,
        at: &Access,
        id: Uuid,
        request: Request<()>,
    ) -> Result<Answer, Failure> {
        self.write(at, request, |()| Ok(Box::new(Delete(id)))).await
    }
}

struct Create(ProductInput);

#[async_trait]
impl Change for Create {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        reads_of(&self.0, reads);
    }

    fn more_reads(&self, at: &Access, unit: &Unit<'_>, reads: &mut Reads) {
        more_reads_of([&self.0], at, unit, reads);
    }

    async fn apply(&self, unit: &mut Unit<'_>, at: &Access) -> Result<Answer, Failure> {
        let written = create(unit, at, &self.0).await?;
        emit_changed(unit, &written.product);
        Answer::with(Outcome::Created, &written.product)
    }
}

struct Update(Uuid, ProductInput);

#[async_trait]
impl Change for Update {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        let Self(id, input) = self;
        reads.record::<Product>(*id);
        reads_of(input, reads);
        if !input.image_url.is_absent() {
            images::reads(reads.partition(), *id, reads);
        }
    }

    fn more_reads(&self, at: &Access, unit: &Unit<'_>, reads: &mut Reads) {
        more_reads_of([&self.1], at, unit, reads);
    }

    async fn apply(&self, unit: &mut Unit<'_>, at: &Access) -> Result<Answer, Failure> {
        let Self(id, input) = self;
        let old = unit
            .find(*id)
            .await?
            .ok_or_else(|| Failure::not_found("product", id))?;
        let written = update(unit, at, old, input).await?;
        if written.is_changed {
            emit_changed(unit, &written.product);
        }
        Answer::with(Outcome::Done, &written.product)
    }
}

struct Delete(Uuid);

#[async_trait]
impl Change for Delete {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        reads.record::<Product>(self.0);
        images::reads(reads.partition(), self.0, reads);
    }

    async fn apply(&self, unit: &mut Unit<'_>, _: &Access) -> Result<Answer, Failure> {
        let Self(id) = *self;
        let product: Product = unit
            .find(id)
            .await?
            .ok_or_else(|| Failure::not_found("product", id))?;
        images::cancel(unit, id).await?;
        unit.remove(&product);
        unit.emit(EventType::ProductChanged, Deleted { id, deleted: true });
        Ok(Answer::new(Outcome::Removed, Vec::new()))
    }
}

/// Adds what a write of `input` looks up, whichever product it is for.
fn reads_of(input: &ProductInput, reads: &mut Reads) {
    reads_of_external_id(input, reads);
    reads_of_category_id(input, reads);
    categories::reads_of_name(&input.category_name, reads);
}

/// Adds the look-up that tells whether the external id is free.
pub(super) fn reads_of_external_id(input: &ProductInput, reads: &mut Reads) {
    if let Some(external_id) = input.external_id.value() {
        reads.entry(Family::ProductByExternalId, external_id);
    }
}

/// Adds the look-up that tells whether there is such a category.
pub(super) fn reads_of_category_id(input: &ProductInput, reads: &mut Reads) {
    if let Some(id) = input.category_id.value() {
        reads.record::<Category>(*id);
    }
}

/// The most look-ups of unknown categories at other locations for one write: those of all items
/// of a batch at ten locations.
const MOST_ELSEWHERE: usize = 5000;

/// Adds what a write of these inputs looks up once the first reads are known: whether a category
/// that is not of this location is of another one decides between two refusals.
pub(super) fn more_reads_of<'i>(
    inputs: impl IntoIterator<Item = &'i ProductInput>,
    at: &Access,
    unit: &Unit<'_>,
    reads: &mut Reads,
) {
    let own = at.location().id;
    let category = |location, id| key(location, Category::ROWS, &[Part::Id(id)]);
    let mut unknown = HashSet::new();
    let mut left = MOST_ELSEWHERE;
    for id in inputs
        .into_iter()
        .filter_map(|input| input.category_id.value())
    {
        if unit.known(&category(own, *id)) == Some(None) && unknown.insert(id) {
            for other in others(at).take(left) {
                reads.row(category(other, *id));
                left -= 1;
            }
        }
    }
}

/// The other locations of the account.
fn others(at: &Access) -> impl Iterator<Item = Uuid> {
    let own = at.location().id;
    let all = at.account().locations.iter().map(|location| location.id);
    all.filter(move |location| *location != own)
}

/// A product after a write.
pub(super) struct Written {
    pub(super) product: Product,
    pub(super) is_changed: bool,
    pub(super) image: ImageEffect,
}

/// Makes a product from checked input.
pub(super) async fn create(
    unit: &mut Unit<'_>,
    at: &Access,
    input: &ProductInput,
) -> Result<Written, Failure> {
    let mut product = Product {
        id: unit.next_id(),
        external_id: None,
        name: rules::name_of(&input.name)?.clone(),
        description: None,
        price_cents: 0,
        currency: at.location().currency.clone(),
        vat_rate: at.location().default_vat_rate,
        barcode: None,
        category_id: None,
        is_active: true,
        available_from: None,
        available_until: None,
        image_url: None,
        image_status: None,
        image_error: None,
        option_group_ids: Vec::new(),
        stock_quantity: None,
        created_at: unit.time(),
        updated_at: unit.time(),
    };
    let image = fill(unit, at, &mut product, input).await?;
    unit.save(None, &product);
    Ok(Written {
        product,
        is_changed: true,
        image,
    })
}

/// Writes checked input into a product. A write that changes nothing writes nothing.
pub(super) async fn update(
    unit: &mut Unit<'_>,
    at: &Access,
    old: Product,
    input: &ProductInput,
) -> Result<Written, Failure> {
    let mut product = old.clone();
    let image = fill(unit, at, &mut product, input).await?;
    let is_changed = product != old;
    if is_changed {
        product.updated_at = unit.time();
        unit.save(Some(&old), &product);
    }
    Ok(Written {
        product,
        is_changed,
        image,
    })
}

/// Writes the given fields into `product`, every reference checked.
async fn fill(
    unit: &mut Unit<'_>,
    at: &Access,
    product: &mut Product,
    input: &ProductInput,
) -> Result<ImageEffect, Failure> {
    let keeps_external_id =
        input.external_id.is_absent() || input.external_id.value() == product.external_id.as_ref();
    rules::apply(input, product)?;
    // There are no option groups yet, so no id can name one.
    if let Some(ids) = input.option_group_ids.value()
        && !ids.is_empty()
    {
        let problem = format!("names no option group of this location: {}", ids[0]);
        return Err(Invalid::new("optionGroupIds[0]", problem).into());
    }
    match (&input.category_id, &input.category_name) {
        (Field::Null, _) => product.category_id = None,
        (Field::Value(id), _) if product.category_id == Some(*id) => {}
        (Field::Value(id), _) => {
            check_category(unit, at, *id).await?;
            product.category_id = Some(*id);
        }
        (Field::Absent, Field::Value(name)) => {
            product.category_id = Some(categories::find_or_create(unit, name).await?);
        }
        (Field::Absent, _) => {}
    }
    // Every field comes before the state of others.
    if !keeps_external_id {
        check_external_id_is_free(unit, product).await?;
    }
    Ok(images::apply(unit, product, &input.image_url).await?)
}

async fn check_external_id_is_free(unit: &mut Unit<'_>, product: &Product) -> Result<(), Failure> {
    let Some(external_id) = &product.external_id else {
        return Ok(());
    };
    match unit
        .find_unique(Family::ProductByExternalId, external_id)
        .await?
    {
        Some(holder) if holder != product.id => Err(Failure::conflict(format!(
            "externalId: product {holder} has \"{external_id}\" already"
        ))),
        _ => Ok(()),
    }
}

/// A category has to be of this location. One of another location of the account is forbidden
/// rather than unknown, which tells an integrator what is mixed up; the others were looked at
/// beforehand, as far as [`MOST_ELSEWHERE`] allows.
async fn check_category(unit: &mut Unit<'_>, at: &Access, id: Uuid) -> Result<(), Failure> {
    let row = |location: Uuid| key(location, Category::ROWS, &[Part::Id(id)]);
    if unit.get(&row(at.location().id)).await?.is_some() {
        return Ok(());
    }
    if others(at).any(|other| matches!(unit.known(&row(other)), Some(Some(_)))) {
        return Err(Failure::new(
            FailureKind::ForbiddenLocation,
            format!("categoryId: category {id} belongs to another location"),
        ));
    }
    Err(Invalid::new(
        "categoryId",
        format!("there is no category {id} at this location"),
    )
    .into())
}

/// Takes every product out of a category that is deleted, in the same commit.
pub(super) async fn leave_category(unit: &mut Unit<'_>, category: Uuid) -> Result<(), Failure> {
    let prefix = key(
        unit.partition(),
        Family::ProductByCategory,
        &[Part::Id(category)],
    );
    let ids = unit.members(&prefix, Product::ROWS).await?;
    for (index, id) in ids.iter().enumerate() {
        if index % 200 == 199 {
            // A category may hold a whole catalog; others want the thread too.
            tokio::task::yield_now().await;
        }
        if let Some(old) = unit.find::<Product>(*id).await? {
            let product = Product {
                category_id: None,
                updated_at: unit.time(),
                ..old.clone()
            };
            unit.save(Some(&old), &product);
        }
    }
    for ids in ids.chunks(MAX_IDS_PER_EVENT) {
        let changed = ProductsChanged {
            reason: "bulk".to_owned(),
            ids: ids.to_vec(),
            deleted_ids: Some(Vec::new()),
        };
        unit.emit(EventType::ProductsChanged, changed);
    }
    Ok(())
}

fn emit_changed(unit: &mut Unit<'_>, product: &Product) {
    let changed = ProductChanged {
        product: product.clone(),
        deleted: false,
    };
    unit.emit(EventType::ProductChanged, changed);
}

/// Checks a row against every filter, also that of the index that it was found through.
fn passes(row: &Row, query: &ProductQuery) -> Result<bool, Fault> {
    let product: Product =
        serde_json::from_slice(&row.1).map_err(|e| Fault::corrupt(b"a listed product", e))?;
    let is = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
    Ok(is(&query.external_id, &product.external_id)
        && is(&query.barcode, &product.barcode)
        && query
            .category_id
            .is_none_or(|id| product.category_id == Some(id)))
}
