//! Locations (specification: Locations), and the records of one, kind by kind.

use super::{
    journal::{self, JournalBreakdown, SoldArticles},
    orders::Orders,
    stock::Stock,
};
use crate::{
    auth::{Access, Authenticated},
    engine::{Connect, Json, JsonRecords, Listed, Records, Resource, Rows},
    rules::zone,
    transaction::{Error, Fault},
    wire::{
        AnyEvent, Category, Collection, DailySummary, Date, ImageJob, Location, OptionGroup,
        Product, Single, Transaction, ZReport,
        query::{DailySummaryQuery, Period},
    },
};

impl Connect {
    /// The caller's locations with at least one scope, by name, then id.
    ///
    /// # Errors
    /// [`Error::ApiNotAvailable`].
    pub fn list_locations(
        &self,
        caller: &Authenticated,
    ) -> Result<Json<Collection<Location>>, Error> {
        caller.check_available()?;
        let granted = caller
            .token()
            .grants
            .iter()
            .filter(|grant| !grant.scopes.is_empty());
        let mut data: Vec<Location> = granted
            .filter_map(|grant| {
                let places = &caller.account().locations;
                let place = places.iter().find(|place| place.id == grant.location_id)?;
                Some(Location {
                    id: place.id,
                    name: place.name.clone(),
                    time_zone: zone::name().to_owned(),
                    currency: place.currency.clone(),
                    scopes: grant.scopes.clone(),
                })
            })
            .collect();
        data.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        let bytes = serde_json::to_vec(&Collection { data }).map_err(|e| Fault::corrupt(b"", e))?;
        Ok(Json::new(bytes))
    }
}

/// The records of a location.
/// The SDK's handle of a location has the same methods.
#[derive(Clone, Debug)]
pub struct LocationHandle {
    connect: Connect,
    access: Access,
}

impl Connect {
    /// The location of `access`.
    pub fn location(&self, access: &Access) -> LocationHandle {
        LocationHandle {
            connect: self.clone(),
            access: access.clone(),
        }
    }
}

impl LocationHandle {
    /// Its categories.
    pub fn categories(&self) -> Records<Category> {
        self.records()
    }

    /// Its option groups.
    pub fn option_groups(&self) -> Records<OptionGroup> {
        self.records()
    }

    /// Its products.
    pub fn products(&self) -> Records<Product> {
        self.records()
    }

    /// Its stock: levels, counts, deliveries, corrections and movements.
    pub fn stock(&self) -> Stock {
        Stock::new(&self.connect, &self.access)
    }

    /// The image downloads of its products, in the order of queuing.
    pub fn image_jobs(&self) -> Rows<ImageJob> {
        self.rows()
    }

    /// Its events of the last 30 days, in commit order.
    /// Only events within the caller's scopes are listed.
    pub fn events(&self) -> Rows<AnyEvent> {
        self.rows()
    }

    /// Its journal: the rows of its registers, by receipt number.
    pub fn transactions(&self) -> Rows<Transaction> {
        self.rows()
    }

    /// The closings of its registers, in chronological order.
    pub fn z_reports(&self) -> Rows<ZReport> {
        self.rows()
    }

    /// Returns the sales and refunds of one day, summed up.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub async fn daily_summary(&self, query: &DailySummaryQuery) -> Result<DailySummary, Error> {
        let summary = self.daily_summary_json(query).await?.decode();
        let summary = summary.map_err(|e| Fault::corrupt(b"a daily summary", e))?;
        Ok(summary.data)
    }

    /// Returns the summed sales and refunds of each of these days.
    /// They are read in one round trip.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub async fn daily_summaries(&self, days: &[Date]) -> Result<Vec<DailySummary>, Error> {
        Ok(journal::daily_summaries(&self.connect, &self.access, days).await?)
    }

    /// Returns the sold articles of these days together.
    ///
    /// The receipts of a day are read once, as its sums are stored. Of many receipts not yet summed, days are left
    /// out.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub async fn articles(&self, days: &[Date]) -> Result<SoldArticles, Error> {
        journal::articles(&self.connect, &self.access, &self.transactions(), days).await
    }

    /// Returns the journal of a period by hour and by article.
    ///
    /// It reads every row of the period, so it is for a day, or a few.
    ///
    /// # Errors
    /// [`Error::Invalid`]: the period ends before it begins.
    pub async fn journal_breakdown(&self, period: Period) -> Result<JournalBreakdown, Error> {
        journal::breakdown(&self.transactions(), period).await
    }

    /// The same for a server: the summary is JSON.
    ///
    /// # Errors
    /// As [`daily_summary`](Self::daily_summary).
    pub async fn daily_summary_json(
        &self,
        query: &DailySummaryQuery,
    ) -> Result<Json<Single<DailySummary>>, Error> {
        journal::daily_summary(&self.connect, &self.access, query).await
    }

    /// Its orders.
    pub fn orders(&self) -> Orders {
        Orders::new(&self.connect, &self.access)
    }

    /// Its rows of one kind.
    pub fn rows<R: Listed>(&self) -> Rows<R> {
        Rows::new(&self.connect, &self.access)
    }

    /// Its records of one kind.
    pub fn records<R: Resource>(&self) -> Records<R> {
        Records::new(self.json())
    }

    /// The same for a server: bodies and answers are JSON.
    pub fn json<R: Resource>(&self) -> JsonRecords<R> {
        JsonRecords::new(&self.connect, &self.access)
    }
}
