//! What one rank does: data, step, optimiser, checkpoint bytes.
