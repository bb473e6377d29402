//! A game in a frame on another page: the only page of ours that may be framed.
//!
//! Nothing can be done there, no cookie is set, and no seat is shown as the reader's own, so a page around
//! it can trick nobody into anything.

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query};
use axum::response::{IntoResponse, Response};

use super::error::HttpError;
use super::headers::Embeddable;
use super::images::PlyQuery;
use super::page_context::{PageContext, site};
use super::{game_page, view_models};
use crate::game_adapters::FormFields;
use crate::templates::embed::FrameRefresh;
use crate::templates::embed_page;
use crate::templates::view::NavSection;

/// `GET /g/{id}/embed`: a ply, else the newest position, and while the game goes on the frame follows it.
pub(super) async fn show(
    Path(id): Path<String>,
    visitor: PageContext,
    query: Result<Query<PlyQuery>, QueryRejection>,
) -> Result<Response, HttpError> {
    let Query(query) = query?;
    let snapshot = visitor.app.seen(&id, &visitor.browser.looks()).await?;
    let ply = query.of(&snapshot)?;
    let nothing = FormFields::default();
    let shown = game_page::still(&visitor, &snapshot, &[], ply, &nothing);
    let view = view_models::game_view(&shown)?;
    let goes_on = !snapshot.live.is_over() && !snapshot.is_uploaded();
    let follows = if ply.is_none() && goes_on {
        FrameRefresh::Newest
    } else {
        FrameRefresh::Never
    };
    let site = site(NavSection::Elsewhere, visitor.look);
    let page = embed_page(&site, visitor.app.text(&visitor.look), &view, follows);
    Ok((Extension(Embeddable), page).into_response())
}
