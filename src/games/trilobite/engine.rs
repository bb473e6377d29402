//! The engine's searches for Trilobite.

use crate::games::engine::{
    EngineAdapter, PositionSolver, ProvenScore, RateError, SearchRequest, SolveRequest,
    SolvedPosition,
};
use crate::search::SearchResult;
use dice_of_doom_games::trilobite::solver::{ScoreBounds, Solver};
use dice_of_doom_games::trilobite::{Column, Position, Trilobite, land_of_lisp};

impl EngineAdapter for Trilobite {
    const MAX_SEARCH_PLIES: u32 = 128;

    fn run_search(
        &self,
        position: &Position,
        request: &SearchRequest<'_>,
    ) -> Result<SearchResult<Column>, RateError> {
        match request.search {
            "minimax" => {
                let analysis = land_of_lisp::minimax(self, position, request.budget());
                let instead = "alphabeta looks as far ahead as `depth` says";
                analysis.map_err(|_| RateError::WholeTreeTooLarge(instead))
            }
            "alphabeta" => {
                let plies = request.required_depth(Self::MAX_SEARCH_PLIES)?;
                let analysis =
                    land_of_lisp::alpha_beta_bounded(self, position, plies, request.budget());
                analysis.ok_or(RateError::TooLarge)
            }
            _ => Err(RateError::unsupported_search("minimax and alphabeta")),
        }
    }

    fn solver(&self, table_bytes: usize) -> Option<Box<dyn PositionSolver<Self>>> {
        Some(Box::new(Solver::new(self, table_bytes)))
    }
}

impl PositionSolver<Trilobite> for Solver {
    fn solves(&self, game: &Trilobite) -> bool {
        self.game() == game
    }

    fn clear(&mut self) {
        Solver::clear(self);
    }

    fn solve(&mut self, position: &Position, request: &SolveRequest<'_>) -> SolvedPosition {
        let SolveRequest {
            max_nodes, stop, ..
        } = *request;
        self.use_book(request.book);
        if !request.each {
            let solution = Solver::solve(self, position, max_nodes, stop);
            return SolvedPosition {
                score: solution.bounds.into(),
                scores: None,
                nodes: solution.nodes,
            };
        }
        let solved = self.solve_moves(position, max_nodes, stop);
        let mut scores = vec![None; usize::from(self.game().width())];
        for &(column, bounds) in &solved.moves {
            scores[usize::from(column.number())] = Some(bounds.into());
        }
        SolvedPosition {
            score: solved.bounds().into(),
            scores: Some(scores),
            nodes: solved.nodes,
        }
    }
}

impl From<ScoreBounds> for ProvenScore {
    fn from(bounds: ScoreBounds) -> Self {
        let ScoreBounds { lower, upper } = bounds;
        bounds
            .score()
            .map_or(ProvenScore::Bounds([lower, upper]), ProvenScore::Exact)
    }
}
