//! Sorting once for all types: the standard library's sort is compiled anew for each, which adds up
//! in a binary that is loaded before anything can be seen.

/// Puts `items` in the order of their keys; those of one key stay in theirs.
pub fn sort_by_key<T>(items: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    let mut keys: Vec<(u64, usize)> = items.iter().map(key).zip(0..).collect();
    keys.sort_unstable();
    let mut places: Vec<Option<T>> = std::mem::take(items).into_iter().map(Some).collect();
    items.extend(keys.into_iter().filter_map(|(_, place)| places[place].take()));
}

#[cfg(test)]
mod tests {
    use super::sort_by_key;

    #[test]
    fn the_order_of_equals_stays() {
        let mut items = vec![(3, 'a'), (1, 'b'), (3, 'c'), (0, 'd'), (1, 'e')];
        sort_by_key(&mut items, |&(key, _)| key);
        assert_eq!(items.iter().map(|&(_, name)| name).collect::<String>(), "dbeac");
    }
}
