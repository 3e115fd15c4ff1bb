//! Process groups: point-to-point messages, the collectives built on them, and their backends.
