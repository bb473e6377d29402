//! The tests that also run in Firefox and WebKit: a few of them always, the others with `DOD_BROWSERS=all tests/run` or
//! `cargo test --test browser -- --include-ignored`.

/// A test for each test of other modules, in this engine and with this attribute (`cfg(test)` has no effect).
macro_rules! run_in {
    ($engine:ident, $attribute:meta: $($module:ident { $($test:ident)* })*) => {
        $(
            mod $module {
                $(
                    #[test]
                    #[$attribute]
                    fn $test() {
                        crate::engine::Engine::$engine.run(crate::$module::$test);
                    }
                )*
            }
        )*
    };
}

macro_rules! always {
    ($engine:ident) => {
        mod always {
            run_in! { $engine, cfg(test):
                cookies { a_browser_that_blocks_cookies_follows_a_game }
                games { a_complete_game_is_played_by_mouse_with_scripts a_complete_game_is_played_by_keyboard }
                replay { a_game_is_replayed_by_keyboard }
                returning { a_player_returns_with_scripts }
                sharing { a_frame_follows_its_game }
                tables { an_open_table_is_joined_its_clock_runs_and_a_phrase_is_seen }
                undo { a_click_takes_a_move_back }
            }
        }
    };
}

macro_rules! on_request {
    ($engine:ident) => {
        run_in! { $engine, ignore = "takes long":
            clicks {
                a_button_ignores_clicks_right_after_it_appears
                a_hex_clicked_during_the_roll_is_chosen
                the_replay_of_a_round_returns_to_the_turn
            }
            cookies { a_browser_that_blocks_cookies_gets_an_explanation_and_a_seat_link }
            end_turn {
                a_dismissed_summary_stays_dismissed
                a_lost_automatic_end_of_turn_is_retried
                a_turn_without_attacks_ends_automatically_if_enabled
                ending_a_game_without_winning_needs_confirmation
                ending_a_game_without_winning_needs_confirmation_without_scripts
                the_board_previews_the_reinforcements
            }
            fair {
                entropy_text_is_added_and_the_browser_verifies_a_finished_game
                the_dice_are_verified_without_scripts
            }
            fonts { pages_are_rendered_in_the_fonts_of_the_reader }
            games {
                a_complete_game_is_played_by_mouse_without_scripts
                a_complete_game_of_version_2_is_played
                a_computer_player_replies_to_each_chip
                a_full_board_is_a_draw
                four_in_a_row_wins
            }
            hints {
                a_hint_without_scripts_is_a_page
                keys_open_and_close_a_hint_and_the_main_button_plays_it
                the_analysis_board_works_with_scripts
                the_analysis_board_works_without_scripts
            }
            languages { the_main_pages_keep_their_layout_with_the_fonts_of_every_reader }
            layouts { a_tile_receives_the_clicks_on_its_middle }
            live {
                a_failed_request_does_not_lock_the_board_and_is_not_repeated
                both_windows_continue_after_a_server_restart
                escape_on_a_target_returns_the_focus_to_the_source
                keys_are_explained_and_can_be_disabled
                own_plies_are_animated_and_the_focus_stays
                results_appear_at_once_with_reduced_motion_or_speed_off
                the_page_stays_when_a_load_balancer_answers
            }
            playback {
                a_player_who_leaves_a_paused_round_can_play_afterwards
                the_playback_of_a_round_can_be_paused_and_skipped
            }
            rejected_clicks {
                a_click_on_a_hex_that_cannot_act_shows_the_reason
                the_title_of_a_hex_that_cannot_act_is_the_reason
            }
            replay {
                a_game_is_replayed_and_played_on_without_scripts
                a_link_starts_the_replay_and_the_slider_seeks
            }
            returning { a_player_returns_without_scripts }
            review {
                a_review_is_requested_and_read_with_scripts
                a_review_is_requested_and_read_without_scripts
                trilobite_is_replayed_analysed_and_reviewed_with_scripts
                trilobite_is_replayed_analysed_and_reviewed_without_scripts
            }
            screen_reader {
                hexes_that_the_text_mentions_show_their_numbers
                the_result_has_the_focus_at_the_end
                the_summary_since_the_last_turn_is_announced
            }
            shared_game { a_host_a_guest_and_a_spectator_survive_disconnections }
            sharing {
                a_move_is_shared_by_link_and_in_a_frame
                links_lead_to_pictures_and_films_without_scripts
            }
            start { an_invitation_is_copied_with_a_click the_start_page_follows_the_featured_game }
            tables { a_player_whose_seat_was_freed_is_told_without_reloading }
            undo { a_form_takes_a_move_back_without_scripts a_key_takes_a_move_back_with_animations }
            upload { an_intact_record_is_uploaded_and_damaged_ones_are_rejected }
        }
    };
}

mod firefox {
    always!(Firefox);
    on_request!(Firefox);
}

mod webkit {
    always!(WebKit);
    on_request!(WebKit);
}
