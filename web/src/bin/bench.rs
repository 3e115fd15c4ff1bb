//! The bench.

fn main() {
    web::bench::start();
}
