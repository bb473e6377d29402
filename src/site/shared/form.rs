//! The fields of forms and queries. An error names the field, in the project's own words.

use axum::extract::rejection::FormRejection;
use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequest, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;

use crate::formats::fields::from_form;
use crate::games::form::Pairs;
use crate::http::error::HttpError;
use crate::http::problem::ProblemKind;

/// The query of a request.
pub(in crate::site) struct Query<T>(pub(in crate::site) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpError> {
        let fields = axum::extract::Query::<Pairs>::from_request_parts(parts, state).await;
        let fields = fields.map_err(|_| HttpError::bad_request("the query cannot be read"))?;
        let query = from_form(fields.0);
        query
            .map(Query)
            .map_err(|error| HttpError::bad_request(error.to_string()))
    }
}

/// The form that a request submits.
pub(in crate::site) struct Form<T>(pub(in crate::site) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Form<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpError> {
        let fields = axum::Form::<Pairs>::from_request(request, state).await;
        let form = from_form(fields.map_err(unreadable)?.0);
        form.map(Form)
            .map_err(|error| HttpError::unprocessable(error.to_string()))
    }
}

/// A form that may be left out together with its content type.
impl<T: DeserializeOwned, S: Send + Sync> OptionalFromRequest<S> for Form<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, HttpError> {
        match request.headers().contains_key(header::CONTENT_TYPE) {
            true => <Self as FromRequest<S>>::from_request(request, state)
                .await
                .map(Some),
            false => Ok(None),
        }
    }
}

fn unreadable(rejection: FormRejection) -> HttpError {
    let detail = match rejection.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "send the form as application/x-www-form-urlencoded",
        _ => "the form cannot be read",
    };
    HttpError::from_body_rejection(rejection.status(), ProblemKind::Unprocessable, detail)
}
