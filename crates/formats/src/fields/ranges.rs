//! Optional whole numbers of requests; a value that is none is rejected with the allowed range. The range itself is
//! checked where the number is used.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Unexpected, Visitor};

/// Deserializes a number of JSON, or null.
///
/// # Errors
/// If the value is no whole number, or not one of `T`.
pub fn whole_number<'de, D, T, const MIN: u64, const MAX: u64>(d: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    struct WholeNumber<T, const MIN: u64, const MAX: u64>(PhantomData<T>);
    impl<'de, T: TryFrom<u64>, const MIN: u64, const MAX: u64> Visitor<'de>
        for WholeNumber<T, MIN, MAX>
    {
        type Value = Option<T>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a whole number from {MIN} to {MAX}")
        }
        fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
            Ok(None)
        }
        fn visit_u64<E: Error>(self, number: u64) -> Result<Option<T>, E> {
            let given = Unexpected::Unsigned(number);
            let number = T::try_from(number).map_err(|_| E::invalid_value(given, &self))?;
            Ok(Some(number))
        }
    }
    d.deserialize_any(WholeNumber::<T, MIN, MAX>(PhantomData))
}

/// Deserializes a number in digits, in a query.
///
/// # Errors
/// If the text is no whole number, or too large.
pub fn digits<'de, D, const MIN: u32, const MAX: u32>(d: D) -> Result<Option<u32>, D::Error>
where
    D: Deserializer<'de>,
{
    let digits = String::deserialize(d)?;
    let number = digits.parse().map(Some);
    number.map_err(|_| D::Error::custom(format!("expected a whole number from {MIN} to {MAX}")))
}
