//! The book's evaluation (Land of Lisp, chapter 18, `score-board`).
