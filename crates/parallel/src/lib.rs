//! Context-parallel attention: sharding, block attention, ring, all-gather, ulysses, gradient sync.
