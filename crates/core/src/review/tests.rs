use super::decision::{ActionValue, alternatives};
use super::*;
use crate::move_analysis::{ActionAnalysis, OutcomeAnalysis};

const BY: EvaluatorInfo = EvaluatorInfo {
    level: Level::Master,
    version: 1,
    simulations: 100,
};

fn two(first: f64) -> ShareVector {
    let mut values = ShareVector::default();
    (values[Player::new(0)], values[Player::new(1)]) = (first, 1.0 - first);
    values
}

/// A ply of player `player`: what chance could answer, which came, and by how much another action was
/// better for the first player.
fn ply(player: u8, outcomes: &[(f64, f64)], came: usize, better: Option<f64>) -> EvaluatedDecision {
    let gain = |more: f64| {
        let mut gain = ShareVector::default();
        (gain[Player::new(0)], gain[Player::new(1)]) = (more, -more);
        gain
    };
    let outcomes: Vec<_> = outcomes.iter().map(|&(p, share)| (p, two(share))).collect();
    let shares = ByPlayer::from_fn(|of| outcomes.iter().map(|(p, shares)| p * shares[of]).sum());
    let worth = |shares: ShareVector, outcomes| ActionValue {
        outcomes,
        shares,
        is_exact: false,
    };
    let rival = better.map(|more| {
        let shares = ByPlayer::from_fn(|of| shares[of] + gain(more)[of]);
        let action = format!("instead of {player}");
        (action, worth(shares, vec![(1.0, shares)]))
    });
    EvaluatedDecision {
        player: Player::new(player),
        mover: Player::new(player),
        choices: 2,
        played: worth(shares, outcomes),
        came,
        rivals: rival.into_iter().collect(),
    }
}

fn shares(first: f32) -> WinShares {
    let mut shares = WinShares::default();
    (shares[Player::new(0)], shares[Player::new(1)]) = (first, 1.0 - first);
    shares
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-5
}

#[test]
fn one_blunder_and_one_lucky_roll_are_named_exactly() {
    // An even game. The second player plays well; the first throws away 30 points; then the second has a
    // chance of one in ten to lose everything and loses it.
    let judged = [
        ply(1, &[(1.0, 0.5)], 0, None),
        ply(0, &[(1.0, 0.2)], 0, Some(0.3)),
        ply(1, &[(0.9, 1.0 / 9.0), (0.1, 1.0)], 1, None),
        ply(0, &[(1.0, 1.0)], 0, None),
    ];
    let review = Review::new(BY, 2, shares(1.0), &judged);
    assert_eq!(review.start, [0.5, 0.5]);
    assert_eq!(review.largest_losses(None, 5), [1]);
    assert_eq!(review.plies[1].better.as_deref(), Some("instead of 0"));
    assert!(close(review.decision_loss(1), 0.3));
    let luck: Vec<f64> = (0..4).map(|number| review.luck_change(number, 0)).collect();
    assert!(close(luck[2], 0.8), "{luck:?}");
    assert!(
        [0, 1, 3].iter().all(|&other| close(luck[other], 0.0)),
        "{luck:?}"
    );
    let first = review.share_breakdown(0);
    assert!(close(first.own_decisions, -0.3) && close(first.others_luck, 0.8));
    assert!(close(first.own_luck, 0.0) && close(first.others_decisions, 0.0));
    assert!(
        close(first.accuracy, (0.2 + 1.0) / (0.5 + 1.0)),
        "{first:?}"
    );
    assert_eq!(review.share_breakdown(1).accuracy, 1.0);
    let second = review.share_breakdown(1);
    assert!(close(second.own_luck, -0.8) && close(second.others_decisions, 0.3));
}

#[test]
fn nothing_is_worth_more_than_a_won_game() {
    // It turned out to be won all the same, so there were but 10 points to be lost.
    let judged = [
        ply(0, &[(0.8, 0.0), (0.2, 0.5)], 0, Some(0.3)),
        ply(0, &[(1.0, 1.0)], 0, None),
    ];
    let review = Review::new(BY, 2, shares(1.0), &judged);
    assert_eq!(review.plies[0].expected, [0.9, 0.1]);
    assert_eq!(review.start, [1.0, 0.0]);
    assert!(close(review.decision_loss(0), 0.1));
}

#[test]
fn what_is_within_the_noise_is_no_mistake() {
    let weighed = |action: u8, share: f32, is_exact| ActionAnalysis {
        is_exact,
        ..ActionAnalysis::of(
            action,
            vec![OutcomeAnalysis {
                probability: 1.0,
                shares: shares(share),
            }],
        )
    };
    let first = Player::FIRST;
    let judge = |actions: &[ActionAnalysis<u8>], played: usize| {
        let judged = EvaluatedDecision {
            player: first,
            mover: first,
            choices: 2,
            played: ActionValue::of(&actions[played]),
            came: 0,
            rivals: alternatives(actions, first, |one| one.action != actions[played].action),
        };
        let better = judged.better();
        better.map(|better| (better.action.to_owned(), better.gain[first]))
    };
    let near = [weighed(7, 0.5, false), weighed(8, 0.509, false)];
    assert_eq!(judge(&near, 0), None);
    let exact = [weighed(7, 0.5, true), weighed(8, 0.509, true)];
    assert_eq!(judge(&exact, 0).expect("it is proven").0, "8");
    let far = [weighed(7, 0.5, false), weighed(8, 0.52, true)];
    let (_, gain) = judge(&far, 0).expect("two points are more than the noise");
    assert!((gain - 0.02).abs() < 1e-6);
    assert_eq!(judge(&far, 1), None);
}

fn sure(action: u8, share: f32) -> ActionAnalysis<u8> {
    ActionAnalysis::of(
        action,
        vec![OutcomeAnalysis {
            probability: 1.0,
            shares: shares(share),
        }],
    )
}

#[test]
fn a_closer_look_at_what_cost_most_says_what_it_cost() {
    let seemed = [
        ply(0, &[(1.0, 0.5)], 0, Some(0.1)),
        ply(0, &[(1.0, 0.5)], 0, None),
        ply(0, &[(0.5, 0.3), (0.5, 0.7)], 0, Some(0.2)),
    ];
    let first = Review::new(BY, 2, shares(0.5), &seemed);
    let looks = plan_reanalysis(&first, &seemed);
    let of = |number, rival| ReanalysisTarget { number, rival };
    assert_eq!(
        looks,
        [of(2, None), of(2, Some(0)), of(0, None), of(0, Some(0))],
        "the costliest first, what was played and what would have been better"
    );
    // The first decision turns out to have been as good as the other; the notation of actions is a number.
    let mut judged = seemed[0].clone();
    judged.rivals[0].0 = "8".to_owned();
    let look = |judged: &EvaluatedDecision, look, share| {
        judged.reanalysed(look, Some(7_u8), |action| Some(sure(action, share)))
    };
    let once = look(&judged, looks[2], 0.55).expect("it was played");
    assert!(once.better().is_some(), "0.6 against 0.55");
    let twice = look(&once, looks[3], 0.555).expect("it is a rival");
    assert_eq!(twice.better(), None, "no more than the noise");
    assert!(
        look(&judged, of(0, Some(1)), 0.5).is_none(),
        "no such rival"
    );
    let stopped = judged.reanalysed(looks[2], Some(7_u8), |_| None);
    assert!(stopped.is_none());
    // What gave up played nothing, and what is proven needs no look.
    let gave_up =
        EvaluatedDecision::resigned(Player::FIRST, Player::FIRST, shares(0.0), &[sure(8, 0.5)]);
    let review = Review::new(BY, 2, shares(0.0), std::slice::from_ref(&resigned_player));
    assert_eq!(plan_reanalysis(&review, &[gave_up]), [of(0, Some(0))]);
}
