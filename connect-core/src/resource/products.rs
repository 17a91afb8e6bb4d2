//! Products (specification: Products). Batches are in a file of their own.

use std::borrow::Cow;

use async_trait::async_trait;
use uuid::Uuid;

use super::{
    Access, Answer, Connect, Failure, FailureKind, Json, Outcome, Request,
    answer::single,
    categories, images,
    lane::{self, Change},
    list::{Slice, merge},
};
use crate::{
    record::{
        Fault, Index, Position, Record, Records, Row, Table, Unit,
        keys::{Family, Part, change_of, key},
    },
    rules::product as rules,
    wire::{
        Category, Deleted, EventType, Field, Page, Product, ProductChanged, ProductInput,
        ProductsChanged, Single, Timestamp, limits::MAX_IDS_PER_EVENT, query::ProductQuery,
        read::Invalid,
    },
};

impl Record for Product {
    const TABLE: Table = Table {
        rows: Family::Product,
        by_id: Family::ProductById,
        tombstones: Family::ProductTombstone,
    };

    fn id(&self) -> Uuid {
        self.id
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    fn indexes<'a>(&'a self, each: &mut dyn FnMut(Index<'a>)) {
        if let Some(external_id) = &self.external_id {
            each(Index::Unique(
                Family::ProductByExternalId,
                Cow::Borrowed(external_id),
            ));
        }
        if let Some(barcode) = &self.barcode {
            each(Index::ByText(Family::ProductByBarcode, barcode));
        }
        if let Some(category) = self.category_id {
            each(Index::ById(Family::ProductByCategory, category));
        }
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
        let slice = Slice::of("products", at, query, &query.sync, self.now())?;
        let is_filtered =
            query.barcode.is_some() || query.category_id.is_some() || query.external_id.is_some();
        if !is_filtered {
            let rows = self.slice(at, Product::TABLE, &slice).await?;
            return Ok(slice.page(at, &rows, None));
        }
        let records = self.records(at.location().id);
        let mut look = records.look().await?;
        let mut pause = None;
        loop {
            let mut found = filtered(&records, query, &slice).await?;
            if slice.include_deleted {
                let tombstones = Product::TABLE.tombstones;
                let mut deleted = records
                    .rows(tombstones, slice.position, slice.wanted())
                    .await?;
                // What lies behind the point where the walk stopped comes with the next page.
                deleted.retain(|(change, _)| found.stopped_at.is_none_or(|stop| *change <= stop));
                found.rows = merge(found.rows, deleted);
            }
            if look.saw_one_state().await? {
                return Ok(slice.page(at, &found.rows, found.stopped_at));
            }
            if look.is_losing() && pause.is_none() {
                pause = Some(lane::pause(&self.core, at).await?);
            }
        }
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
        let row = self
            .records(at.location().id)
            .find(Product::TABLE, id)
            .await?;
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
    async fn apply(&self, unit: &mut Unit<'_>, at: &Access) -> Result<Answer, Failure> {
        let written = create(unit, at, &self.0).await?;
        emit_changed(unit, &written.product);
        Answer::with(Outcome::Created, &written.product)
    }
}

struct Update(Uuid, ProductInput);

#[async_trait]
impl Change for Update {
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

/// A product after a write.
pub(super) struct Written {
    pub(super) product: Product,
    pub(super) is_changed: bool,
    pub(super) image_queued: bool,
}

/// Makes a product from checked input.
pub(super) async fn create(
    unit: &mut Unit<'_>,
    at: &Access,
    input: &ProductInput,
) -> Result<Written, Failure> {
    let blank = Product {
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
    let (product, image_queued) = fill(unit, at, blank, input).await?;
    unit.save(None, &product);
    Ok(Written {
        product,
        is_changed: true,
        image_queued,
    })
}

/// Writes checked input into a product. A write that changes nothing writes nothing.
pub(super) async fn update(
    unit: &mut Unit<'_>,
    at: &Access,
    old: Product,
    input: &ProductInput,
) -> Result<Written, Failure> {
    let (mut product, image_queued) = fill(unit, at, old.clone(), input).await?;
    let is_changed = product != old;
    if is_changed {
        product.updated_at = unit.time();
        unit.save(Some(&old), &product);
    }
    Ok(Written {
        product,
        is_changed,
        image_queued,
    })
}

/// `product` with the given fields written and every reference checked; whether an image was
/// queued.
async fn fill(
    unit: &mut Unit<'_>,
    at: &Access,
    mut product: Product,
    input: &ProductInput,
) -> Result<(Product, bool), Failure> {
    let keeps_external_id =
        input.external_id.is_absent() || input.external_id.value() == product.external_id.as_ref();
    rules::apply(input, &mut product)?;
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
        check_external_id_is_free(unit, &product).await?;
    }
    let image_queued = images::apply(unit, &mut product, &input.image_url).await?;
    Ok((product, image_queued))
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
/// rather than unknown, which tells an integrator what is mixed up.
async fn check_category(unit: &mut Unit<'_>, at: &Access, id: Uuid) -> Result<(), Failure> {
    let by_id = |location: Uuid| key(location, Category::TABLE.by_id, &[Part::Id(id)]);
    let own = at.location().id;
    if unit.get(&by_id(own)).await?.is_some() {
        return Ok(());
    }
    let locations = at.account().locations.iter().map(|location| location.id);
    for other in locations.filter(|location| *location != own) {
        if unit.get(&by_id(other)).await?.is_some() {
            return Err(Failure::new(
                FailureKind::ForbiddenLocation,
                format!("categoryId: category {id} belongs to another location"),
            ));
        }
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
    let listed = unit.scan(&prefix, usize::MAX).await?;
    let ids: Vec<Uuid> = listed
        .iter()
        .filter_map(|(key, _)| change_of(key))
        .map(|(_, id)| id)
        .collect();
    unit.read_ahead_ids::<Product>(ids.iter().copied()).await?;
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

/// What a walk through an index found.
#[derive(Default)]
struct Found {
    rows: Vec<Row>,
    /// Where the walk stopped before the page was full and the index at its end.
    stopped_at: Option<(Timestamp, Uuid)>,
}

/// The most rows that are looked at for one page. Two filters that many products pass singly and
/// hardly any pass together must not make one request read a whole catalog: the page is then
/// short, and its cursor goes on where the walk stopped.
const MOST_LOOKED_AT: usize = 2000;

/// The rows that pass the filters: found through the narrowest index, held against the rest.
async fn filtered(
    records: &Records<'_>,
    query: &ProductQuery,
    slice: &Slice,
) -> Result<Found, Fault> {
    let mut found = Found::default();
    let (family, part) = match (&query.external_id, &query.barcode, query.category_id) {
        (Some(external_id), _, _) => {
            let row = records
                .find_unique(Product::TABLE, Family::ProductByExternalId, external_id)
                .await?;
            if let Some(row) = row.filter(|(change, _)| is_at(*change, slice.position)) {
                found.rows.extend(passing(row, query)?);
            }
            return Ok(found);
        }
        (_, Some(barcode), _) => (Family::ProductByBarcode, Part::Text(barcode)),
        (_, _, Some(category)) => (Family::ProductByCategory, Part::Id(category)),
        _ => return Ok(found),
    };
    let (mut position, mut looked_at) = (slice.position, 0);
    while found.rows.len() < slice.wanted() {
        let listed = records
            .indexed(Product::TABLE, family, part, position, slice.wanted())
            .await?;
        let Some((last, _)) = listed.last() else {
            return Ok(found);
        };
        let last = *last;
        position = Position::After(last.0, last.1);
        looked_at += listed.len();
        for row in listed {
            found.rows.extend(passing(row, query)?);
        }
        if looked_at >= MOST_LOOKED_AT {
            found.stopped_at = Some(last);
            return Ok(found);
        }
        // The stores answer without waiting; others want the thread too.
        tokio::task::yield_now().await;
    }
    Ok(found)
}

/// Whether a change lies in the part of a list that starts at `position`.
fn is_at(change: (Timestamp, Uuid), position: Position) -> bool {
    match position {
        Position::From(time) => change.0 >= time,
        Position::After(time, id) => change > (time, id),
    }
}

/// The row, if it passes every filter that its index did not apply.
fn passing(row: Row, query: &ProductQuery) -> Result<Option<Row>, Fault> {
    let filters = [
        query.external_id.is_some(),
        query.barcode.is_some(),
        query.category_id.is_some(),
    ];
    if filters.iter().filter(|is_set| **is_set).count() < 2 {
        return Ok(Some(row));
    }
    let product: Product =
        serde_json::from_slice(&row.1).map_err(|e| Fault::corrupt(b"a listed product", e))?;
    let passes = query
        .barcode
        .as_ref()
        .is_none_or(|b| product.barcode.as_ref() == Some(b))
        && query
            .category_id
            .is_none_or(|c| product.category_id == Some(c));
    Ok(passes.then_some(row))
}
