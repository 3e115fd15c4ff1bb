//! A plain one-device transformer: positions and attention come in from outside.
