//! Object schemas, composed of shared fields and a game's own.

use utoipa::PartialSchema;
use utoipa::openapi::schema::{
    AdditionalProperties, Array, Discriminator, KnownFormat, Object, ObjectBuilder, OneOfBuilder,
    Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr};

#[derive(Clone, Default)]
pub(super) struct ObjectSchema(Object);

impl ObjectSchema {
    /// The fields of a struct, including flattened ones if they have known fields.
    pub(super) fn of(schema: &RefOr<Schema>) -> Self {
        match schema {
            RefOr::T(Schema::Object(object)) => ObjectSchema(object.clone()),
            RefOr::T(Schema::AllOf(parts)) => {
                let parts = parts.items.iter().map(ObjectSchema::of);
                let mut result = parts.fold(ObjectSchema::default(), ObjectSchema::and);
                result.0.description.clone_from(&all_of_description(schema));
                result
            }
            _ => ObjectSchema::default(),
        }
    }

    /// The field `game` that discriminates games.
    pub(super) fn tag(game: &str) -> Self {
        let name = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("The name of the game."))
            .enum_values(Some([game]));
        let tag = ObjectBuilder::new().property("game", name);
        ObjectSchema(tag.required("game").build())
    }

    /// A required field.
    pub(super) fn field<T: PartialSchema>(name: &str, about: &str) -> Self {
        let mut value = T::schema();
        if let RefOr::T(Schema::Object(value)) = &mut value {
            value.description = Some(about.to_owned());
        }
        let object = ObjectBuilder::new().property(name, value);
        ObjectSchema(object.required(name).build())
    }

    /// A required field with the schema of another component.
    pub(super) fn refer(name: &str, component: &str) -> Self {
        let object = ObjectBuilder::new().property(name, reference(component));
        ObjectSchema(object.required(name).build())
    }

    /// A field of another object that becomes optional.
    ///
    /// # Panics
    /// If the object has no such field.
    pub(super) fn optional(of: &RefOr<Schema>, name: &str, about: &str) -> Self {
        let mut value = ObjectSchema::of(of).0.properties.remove(name);
        if let Some(value) = &mut value {
            describe(value, about.to_owned());
        }
        let value = value.unwrap_or_else(|| panic!("there is no field {name}"));
        ObjectSchema(ObjectBuilder::new().property(name, value).build())
    }

    /// Adds the fields of `others` that are not present yet.
    pub(super) fn and(mut self, others: ObjectSchema) -> Self {
        for (name, schema) in others.0.properties {
            self.0.properties.entry(name).or_insert(schema);
        }
        self.0.required.extend(others.0.required);
        self.0.required.sort();
        self.0.required.dedup();
        self
    }

    /// The schema as part of a response: nullable fields are always present.
    pub(super) fn into_response_schema(mut self) -> Self {
        let nulls = self.0.properties.iter();
        let nulls = nulls.filter(|(_, schema)| may_be_null(schema));
        let nulls: Vec<String> = nulls.map(|(name, _)| name.clone()).collect();
        self.0.required.extend(nulls);
        self.0.required.sort();
        self.0.required.dedup();
        self
    }

    /// Replaces the schema of a field; whether it is required and its description are unchanged.
    pub(super) fn with(mut self, name: &str, schema: impl Into<RefOr<Schema>>) -> Self {
        let description = self.0.properties.get(name).and_then(description);
        let mut schema = schema.into();
        if let Some(description) = description {
            describe(&mut schema, description);
        }
        let previous = self.0.properties.insert(name.to_owned(), schema);
        assert!(previous.is_some(), "no shape has a field {name}");
        self
    }

    /// Removes a field.
    pub(super) fn without(mut self, name: &str) -> Self {
        let removed = self.0.properties.remove(name);
        assert!(removed.is_some(), "no shape has a field {name}");
        self.0.required.retain(|required| required != name);
        self
    }

    /// Sets the description.
    pub(super) fn about(mut self, words: impl Into<String>) -> Self {
        self.0.description = Some(words.into());
        self
    }

    /// An object that may have additional fields in later versions.
    pub(super) fn open_object(mut self) -> RefOr<Schema> {
        self.0.additional_properties = None;
        RefOr::T(Schema::Object(self.0))
    }

    /// An object without additional fields.
    pub(super) fn closed_object(mut self) -> RefOr<Schema> {
        self.0.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
        RefOr::T(Schema::Object(self.0))
    }
}

fn all_of_description(schema: &RefOr<Schema>) -> Option<String> {
    match schema {
        RefOr::T(Schema::AllOf(parts)) => parts.description.clone(),
        _ => None,
    }
}

fn description(schema: &RefOr<Schema>) -> Option<String> {
    match schema {
        RefOr::T(Schema::Object(object)) => object.description.clone(),
        RefOr::T(Schema::Array(array)) => array.description.clone(),
        RefOr::T(Schema::OneOf(one)) => one.description.clone(),
        RefOr::T(_) => None,
        RefOr::Ref(reference) => {
            Some(reference.description.clone()).filter(|words| !words.is_empty())
        }
    }
}

fn describe(schema: &mut RefOr<Schema>, words: String) {
    match schema {
        RefOr::T(Schema::Object(object)) => object.description = Some(words),
        RefOr::T(Schema::Array(array)) => array.description = Some(words),
        RefOr::T(Schema::OneOf(one)) => one.description = Some(words),
        RefOr::T(_) => {}
        RefOr::Ref(reference) => reference.description = words,
    }
}

/// An optional integer from 1 to `max`.
pub(super) fn at_most(max: i64) -> RefOr<Schema> {
    let kinds = SchemaType::from_iter([Type::Integer, Type::Null]);
    let number = ObjectBuilder::new().schema_type(kinds).minimum(Some(1));
    RefOr::T(Schema::Object(number.maximum(Some(max)).build()))
}

/// A seed: any 64-bit number.
pub(super) fn seed(may_be_null: bool) -> RefOr<Schema> {
    let kinds = match may_be_null {
        true => SchemaType::from_iter([Type::Integer, Type::Null]),
        false => Type::Integer.into(),
    };
    let number = ObjectBuilder::new().schema_type(kinds).minimum(Some(0));
    RefOr::T(Schema::Object(number.maximum(Some(u64::MAX)).build()))
}

/// A reference to another component.
pub(super) fn reference(name: &str) -> RefOr<Schema> {
    Ref::from_schema_name(name).into()
}

pub(super) fn null() -> RefOr<Schema> {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    RefOr::T(Schema::Object(null.build()))
}

/// Binary data.
pub(super) fn bytes() -> RefOr<Schema> {
    let bytes = ObjectBuilder::new().schema_type(Type::String);
    let format = SchemaFormat::KnownFormat(KnownFormat::Binary);
    RefOr::T(Schema::Object(bytes.format(Some(format)).build()))
}

/// Whether a type has no other value than null.
pub(super) fn is_null(schema: &RefOr<Schema>) -> bool {
    match schema {
        RefOr::T(Schema::Object(object)) => object.schema_type == SchemaType::AnyValue,
        _ => false,
    }
}

fn may_be_null(schema: &RefOr<Schema>) -> bool {
    let null = |kind: &SchemaType| match kind {
        SchemaType::Type(kind) => *kind == Type::Null,
        SchemaType::Array(kinds) => kinds.contains(&Type::Null),
        SchemaType::AnyValue => true,
    };
    match schema {
        RefOr::T(Schema::Object(object)) => null(&object.schema_type),
        RefOr::T(Schema::Array(array)) => null(&array.schema_type),
        RefOr::T(Schema::OneOf(one)) => one.items.iter().any(may_be_null),
        _ => false,
    }
}

/// Applies [`ObjectSchema::into_response_schema`] to objects.
pub(super) fn as_response(schema: &RefOr<Schema>) -> RefOr<Schema> {
    match schema {
        RefOr::T(Schema::Object(object)) if !object.properties.is_empty() => {
            ObjectSchema::of(schema)
                .into_response_schema()
                .open_object()
        }
        other => other.clone(),
    }
}

pub(super) fn nullable(schema: RefOr<Schema>) -> RefOr<Schema> {
    let either = OneOfBuilder::new().item(null()).item(schema);
    RefOr::T(Schema::OneOf(either.build()))
}

pub(super) fn list(schema: RefOr<Schema>) -> RefOr<Schema> {
    RefOr::T(Schema::Array(Array::new(schema)))
}

/// A union of these components.
pub(super) fn one_of<'n>(names: impl IntoIterator<Item = &'n str>, about: &str) -> RefOr<Schema> {
    let mut any = OneOfBuilder::new().description(Some(about));
    for name in names {
        any = any.item(reference(name));
    }
    RefOr::T(Schema::OneOf(any.build()))
}

/// A union of these components, discriminated by `game`.
pub(super) fn one_of_by_game(any: &mut RefOr<Schema>, games: &[(&str, String)]) {
    let mapping = games
        .iter()
        .map(|(game, name)| (*game, format!("#/components/schemas/{name}")));
    if let RefOr::T(Schema::OneOf(any)) = any {
        any.discriminator = Some(Discriminator::with_mapping("game", mapping));
    }
}
