//! Forms with files (`multipart/form-data`, RFC 7578), read completely: the guard has limited their size.

use axum::body::Bytes;
use axum::extract::{FromRequest, Multipart, Request};

use crate::formats::FieldError;
use crate::http::error::HttpError;
use crate::http::problem::ProblemKind;

/// The maximum number of fields; no form of this server has more.
const MAX_FIELDS: usize = 8;

/// The fields of a form, in order: names and values.
#[derive(Debug)]
pub(in crate::site) struct FileForm(Vec<(String, Bytes)>);

impl FileForm {
    /// The value of the first field with this name; empty if there is none.
    pub(in crate::site) fn first(&self, name: &str) -> Bytes {
        let mut named = self.0.iter().filter(|(field, _)| field == name);
        named
            .next()
            .map(|(_, value)| value.clone())
            .unwrap_or_default()
    }
}

impl FileForm {
    /// Checks that there are no other fields than these.
    ///
    /// # Errors
    /// The first unknown field.
    pub(in crate::site) fn only(&self, known: &[&str]) -> Result<(), FieldError> {
        let mut names = self.0.iter().map(|(name, _)| name.as_str());
        match names.find(|name| !known.contains(name)) {
            Some(other) => Err(FieldError::unknown(other)),
            None => Ok(()),
        }
    }
}

impl<S: Send + Sync> FromRequest<S> for FileForm {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpError> {
        let form = Multipart::from_request(request, state).await;
        let mut form = form.map_err(|_| {
            HttpError::new(
                ProblemKind::UnsupportedMediaType,
                "the form is to be multipart/form-data",
            )
        })?;
        let unreadable = || HttpError::bad_request("the form cannot be read");
        let mut fields = Vec::new();
        while let Some(field) = form.next_field().await.map_err(|_| unreadable())? {
            let name = field.name().ok_or_else(unreadable)?.to_owned();
            if fields.len() == MAX_FIELDS {
                return Err(unreadable());
            }
            let value = field.bytes().await.map_err(|_| unreadable())?;
            fields.push((name, value));
        }
        Ok(FileForm(fields))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header::CONTENT_TYPE;

    use super::*;

    const KIND: &str = "multipart/form-data; boundary=x-y";

    /// The fields, or the status of the rejection.
    async fn read(kind: &str, body: &str) -> Result<Vec<(String, String)>, u16> {
        let request = Request::builder().header(CONTENT_TYPE, kind);
        let request = request.body(body.to_owned().into()).unwrap();
        let form = FileForm::from_request(request, &()).await;
        let FileForm(fields) = form.map_err(|error| error.status().as_u16())?;
        let text = |bytes: Bytes| String::from_utf8(bytes.to_vec()).unwrap();
        let fields = fields.into_iter();
        Ok(fields.map(|(name, value)| (name, text(value))).collect())
    }

    #[tokio::test]
    async fn fields_are_read_unchanged() {
        let body = "--x-y\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a;b.json\"\r\n\
                    Content-Type: application/json\r\n\r\n{\"a\":1}\r\n\r\n--x\r\n--x-y\r\n\
                    content-disposition: form-data; name=text\r\n\r\n\r\n--x-y--\r\n";
        let expected = [("file", "{\"a\":1}\r\n\r\n--x"), ("text", "")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(read(KIND, body).await, Ok(expected.to_vec()));
        assert_eq!(read(KIND, "--x-y--").await, Ok(Vec::new()));
    }

    #[tokio::test]
    async fn truncated_forms_are_rejected() {
        let whole = "--x-y\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nbcd\r\n--x-y--";
        assert!(read(KIND, whole).await.is_ok());
        for end in 0..whole.len() {
            assert_eq!(read(KIND, &whole[..end]).await, Err(400), "{end}");
        }
        let many = "--x-y\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n".repeat(9);
        assert_eq!(read(KIND, &format!("{many}--x-y--")).await, Err(400));
        let nameless = "--x-y\r\nContent-Type: text/plain\r\n\r\na\r\n--x-y--";
        assert_eq!(read(KIND, nameless).await, Err(400));
    }

    #[tokio::test]
    async fn other_content_types_are_rejected() {
        for kind in ["multipart/form-data", "application/json; boundary=x-y"] {
            assert_eq!(read(kind, "--x-y--").await, Err(415), "{kind}");
        }
    }
}
