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
use crate::templates::lobby::LobbyView;
use crate::templates::seats::{
    LinkReach, RematchOption, RematchStepView, RematchView, ResignationOutcome, ResignationView,
    SeatRole, SeatView, SeatsPanelView,
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
    /// The seconds until the game starts by itself.
    starts_in_s: Option<u32>,
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
            starts_in_s,
        } = self;
        (
            reader,
            replaceable,
            link_base,
            rematches,
            listed,
            starts_in_s,
        )
            .hash(state);
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
            starts_in_s: snapshot.starts_ms().map(|starts_ms| {
                let left_ms = starts_ms.saturating_sub(now_ms).max(0);
                u32::try_from((left_ms + 999) / 1000).unwrap_or(u32::MAX)
            }),
        })
    }

    /// The view for a reader who has these seats.
    pub(in crate::site) fn view(&self, snapshot: &Snapshot, own: &[Player]) -> SeatsPanelView {
        let over = snapshot.live.is_over();
        let (seats, mut reach) = if over {
            Default::default()
        } else {
            self.seat_views(snapshot, own)
        };
        let lobby = snapshot.is_waiting().then(|| self.lobby(snapshot, own));
        if let Some(LobbyView { link: Some(_), .. }) = &lobby
            && let Some((_, who)) = &self.link_base
        {
            reach = who.clone();
        }
        let rematches = self.rematches.iter().map(|(kind, id)| RematchView {
            kind: rematch_option(*kind),
            id: id.to_string(),
        });
        SeatsPanelView {
            seats,
            link_reach: reach,
            resignation: snapshot
                .resignation_effect(&self.credentials)
                .map(|(player, effect)| ResignationView {
                    player: player.number(),
                    effect: match effect {
                        ResignationEffect::EndsGame => ResignationOutcome::EndsGame,
                        ResignationEffect::ReplacedByLevel => ResignationOutcome::ReplacedByLevel,
                        ResignationEffect::LeavesTable => ResignationOutcome::LeavesTable,
                    },
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
            lobby,
            private: snapshot.private,
        }
    }

    fn lobby(&self, snapshot: &Snapshot, own: &[Player]) -> LobbyView {
        let mut secrets = self.secrets.iter();
        let token = secrets.find_map(|secret| snapshot.derive_table_token(secret));
        let link = token.zip(self.link_base.as_ref());
        let seats = || Player::all(snapshot.live.players()).zip(&snapshot.seats.seats);
        let people = || seats().filter(|(_, seat)| seat.occupant.is_human());
        let others = people().filter(|(player, _)| !own.contains(player));
        let newest = others.max_by_key(|(_, seat)| seat.since_ms);
        let free = seats().filter(|(_, seat)| seat.occupant.is_open_to_anybody());
        LobbyView {
            is_host: snapshot.is_host(&self.credentials),
            may_start: snapshot.may_start(&self.credentials),
            link: link.map(|(token, (origin, _))| format!("{origin}/join/{}", token.to_text())),
            listed: self.listed,
            starts_in_s: self.starts_in_s,
            here: u32::try_from(people().count()).unwrap_or(u32::MAX),
            missing: u32::try_from(free.count()).unwrap_or(u32::MAX),
            newest: newest
                .filter(|_| people().nth(1).is_some())
                .map(|(player, _)| player.number()),
        }
    }

    fn seat_views(&self, snapshot: &Snapshot, own: &[Player]) -> (Vec<SeatView>, LinkReach) {
        // The reach of links is shown only to readers who have a link.
        let mut reach = None;
        let mut link = |player| {
            let mut links = self
                .secrets
                .iter()
                .map(|secret| snapshot.derive_return_token(secret, player));
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
                SeatOccupant::Open { .. } if snapshot.is_host(&self.credentials) => SeatRole::Open,
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
