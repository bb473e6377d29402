//! Objects of the document, put together from parts: the platform's fields and a game's.

use utoipa::PartialSchema;
use utoipa::openapi::schema::{
    AdditionalProperties, Array, Discriminator, KnownFormat, Object, ObjectBuilder, OneOfBuilder,
    Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr};

/// An object with its fields.
#[derive(Clone, Default)]
pub(super) struct ObjectSchema(Object);

impl ObjectSchema {
    /// The fields of a struct, whatever is flattened into it left out where it has no fields of its own.
    pub(super) fn of(schema: &RefOr<Schema>) -> Self {
        match schema {
            RefOr::T(Schema::Object(object)) => ObjectSchema(object.clone()),
            RefOr::T(Schema::AllOf(parts)) => {
                let parts = parts.items.iter().map(ObjectSchema::of);
                let mut whole = parts.fold(ObjectSchema::default(), ObjectSchema::and);
                whole.0.description.clone_from(&parts_words(schema));
                whole
            }
            _ => ObjectSchema::default(),
        }
    }

    /// The field that says which game it is.
    pub(super) fn tag(game: &str) -> Self {
        let name = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("Which game it is."))
            .enum_values(Some([game]));
        let tag = ObjectBuilder::new().property("game", name);
        ObjectSchema(tag.required("game").build())
    }

    /// One field that must be there.
    pub(super) fn field<T: PartialSchema>(name: &str, about: &str) -> Self {
        let mut value = T::schema();
        if let RefOr::T(Schema::Object(value)) = &mut value {
            value.description = Some(about.to_owned());
        }
        let object = ObjectBuilder::new().property(name, value);
        ObjectSchema(object.required(name).build())
    }

    /// One field that must be there and is what another component says.
    pub(super) fn refer(name: &str, component: &str) -> Self {
        let object = ObjectBuilder::new().property(name, reference(component));
        ObjectSchema(object.required(name).build())
    }

    /// One field of another object that may be left out.
    ///
    /// # Panics
    /// When the object has no such field.
    pub(super) fn optional(of: &RefOr<Schema>, name: &str, about: &str) -> Self {
        let mut value = ObjectSchema::of(of).0.properties.remove(name);
        if let Some(value) = &mut value {
            describe(value, about.to_owned());
        }
        let value = value.unwrap_or_else(|| panic!("there is no field {name}"));
        ObjectSchema(ObjectBuilder::new().property(name, value).build())
    }

    /// These fields, and those of the others that are not among them.
    pub(super) fn and(mut self, others: ObjectSchema) -> Self {
        for (name, schema) in others.0.properties {
            self.0.properties.entry(name).or_insert(schema);
        }
        self.0.required.extend(others.0.required);
        self.0.required.sort();
        self.0.required.dedup();
        self
    }

    /// An answer: a field that may be null is always there, and one that is not always there is never null.
    pub(super) fn as_response(mut self) -> Self {
        let nulls = self.0.properties.iter();
        let nulls = nulls.filter(|(_, schema)| may_be_null(schema));
        let nulls: Vec<String> = nulls.map(|(name, _)| name.clone()).collect();
        self.0.required.extend(nulls);
        self.0.required.sort();
        self.0.required.dedup();
        self
    }

    /// Says otherwise what a field is; whether it must be there stays, and so does what it is for.
    pub(super) fn with(mut self, name: &str, schema: impl Into<RefOr<Schema>>) -> Self {
        let before = self.0.properties.get(name).and_then(words);
        let mut schema = schema.into();
        if let Some(before) = before {
            describe(&mut schema, before);
        }
        let known = self.0.properties.insert(name.to_owned(), schema);
        assert!(known.is_some(), "no shape has a field {name}");
        self
    }

    /// Without a field.
    pub(super) fn without(mut self, name: &str) -> Self {
        let known = self.0.properties.remove(name);
        assert!(known.is_some(), "no shape has a field {name}");
        self.0.required.retain(|required| required != name);
        self
    }

    /// What it is for.
    pub(super) fn about(mut self, words: impl Into<String>) -> Self {
        self.0.description = Some(words.into());
        self
    }

    /// An object that may get further fields in later versions.
    pub(super) fn open_object(mut self) -> RefOr<Schema> {
        self.0.additional_properties = None;
        RefOr::T(Schema::Object(self.0))
    }

    /// An object that has no other fields.
    pub(super) fn closed_object(mut self) -> RefOr<Schema> {
        self.0.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
        RefOr::T(Schema::Object(self.0))
    }
}

fn parts_words(schema: &RefOr<Schema>) -> Option<String> {
    match schema {
        RefOr::T(Schema::AllOf(parts)) => parts.description.clone(),
        _ => None,
    }
}

fn words(schema: &RefOr<Schema>) -> Option<String> {
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

/// A whole number from 1 on that may be left out.
pub(super) fn at_most(most: i64) -> RefOr<Schema> {
    let kinds = SchemaType::from_iter([Type::Integer, Type::Null]);
    let number = ObjectBuilder::new().schema_type(kinds).minimum(Some(1));
    RefOr::T(Schema::Object(number.maximum(Some(most)).build()))
}

/// A seed: any number of 64 bits.
pub(super) fn seed(may_be_null: bool) -> RefOr<Schema> {
    let kinds = match may_be_null {
        true => SchemaType::from_iter([Type::Integer, Type::Null]),
        false => Type::Integer.into(),
    };
    let number = ObjectBuilder::new().schema_type(kinds).minimum(Some(0));
    RefOr::T(Schema::Object(number.maximum(Some(u64::MAX)).build()))
}

/// What another component says.
pub(super) fn reference(name: &str) -> RefOr<Schema> {
    Ref::from_schema_name(name).into()
}

/// Nothing.
pub(super) fn null() -> RefOr<Schema> {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    RefOr::T(Schema::Object(null.build()))
}

/// Bytes that are no text.
pub(super) fn bytes() -> RefOr<Schema> {
    let bytes = ObjectBuilder::new().schema_type(Type::String);
    let format = SchemaFormat::KnownFormat(KnownFormat::Binary);
    RefOr::T(Schema::Object(bytes.format(Some(format)).build()))
}

/// Whether a type has no values but null.
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

/// As [`ObjectSchema::as_response`], where it is an object.
pub(super) fn as_response(schema: &RefOr<Schema>) -> RefOr<Schema> {
    match schema {
        RefOr::T(Schema::Object(object)) if !object.properties.is_empty() => {
            ObjectSchema::of(schema).as_response().open_object()
        }
        other => other.clone(),
    }
}

/// What it says, or nothing.
pub(super) fn nullable(schema: RefOr<Schema>) -> RefOr<Schema> {
    let either = OneOfBuilder::new().item(null()).item(schema);
    RefOr::T(Schema::OneOf(either.build()))
}

/// A list of these.
pub(super) fn list(schema: RefOr<Schema>) -> RefOr<Schema> {
    RefOr::T(Schema::Array(Array::new(schema)))
}

/// Exactly one of these components.
pub(super) fn one_of<'n>(names: impl IntoIterator<Item = &'n str>, about: &str) -> RefOr<Schema> {
    let mut any = OneOfBuilder::new().description(Some(about));
    for name in names {
        any = any.item(reference(name));
    }
    RefOr::T(Schema::OneOf(any.build()))
}

/// Exactly one of these components, which `game` tells apart.
pub(super) fn one_of_by_game(any: &mut RefOr<Schema>, games: &[(&str, String)]) {
    let mapping = games
        .iter()
        .map(|(game, name)| (*game, format!("#/components/schemas/{name}")));
    if let RefOr::T(Schema::OneOf(any)) = any {
        any.discriminator = Some(Discriminator::with_mapping("game", mapping));
    }
}
