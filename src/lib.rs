//! Dice of Doom.
