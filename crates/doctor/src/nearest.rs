//! The known name nearest to a misspelt one.

/// The known name that `name` was most likely meant to be, if any is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A name too long to be a slip is not compared: the work grows with its length.
    if name.len() > 80 {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .min()
        .filter(|&(distance, candidate)| distance <= (candidate.len() / 4).clamp(1, 4))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let known = ["num_processes", "num_machines", "use_cpu"];
        assert_eq!(nearest("num_proceses", known), Some("num_processes"));
        assert_eq!(nearest("use_cup", known), Some("use_cpu"));
        assert_eq!(nearest("learning_rate", known), None);
        assert_eq!(nearest(&"x".repeat(1000), known), None);
    }
}
