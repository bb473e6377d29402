//! Simplification of the schemas for client generators.
//!
//! Most generators support `null` only as one of a value's types, not as its only type, and lists of alternatives only
//! if they are not nested. This rewrites the schemas equivalently.

use std::collections::BTreeMap;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayItems, Object, Schema, SchemaType, Type};

/// Rewrites these components in the simpler form.
pub(super) fn simplify(schemas: &mut BTreeMap<String, RefOr<Schema>>) {
    for schema in schemas.values_mut() {
        simplify_nulls(schema);
    }
    let unions: BTreeMap<String, Vec<RefOr<Schema>>> = schemas
        .iter()
        .filter_map(|(name, schema)| match schema {
            RefOr::T(Schema::OneOf(any)) => Some((name.clone(), any.items.clone())),
            _ => None,
        })
        .collect();
    for schema in schemas.values_mut() {
        if let RefOr::T(Schema::OneOf(any)) = schema {
            let items = std::mem::take(&mut any.items).into_iter();
            any.items = items.flat_map(|item| alternatives(item, &unions)).collect();
        }
    }
}

/// Expands an alternative: those of the referenced component if it is itself a union, or the item.
fn alternatives(
    item: RefOr<Schema>,
    unions: &BTreeMap<String, Vec<RefOr<Schema>>>,
) -> Vec<RefOr<Schema>> {
    if let RefOr::Ref(reference) = &item
        && let Some(name) = reference.ref_location.rsplit('/').next()
        && let Some(items) = unions.get(name)
    {
        return items.clone();
    }
    vec![item]
}

fn simplify_nulls(schema: &mut RefOr<Schema>) {
    let RefOr::T(inner) = schema else { return };
    match inner {
        Schema::Object(object) => {
            object.properties.values_mut().for_each(simplify_nulls);
            if is_bare_null(object) {
                object.schema_type = SchemaType::from_iter([Type::Object, Type::Null]);
                object.max_properties = Some(0);
            }
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                simplify_nulls(items);
            }
        }
        Schema::AllOf(all) => all.items.iter_mut().for_each(simplify_nulls),
        Schema::AnyOf(any) => any.items.iter_mut().for_each(simplify_nulls),
        Schema::OneOf(either) => {
            for item in either.items.iter_mut().filter(|item| !is_null(item)) {
                simplify_nulls(item);
            }
            if let Some(plain) = typed_or_null(&either.items, either.description.as_ref()) {
                *inner = plain;
            }
        }
        _ => {}
    }
}

fn is_bare_null(object: &Object) -> bool {
    object.schema_type == SchemaType::Type(Type::Null)
}

fn is_null(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if is_bare_null(object))
}

/// Rewrites a value of a known type or null as a value with two types.
fn typed_or_null(items: &[RefOr<Schema>], description: Option<&String>) -> Option<Schema> {
    let value = match items {
        [null, value] | [value, null] if is_null(null) => value,
        _ => return None,
    };
    let RefOr::T(value) = value else { return None };
    let or_null = |kind: &SchemaType| match kind {
        SchemaType::Type(kind) => Some(SchemaType::from_iter([kind.clone(), Type::Null])),
        _ => None,
    };
    let mut value = value.clone();
    match &mut value {
        Schema::Array(array) => {
            array.schema_type = or_null(&array.schema_type)?;
            array.description = description.cloned().or(array.description.take());
        }
        Schema::Object(object) if object.enum_values.is_none() => {
            object.schema_type = or_null(&object.schema_type)?;
            object.description = description.cloned().or(object.description.take());
        }
        _ => return None,
    }
    Some(value)
}
