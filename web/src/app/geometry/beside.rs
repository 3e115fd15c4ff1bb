//! Where an explanation stands: below the word, above it or beside it, and never on what it explains.

/// What is explained, in pixels of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Left edge of the word.
    pub left: f64,
    /// Upper edge of the word with what it names.
    pub top: f64,
    /// Lower edge of that.
    pub bottom: f64,
    /// Left and right edge of the column that is left free, where there is room beside it.
    pub column: Option<(f64, f64)>,
    /// Whether what it names stands below the word, so that the room above it is taken first.
    pub is_head: bool,
}

/// Where a box stands, in pixels of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beside {
    /// Its left edge.
    pub left: f64,
    /// Its width.
    pub width: f64,
    /// The most that it may be high.
    pub room: f64,
    /// Its upper edge; `None` where it stands above, and hangs from [`Beside::bottom`].
    pub top: Option<f64>,
    /// From the window's lower edge to its own.
    pub bottom: f64,
}

/// From the word to the box, and from the box to the window's edges.
const GAP: f64 = 8.0;
/// As wide as a sentence is read well.
const WIDTH: f64 = 352.0;
/// Room for a few lines; with less below, the wider side is taken.
const ENOUGH: f64 = 180.0;

/// The place beside `anchor` in a window of `width` x `height`.
pub fn beside(anchor: Anchor, width: f64, height: f64) -> Beside {
    let wide = WIDTH.min(width - 2.0 * GAP).max(0.0);
    let aside = anchor.column.and_then(|(left, right)| {
        let sides = [right + GAP, left - GAP - wide];
        sides.into_iter().find(|&side| side >= GAP && side + wide + GAP <= width)
    });
    let (down, up) = match aside {
        Some(_) => (anchor.top.max(GAP), anchor.bottom),
        None => (anchor.bottom + GAP, anchor.top - GAP),
    };
    let (below, above) = (height - GAP - down, up - GAP);
    let is_above = anchor.is_head && above >= ENOUGH || below < ENOUGH.min(above);
    let (top, room) = if is_above { (None, above) } else { (Some(down), below) };
    let left = aside.unwrap_or(anchor.left.min(width - GAP - wide).max(GAP));
    Beside { left, width: wide, room: room.max(0.0), top, bottom: height - up }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(left: f64, top: f64, bottom: f64) -> Anchor {
        Anchor { left, top, bottom, column: None, is_head: false }
    }

    proptest::proptest! {
        #[test]
        fn it_stays_in_the_window_and_off_the_word(
            left in -50.0..1900.0f64, top in 0.0..900.0f64, tall in 10.0..60.0f64,
            width in 320.0..1920.0f64, height in 400.0..1000.0f64, is_head: bool,
        ) {
            let top = top.min(height - tall);
            let anchor = word(left.min(width), top, top + tall);
            let anchor = Anchor { is_head, ..anchor };
            let place = beside(anchor, width, height);
            proptest::prop_assert!(place.left >= 0.0 && place.left + place.width <= width);
            match place.top {
                Some(below) => {
                    proptest::prop_assert!(below >= anchor.bottom);
                    proptest::prop_assert!(below + place.room <= height);
                }
                None => {
                    let lowest = height - place.bottom;
                    proptest::prop_assert!(lowest <= anchor.top && lowest - place.room >= 0.0);
                }
            }
            // Some lines always fit.
            proptest::prop_assert!(place.room >= 140.0);
        }
    }

    #[test]
    fn a_head_with_little_room_above_it_has_it_on_the_wider_side() {
        let place = beside(Anchor { is_head: true, ..word(0.0, 150.0, 208.0) }, 320.0, 400.0);
        assert_eq!((place.top, place.room), (Some(216.0), 176.0));
    }

    #[test]
    fn on_a_phone_it_is_as_wide_as_the_screen() {
        let place = beside(word(300.0, 100.0, 120.0), 360.0, 740.0);
        assert_eq!((place.left, place.width, place.top), (8.0, 344.0, Some(128.0)));
    }

    #[test]
    fn a_column_is_left_free_and_a_head_has_it_above() {
        let place = |left, column, is_head| {
            let anchor = Anchor { column: Some(column), is_head, ..word(left, 400.0, 500.0) };
            let place = beside(anchor, 1280.0, 900.0);
            (place.left, place.top)
        };
        assert_eq!(place(960.0, (960.0, 1240.0), false), (600.0, Some(400.0)));
        assert_eq!(place(20.0, (20.0, 300.0), false), (308.0, Some(400.0)));
        // No room beside it: as everywhere else.
        assert_eq!(place(20.0, (20.0, 1240.0), false), (20.0, Some(508.0)));
        assert_eq!(place(20.0, (20.0, 1240.0), true), (20.0, None));
        let low = Anchor { column: Some((960.0, 1240.0)), ..word(960.0, 800.0, 850.0) };
        let low = beside(low, 1280.0, 900.0);
        assert_eq!((low.top, low.bottom, low.room), (None, 50.0, 842.0));
    }
}
