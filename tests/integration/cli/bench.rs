//! `ringside bench`: the part that it starts itself for each measurement; timing is not tested.

use super::done;

#[test]
fn a_child_tells_its_peak_of_memory() {
    let json = done("bench --json --peak-of 64").json();
    assert!(json["growth"].is_null() || json["growth"].as_u64().unwrap() > 0, "{json}");
}
