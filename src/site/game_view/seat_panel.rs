//! The seat panel of a game's page: who sits where, and what the viewer can do about it.

use std::hash::{Hash, Hasher};

use crate::game::Player;
use crate::http::error::HttpError;
use crate::seats::{Credentials, OpponentPreset, RematchKind, SeatOccupant};
use crate::secret::{Secret, SecretHash};
use crate::site::shared::app::App;
use crate::site::shared::identity::BrowserSession;
use crate::store::GameId;
use crate::tables::{ResignationEffect, Snapshot};
use crate::templates::seats::{
    LinkReach, RematchOption, RematchStepView, RematchView, ResignationView, SeatRole, SeatView,
    SeatsPanelView,
};

/// What the viewer of a page can do about the seats, as far as the game and the viewer's seats do not determine it.
/// Computed for each request, and rendered with the page.
pub(in crate::site) struct SeatPanelState {
    credentials: Credentials,
    /// The browser's secrets; links are derived from one of them.
    secrets: Vec<Secret>,
    /// The hashes of all secrets of the browser; empty for viewers who can do nothing here, so that they share a cached
    /// page.
    pub(in crate::site) reader: Vec<SecretHash>,
    /// The players whom the viewer may replace by now.
    replaceable: Vec<Player>,
    /// The base URL of links, and who can open them.
    link_base: Option<(String, LinkReach)>,
    rematches: Vec<(RematchKind, GameId)>,
    /// Whether the game is listed among the open tables; `None` if the viewer cannot change that.
    listed: Option<bool>,
}

/// Everything that the page depends on; `reader` represents the credentials.
impl Hash for SeatPanelState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let SeatPanelState {
            credentials: _,
            secrets: _,
            reader,
            replaceable,
            link_base,
            rematches,
            listed,
        } = self;
        (reader, replaceable, link_base, rematches, listed).hash(state);
    }
}

impl SeatPanelState {
    pub(in crate::site) async fn load(
        app: &App,
        snapshot: &Snapshot,
        own: &[Player],
        browser: &BrowserSession,
        listed: Option<bool>,
        now_ms: i64,
    ) -> Result<Self, HttpError> {
        let credentials = browser.credentials();
        let has_controls = !own.is_empty() || snapshot.is_host(&credentials);
        let mut replaceable = snapshot.replaceable(now_ms);
        replaceable.retain(|slow| own.iter().any(|own| own != slow));
        let over = snapshot.live.is_over();
        Ok(SeatPanelState {
            credentials,
            secrets: browser.secrets().cloned().collect(),
            reader: credentials
                .browsers()
                .filter(|_| has_controls)
                .copied()
                .collect(),
            replaceable,
            link_base: (has_controls && !over)
                .then(|| browser.link_origin.link_base(&browser.origin)),
            rematches: match over {
                true => app.service.store().rematches_of(&snapshot.id).await?,
                false => Vec::new(),
            },
            listed,
        })
    }

    /// The view for a reader who has these seats.
    pub(in crate::site) fn view(&self, snapshot: &Snapshot, own: &[Player]) -> SeatsPanelView {
        let over = snapshot.live.is_over();
        let (seats, reach) = if over {
            Default::default()
        } else {
            self.seat_views(snapshot, own)
        };
        let rematches = self.rematches.iter().map(|(kind, id)| RematchView {
            kind: rematch_option(*kind),
            id: id.to_string(),
        });
        SeatsPanelView {
            seats,
            link_reach: reach,
            resignation: snapshot
                .resignation_effect(&self.credentials)
                .map(|(player, leaving)| ResignationView {
                    player: player.number(),
                    ends: leaving == ResignationEffect::EndsGame,
                }),
            rematches: rematches.collect(),
            steps: [RematchKind::Easier, RematchKind::Harder]
                .into_iter()
                .filter(|_| over)
                .filter_map(|kind| {
                    let others = snapshot.other_levels(kind)?;
                    Some(RematchStepView {
                        kind: rematch_option(kind),
                        opponents: others.name.map(OpponentPreset::name),
                    })
                })
                .collect(),
            // The same for every game, and added when a page is rendered.
            levels: Vec::new(),
            level_variant: "",
            listed: self.listed,
            private: snapshot.private,
        }
    }

    fn seat_views(&self, snapshot: &Snapshot, own: &[Player]) -> (Vec<SeatView>, LinkReach) {
        // The reach of links is shown only to readers who have a link.
        let mut reach = None;
        let mut link = |player| {
            let mut links = self
                .secrets
                .iter()
                .map(|secret| snapshot.derive_link_token(secret, player));
            let token = links.find_map(|link| link)?;
            let (origin, who) = self.link_base.as_ref()?;
            reach = Some(who.clone());
            Some(format!("{origin}/join/{}", token.to_text()))
        };
        let mut views = Vec::new();
        for player in Player::all(snapshot.live.players()) {
            let Some(seat) = snapshot.seat(player) else {
                continue;
            };
            if snapshot.check_freeing(&self.credentials, player).is_ok() {
                views.push(SeatView {
                    player: player.number(),
                    role: SeatRole::Unmoved,
                });
            }
            let role = match &seat.occupant {
                SeatOccupant::Open { .. } if snapshot.is_host(&self.credentials) => {
                    SeatRole::Open {
                        link: link(player),
                        is_invited: seat.occupant.name().is_some(),
                    }
                }
                SeatOccupant::Person { .. } | SeatOccupant::Program { .. }
                    if own.contains(&player) =>
                {
                    SeatRole::Own {
                        link: link(player),
                        renewable: !snapshot.is_program(player),
                        name: seat.occupant.name().unwrap_or_default().to_owned(),
                    }
                }
                SeatOccupant::Person { .. } | SeatOccupant::Program { .. }
                    if self.replaceable.contains(&player) =>
                {
                    SeatRole::Inactive
                }
                _ => continue,
            };
            views.push(SeatView {
                player: player.number(),
                role,
            });
        }
        (views, reach.unwrap_or_default())
    }
}

const fn rematch_option(kind: RematchKind) -> RematchOption {
    match kind {
        RematchKind::New => RematchOption::New,
        RematchKind::Same => RematchOption::Same,
        RematchKind::Easier => RematchOption::Easier,
        RematchKind::Harder => RematchOption::Harder,
    }
}
