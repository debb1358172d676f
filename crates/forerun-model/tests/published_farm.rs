//! What Mizutani, Ino and Hagihara publish of the master's time, from the constants of table 2.

use forerun_model::mizutani::{
    Constants, constants_of, increasing_rate, linear_term, message_bytes, overhead, round_trip,
};

const SEND: Constants = Constants { base: 12.1, per_processor: 0.182, per_byte: 0.0708 };
const RECEIVE: Constants = Constants { per_byte: 0.0722, ..SEND };
const ROUND_TRIPS: f64 = 1_048_576.0;

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not within {tolerance} of {b}");
}

#[test]
fn the_constants_follow_from_two_measurements() {
    let (base, per_processor) = constants_of((2.0, 12.48), (8.0, 13.57));
    near(base, 12.1, 0.05);
    near(per_processor, 0.182, 0.0005);
    // Both lines of section 5.1: o at P = 8 without the term, and twice as long at 71 as at 2.
    near(overhead(&SEND, 8.0, 0.0), 13.57, 0.02);
    near(overhead(&SEND, 71.0, 1.0) / overhead(&SEND, 2.0, 1.0), 2.0, 0.005);
}

#[test]
fn the_linear_term_costs_the_master_21_seconds() {
    near(linear_term(ROUND_TRIPS, 0.182, 8.0, 64.0) / 1e6, 21.4, 0.05);
}

#[test]
fn a_saturated_master_needs_51_seconds() {
    let (task, answer) = message_bytes(1.0);
    let each = round_trip(&SEND, &RECEIVE, 64.0, task, answer);
    near(each, 48.9, 0.05);
    near(each * ROUND_TRIPS / 1e6, 51.3, 0.05);
}

#[test]
fn the_round_trip_grows_with_the_processors() {
    for (few, many, rate, digits) in
        [(144.0, 185.8, 29.0, 0.05), (125.8, 194.8, 54.8, 0.06), (95.4, 99.2, 3.98, 0.005)]
    {
        near(increasing_rate(few, many), rate, digits);
    }
}
