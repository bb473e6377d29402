use super::decision::{ActionValue, alternatives};
use super::*;
use crate::move_analysis::{ActionAnalysis, OutcomeAnalysis};

const BY: EvaluatorInfo = EvaluatorInfo {
    level: Level::Master,
    version: 1,
    simulations: 100,
};

fn share_pair(first: f64) -> ShareVector {
    let mut shares = ShareVector::default();
    (shares[Player::new(0)], shares[Player::new(1)]) = (first, 1.0 - first);
    shares
}

/// A ply of player `player`: its outcomes, the index of the one that occurred, and by how much an alternative was
/// better for the first player.
fn ply(
    player: u8,
    outcomes: &[(f64, f64)],
    occurred: usize,
    better: Option<f64>,
) -> EvaluatedDecision {
    let gain = |more: f64| {
        let mut gain = ShareVector::default();
        (gain[Player::new(0)], gain[Player::new(1)]) = (more, -more);
        gain
    };
    let outcomes: Vec<_> = outcomes
        .iter()
        .map(|&(p, share)| (p, share_pair(share)))
        .collect();
    let shares = ByPlayer::from_fn(|of| outcomes.iter().map(|(p, shares)| p * shares[of]).sum());
    let value = |shares: ShareVector, outcomes| ActionValue {
        outcomes,
        shares,
        is_exact: false,
    };
    let alternative = better.map(|more| {
        let shares = ByPlayer::from_fn(|of| shares[of] + gain(more)[of]);
        let action = format!("instead of {player}");
        (action, value(shares, vec![(1.0, shares)]))
    });
    EvaluatedDecision {
        player: Player::new(player),
        mover: Player::new(player),
        choices: 2,
        played: value(shares, outcomes),
        occurred,
        alternatives: alternative.into_iter().collect(),
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
fn a_blunder_and_a_lucky_roll_are_attributed_exactly() {
    // An even game: the second player plays well, the first loses 30 points by a mistake, and then the second has a
    // chance of one in ten to lose everything and does.
    let evaluated = [
        ply(1, &[(1.0, 0.5)], 0, None),
        ply(0, &[(1.0, 0.2)], 0, Some(0.3)),
        ply(1, &[(0.9, 1.0 / 9.0), (0.1, 1.0)], 1, None),
        ply(0, &[(1.0, 1.0)], 0, None),
    ];
    let review = Review::new(BY, 2, shares(1.0), &evaluated);
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
fn no_share_exceeds_that_of_a_won_game() {
    // The game turned out to be won, so at most 10 points could be lost.
    let evaluated = [
        ply(0, &[(0.8, 0.0), (0.2, 0.5)], 0, Some(0.3)),
        ply(0, &[(1.0, 1.0)], 0, None),
    ];
    let review = Review::new(BY, 2, shares(1.0), &evaluated);
    assert_eq!(review.plies[0].expected, [0.9, 0.1]);
    assert_eq!(review.start, [1.0, 0.0]);
    assert!(close(review.decision_loss(0), 0.1));
}

#[test]
fn a_difference_within_the_noise_is_no_mistake() {
    let analysis = |action: u8, share: f32, is_exact| ActionAnalysis {
        is_exact,
        ..ActionAnalysis::from_outcomes(
            action,
            vec![OutcomeAnalysis {
                probability: 1.0,
                shares: shares(share),
            }],
        )
    };
    let first = Player::FIRST;
    let better = |actions: &[ActionAnalysis<u8>], played: usize| {
        let evaluated = EvaluatedDecision {
            player: first,
            mover: first,
            choices: 2,
            played: ActionValue::from_analysis(&actions[played]),
            occurred: 0,
            alternatives: alternatives(actions, first, |one| one.action != actions[played].action),
        };
        let better = evaluated.better();
        better.map(|better| (better.action.to_owned(), better.gain[first]))
    };
    let near = [analysis(7, 0.5, false), analysis(8, 0.509, false)];
    assert_eq!(better(&near, 0), None);
    let exact = [analysis(7, 0.5, true), analysis(8, 0.509, true)];
    assert_eq!(better(&exact, 0).expect("the difference is proven").0, "8");
    let far = [analysis(7, 0.5, false), analysis(8, 0.52, true)];
    let (_, gain) = better(&far, 0).expect("two points exceed the noise");
    assert!((gain - 0.02).abs() < 1e-6);
    assert_eq!(better(&far, 1), None);
}

fn deterministic(action: u8, share: f32) -> ActionAnalysis<u8> {
    ActionAnalysis::from_outcomes(
        action,
        vec![OutcomeAnalysis {
            probability: 1.0,
            shares: shares(share),
        }],
    )
}

#[test]
fn reanalysis_corrects_the_largest_losses() {
    let first_estimates = [
        ply(0, &[(1.0, 0.5)], 0, Some(0.1)),
        ply(0, &[(1.0, 0.5)], 0, None),
        ply(0, &[(0.5, 0.3), (0.5, 0.7)], 0, Some(0.2)),
    ];
    let first = Review::new(BY, 2, shares(0.5), &first_estimates);
    let targets = plan_reanalysis(&first, &first_estimates);
    let target = |number, alternative| ReanalysisTarget {
        number,
        alternative,
    };
    assert_eq!(
        targets,
        [
            target(2, None),
            target(2, Some(0)),
            target(0, None),
            target(0, Some(0))
        ],
        "the largest loss first, the chosen action before its alternative"
    );
    // The reanalysis finds the first decision as good as the alternative; the notation of actions is a number.
    let mut evaluated = first_estimates[0].clone();
    evaluated.alternatives[0].0 = "8".to_owned();
    let reanalyse = |evaluated: &EvaluatedDecision, target, share| {
        evaluated.reanalysed(target, Some(7_u8), |action| {
            Some(deterministic(action, share))
        })
    };
    let once = reanalyse(&evaluated, targets[2], 0.55).expect("the chosen action");
    assert!(once.better().is_some(), "0.6 against 0.55");
    let twice = reanalyse(&once, targets[3], 0.555).expect("an alternative");
    assert_eq!(twice.better(), None, "within the noise");
    assert!(
        reanalyse(&evaluated, target(0, Some(1)), 0.5).is_none(),
        "no such alternative"
    );
    let stopped = evaluated.reanalysed(targets[2], Some(7_u8), |_| None);
    assert!(stopped.is_none());
    // A resignation has no chosen action to reanalyse, and exact values need no reanalysis.
    let resignation = EvaluatedDecision::from_resignation(
        Player::FIRST,
        Player::FIRST,
        shares(0.0),
        &[deterministic(8, 0.5)],
    );
    let review = Review::new(BY, 2, shares(0.0), std::slice::from_ref(&resignation));
    assert_eq!(
        plan_reanalysis(&review, &[resignation]),
        [target(0, Some(0))]
    );
}

#[test]
fn the_best_decisions_are_the_furthest_above_their_best_alternatives() {
    let evaluated = [
        ply(0, &[(1.0, 0.5)], 0, Some(-0.05)),
        ply(0, &[(1.0, 0.5)], 0, Some(-0.2)),
        // A difference as small as the error of a search is none.
        ply(1, &[(1.0, 0.5)], 0, Some(0.005)),
        ply(0, &[(1.0, 0.5)], 0, Some(0.3)),
        ply(0, &[(1.0, 0.5)], 0, Some(-0.2)),
    ];
    let review = Review::new(BY, 2, shares(1.0), &evaluated);
    assert_eq!(review.best_decisions(0, 9), [1, 4, 0]);
    assert_eq!(review.best_decisions(0, 2), [1, 4]);
    assert_eq!(review.best_decisions(1, 2), [0; 0]);
    let second = review.plies[1].second.as_ref().unwrap();
    assert_eq!(second.action, "instead of 0");
    assert!(close(second.gap, 0.2), "{second:?}");
    assert_eq!(review.plies[3].second, None);
}

#[test]
fn the_worst_luck_is_the_costliest_unlikely_outcome() {
    let evaluated = [
        ply(0, &[(0.9, 0.5), (0.1, 0.1)], 1, None),
        ply(1, &[(0.2, 0.1), (0.8, 0.3)], 0, None),
        // Bad, but as likely as not.
        ply(0, &[(0.5, 0.9), (0.5, 0.0)], 1, None),
    ];
    let review = Review::new(BY, 2, shares(0.5), &evaluated);
    assert_eq!(review.worst_luck(0), Some(0));
    // The position after it is the one before the next ply, whose expected share is 0.45.
    assert_eq!(review.worst_luck(1), Some(1));
}
