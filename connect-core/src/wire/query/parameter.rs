//! A query parameter and the kinds of values.

use crate::wire::{
    Date, Id, Timestamp,
    limits::MAX_PAGE_SIZE,
    read::{Invalid, no_id, parse_uuid},
};

/// A parameter of the query `Q`.
pub struct Parameter<Q> {
    /// The name in the query string.
    pub name: &'static str,
    /// The description in the API document.
    pub about: &'static str,
    /// The kind of its values.
    pub kind: ParameterKind,
    pub(super) set: fn(&mut Q, &str) -> Result<(), String>,
    pub(super) get: fn(&Q) -> Option<String>,
}

/// The kind of values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A number of records per page.
    PageSize,
    /// The `nextCursor` of a page.
    Cursor,
    /// An RFC 3339 timestamp.
    Time,
    /// `true` or `false`; `false` unless given.
    Flag,
    /// A text of 1 to so many characters.
    Text(usize),
    /// A UUID.
    Id,
    /// A date, or an RFC 3339 timestamp.
    Moment,
    /// A date.
    Day,
    /// A whole number, 0 or more.
    Whole,
    /// One of these words.
    Word(&'static [&'static str]),
}

impl<Q> Parameter<Q> {
    /// Reads a value into `query`.
    pub(super) fn set(&self, query: &mut Q, value: &str) -> Result<(), Invalid> {
        (self.set)(query, value).map_err(|problem| Invalid::new(self.name, problem))
    }

    /// Returns the value as written, if the parameter is set.
    pub(super) fn get(&self, query: &Q) -> Option<String> {
        (self.get)(query)
    }
}

/// A parameter: its name, its field, its kind and its description.
macro_rules! parameter {
    ($name:expr, $($field:ident).+, $value:ty, $about:expr) => {
        $crate::wire::query::Parameter {
            name: $name,
            about: $about,
            kind: <$value as $crate::wire::query::parameter::Value>::KIND,
            set: |query, text| {
                query.$($field).+ =
                    <$value as $crate::wire::query::parameter::Value>::read(text)?.into();
                Ok(())
            },
            get: |query| $crate::wire::query::parameter::QueryField::given(&query.$($field).+),
        }
    };
}

pub(super) use parameter;

/// A kind of values.
pub(super) trait Value {
    const KIND: ParameterKind;
    type Read;

    /// Reads a value. The error names the allowed values.
    fn read(text: &str) -> Result<Self::Read, String>;
}

pub(super) struct PageSize;
pub(super) struct CursorText;
pub(super) struct Time;
pub(super) struct Flag;
pub(super) struct Text<const MAX: usize>;
pub(super) struct IdOf<T>(std::marker::PhantomData<T>);

impl Value for PageSize {
    const KIND: ParameterKind = ParameterKind::PageSize;
    type Read = usize;

    fn read(text: &str) -> Result<usize, String> {
        // A number in Rust may have a plus sign.
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        let size = text.parse().ok().filter(|_| digits);
        size.filter(|size| (1..=MAX_PAGE_SIZE).contains(size))
            .ok_or_else(|| format!("must be a whole number from 1 to {MAX_PAGE_SIZE}"))
    }
}

impl Value for CursorText {
    const KIND: ParameterKind = ParameterKind::Cursor;
    type Read = String;

    fn read(text: &str) -> Result<String, String> {
        Ok(text.to_owned())
    }
}

impl Value for Time {
    const KIND: ParameterKind = ParameterKind::Time;
    type Read = Timestamp;

    fn read(text: &str) -> Result<Timestamp, String> {
        text.parse().map_err(|e| {
            // In a query a plus sign stands for a blank.
            let plus = if text.contains(' ') {
                ", with + written as %2B"
            } else {
                ""
            };
            format!("{e}{plus}")
        })
    }
}

impl Value for Flag {
    const KIND: ParameterKind = ParameterKind::Flag;
    type Read = bool;

    fn read(text: &str) -> Result<bool, String> {
        text.parse().map_err(|_| "must be true or false".to_owned())
    }
}

impl<const MAX: usize> Value for Text<MAX> {
    const KIND: ParameterKind = ParameterKind::Text(MAX);
    type Read = String;

    fn read(text: &str) -> Result<String, String> {
        if (1..=MAX).contains(&text.chars().count()) {
            Ok(text.to_owned())
        } else {
            Err(format!("must have 1 to {MAX} characters"))
        }
    }
}

impl<T> Value for IdOf<T> {
    const KIND: ParameterKind = ParameterKind::Id;
    type Read = Id<T>;

    fn read(text: &str) -> Result<Id<T>, String> {
        parse_uuid(text).map(Id::new).ok_or_else(|| no_id(text))
    }
}

pub(super) struct WholeParameter;

impl Value for WholeParameter {
    const KIND: ParameterKind = ParameterKind::Whole;
    type Read = u64;

    fn read(text: &str) -> Result<u64, String> {
        // A number in Rust may have a plus sign.
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        let number = text.parse().ok().filter(|_| digits);
        number.ok_or_else(|| "must be a whole number, 0 or more".to_owned())
    }
}

impl Value for Date {
    const KIND: ParameterKind = ParameterKind::Day;
    type Read = Self;

    fn read(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|e: <Self as std::str::FromStr>::Err| e.to_string())
    }
}

/// An enumeration of query values, as known to this version.
pub(in crate::wire) trait Word: Sized {
    /// The values.
    const WORDS: &'static [&'static str];

    /// The value named by `text`.
    fn known(text: &str) -> Option<Self>;
}

impl<T: Word> Value for T {
    const KIND: ParameterKind = ParameterKind::Word(T::WORDS);
    type Read = T;

    fn read(text: &str) -> Result<T, String> {
        T::known(text).ok_or_else(|| format!("must be one of {}", T::WORDS.join(", ")))
    }
}

/// A field of a query, possibly unset.
pub(super) trait QueryField {
    /// Returns the value as written, if it is set.
    fn given(&self) -> Option<String>;
}

impl<T: ToString> QueryField for Option<T> {
    fn given(&self) -> Option<String> {
        self.as_ref().map(T::to_string)
    }
}

impl QueryField for bool {
    fn given(&self) -> Option<String> {
        self.then(|| "true".to_owned())
    }
}
