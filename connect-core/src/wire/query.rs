//! Query parameters as values: the server reads them from a query string, a client writes them.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use uuid::Uuid;

use super::{
    Timestamp, limits,
    read::{Invalid, parse_uuid},
};

/// Query parameters that can be read from and written to a query string.
pub trait Query: Default {
    /// The names of the parameters, for messages.
    const NAMES: &'static [&'static str];

    /// Takes one parameter; `name` is one of [`NAMES`](Self::NAMES).
    ///
    /// # Errors
    /// The value is not one the parameter can have.
    fn set(&mut self, name: &str, value: &str) -> Result<(), Invalid>;

    /// The parameters that are set, as names and values.
    fn pairs(&self) -> Vec<(&'static str, String)>;

    /// Reads the query string of a request, without its question mark.
    ///
    /// # Errors
    /// A parameter is unknown, given twice, or has a value it cannot have.
    fn parse(query: &str) -> Result<Self, Invalid> {
        let mut parsed = Self::default();
        let mut seen: Vec<Cow<'_, str>> = Vec::new();
        check_escapes(query)?;
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if seen.contains(&name) {
                return Err(Invalid::new(&*name, "is given more than once"));
            }
            if !Self::NAMES.contains(&&*name) {
                let allowed = match Self::NAMES {
                    [] => "this request takes none".to_owned(),
                    names => format!("allowed here: {}", names.join(", ")),
                };
                return Err(Invalid::new(
                    &*name,
                    format!("is not a query parameter ({allowed})"),
                ));
            }
            parsed.set(&name, &value)?;
            seen.push(name);
        }
        Ok(parsed)
    }

    /// The query string, without a question mark; empty when nothing is set.
    fn to_query(&self) -> String {
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(self.pairs())
            .finish()
    }
}

/// The parameters of a list by `updatedAt`.
pub trait ListQuery: Query + Clone + Send + Sync + 'static {
    /// The parameters that every such list takes.
    fn sync(&self) -> &SyncQuery;

    /// The same, to be changed.
    fn sync_mut(&mut self) -> &mut SyncQuery;
}

/// The decoder would replace what is not UTF-8 and keep a stray `%`; a filter that silently
/// became another is worse than an error.
fn check_escapes(query: &str) -> Result<(), Invalid> {
    let bytes = query.as_bytes();
    let broken = bytes.iter().enumerate().any(|(at, byte)| {
        let hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
        *byte == b'%' && !(hex(at + 1) && hex(at + 2))
    });
    if broken {
        return Err(Invalid::new(
            "query",
            "has a % that is not followed by two hex digits",
        ));
    }
    // Separators are ASCII, so the whole is UTF-8 exactly when each part is.
    if percent_decode_str(query).decode_utf8().is_err() {
        return Err(Invalid::new(
            "query",
            "is not UTF-8 once its %-escapes are decoded",
        ));
    }
    Ok(())
}

/// A request that takes no query parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoQuery;

impl Query for NoQuery {
    const NAMES: &'static [&'static str] = &[];

    fn set(&mut self, _: &str, _: &str) -> Result<(), Invalid> {
        Ok(())
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// The parameters that every list by `updatedAt` takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncQuery {
    /// Records per page, 1 to 200; 50 unless given.
    pub limit: Option<usize>,
    /// The `nextCursor` of the page before; keep the other parameters the same.
    pub cursor: Option<String>,
    /// Only what changed at or after this time.
    pub updated_since: Option<Timestamp>,
    /// Whether deleted records appear, as tombstones in their place in the order.
    pub include_deleted: bool,
}

impl SyncQuery {
    fn set(&mut self, name: &str, value: &str) -> Result<(), Invalid> {
        let invalid = |problem: String| Invalid::new(name, problem);
        match name {
            "limit" => {
                let limit = value
                    .parse()
                    .ok()
                    .filter(|_| value.bytes().all(|b| b.is_ascii_digit()));
                let limit = limit.filter(|limit| (1..=limits::MAX_PAGE_SIZE).contains(limit));
                self.limit = Some(limit.ok_or_else(|| {
                    invalid(format!(
                        "must be a whole number from 1 to {}",
                        limits::MAX_PAGE_SIZE
                    ))
                })?);
            }
            "cursor" => self.cursor = Some(value.to_owned()),
            "updatedSince" => {
                self.updated_since = Some(value.parse().map_err(|e| {
                    // In a query a plus sign stands for a blank.
                    let plus = if value.contains(' ') {
                        ", with + written as %2B"
                    } else {
                        ""
                    };
                    invalid(format!("{e}{plus}"))
                })?);
            }
            "includeDeleted" => {
                self.include_deleted = match value {
                    "true" => true,
                    "false" => false,
                    _ => return Err(invalid("must be true or false".to_owned())),
                };
            }
            _ => {}
        }
        Ok(())
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        pairs.extend(self.limit.map(|limit| ("limit", limit.to_string())));
        pairs.extend(self.cursor.clone().map(|cursor| ("cursor", cursor)));
        pairs.extend(
            self.updated_since
                .map(|since| ("updatedSince", since.to_string())),
        );
        pairs.extend(
            self.include_deleted
                .then(|| ("includeDeleted", "true".to_owned())),
        );
        pairs
    }
}

/// The parameters of the list of categories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CategoryQuery {
    /// Pages and synchronisation.
    pub sync: SyncQuery,
}

impl ListQuery for CategoryQuery {
    fn sync(&self) -> &SyncQuery {
        &self.sync
    }

    fn sync_mut(&mut self) -> &mut SyncQuery {
        &mut self.sync
    }
}

impl Query for CategoryQuery {
    const NAMES: &'static [&'static str] = &["limit", "cursor", "updatedSince", "includeDeleted"];

    fn set(&mut self, name: &str, value: &str) -> Result<(), Invalid> {
        self.sync.set(name, value)
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        self.sync.pairs()
    }
}

/// The parameters of the list of products. Filters narrow it down together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProductQuery {
    /// Pages and synchronisation.
    pub sync: SyncQuery,
    /// Only products with exactly this barcode, at most 64 characters.
    pub barcode: Option<String>,
    /// Only products in this category.
    pub category_id: Option<Uuid>,
    /// Only the product with exactly this external id.
    pub external_id: Option<String>,
}

impl ListQuery for ProductQuery {
    fn sync(&self) -> &SyncQuery {
        &self.sync
    }

    fn sync_mut(&mut self) -> &mut SyncQuery {
        &mut self.sync
    }
}

impl Query for ProductQuery {
    const NAMES: &'static [&'static str] = &[
        "limit",
        "cursor",
        "updatedSince",
        "includeDeleted",
        "barcode",
        "categoryId",
        "externalId",
    ];

    fn set(&mut self, name: &str, value: &str) -> Result<(), Invalid> {
        let text = |longest: usize| {
            if (1..=longest).contains(&value.chars().count()) {
                Ok(Some(value.to_owned()))
            } else {
                Err(Invalid::new(
                    name,
                    format!("must have 1 to {longest} characters"),
                ))
            }
        };
        match name {
            "barcode" => self.barcode = text(limits::MAX_BARCODE)?,
            "externalId" => self.external_id = text(limits::MAX_EXTERNAL_ID)?,
            "categoryId" => {
                let id = parse_uuid(value).ok_or_else(|| Invalid::new(name, "must be a UUID"))?;
                self.category_id = Some(id);
            }
            _ => self.sync.set(name, value)?,
        }
        Ok(())
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = self.sync.pairs();
        pairs.extend(self.barcode.clone().map(|barcode| ("barcode", barcode)));
        pairs.extend(self.category_id.map(|id| ("categoryId", id.to_string())));
        pairs.extend(self.external_id.clone().map(|id| ("externalId", id)));
        pairs
    }
}
