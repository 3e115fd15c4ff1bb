//! Where the decision tree's boxes and ways are drawn: one step below the other, or side by side.
//!
//! Each step is a question with its branches below it. A way comes down a trunk on the left, turns
//! into the branch that is taken, leaves it on the right and goes on to the next question.

use plan::runtime::{Branch, End, Step};

/// A box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// How the steps lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One below the other, for narrow pages.
    Tall,
    /// Side by side.
    Wide,
}

/// One branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Which.
    pub branch: Branch,
    /// Its box.
    pub at: Rect,
    /// The way from the question to it.
    pub way_in: String,
    /// The way from it to the next question, or to the result; none from a refusal.
    pub way_out: Option<String>,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Which.
    pub step: Step,
    /// The question's box.
    pub at: Rect,
    /// Its branches.
    pub rows: Vec<Row>,
}

/// The drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeLayout {
    /// Width in units.
    pub width: f64,
    /// Height in units.
    pub height: f64,
    /// The steps.
    pub blocks: Vec<Block>,
    /// The result's box.
    pub result: Rect,
}

const COLUMN: f64 = 300.0;
const QUESTION: f64 = 34.0;
const ROW: f64 = 30.0;
const ROW_GAP: f64 = 8.0;
/// From a question to its first branch, and from a last branch to what follows.
const STEP_GAP: f64 = 14.0;
const INDENT: f64 = 24.0;
const RAIL: f64 = 18.0;
const COLUMN_GAP: f64 = 30.0;
const MARGIN: f64 = 3.0;

/// The whole tree.
pub fn layout(shape: Shape) -> TreeLayout {
    let heights = Step::ALL.map(height);
    let corners: Vec<(f64, f64)> = match shape {
        Shape::Tall => heights
            .iter()
            .scan(MARGIN, |y, height| {
                let top = *y;
                *y += height + STEP_GAP;
                Some((MARGIN, top))
            })
            .collect(),
        Shape::Wide => (0..heights.len())
            .map(|column| (MARGIN + column as f64 * (COLUMN + COLUMN_GAP), MARGIN))
            .collect(),
    };
    let result = result(shape, &corners, &heights);
    let blocks: Vec<Block> = Step::ALL
        .into_iter()
        .zip(&corners)
        .enumerate()
        .map(|(index, (step, &corner))| {
            let next = corners.get(index + 1);
            let way_on = match (shape, next) {
                (Shape::Wide, Some(&(x, y))) => format!("V{:.0}H{x:.0}", y + QUESTION / 2.0),
                (Shape::Tall, Some(&(_, y))) => {
                    format!("V{:.0}H{:.0}", y + QUESTION / 2.0, MARGIN + COLUMN)
                }
                (_, None) => {
                    format!("V{:.0}H{:.0}", result.y + QUESTION / 2.0, result.x + result.width)
                }
            };
            block(step, corner, &way_on)
        })
        .collect();
    let bottom = |block: &Block| block.rows.last().map_or(0.0, |row| row.at.y + ROW);
    let height = blocks.iter().map(bottom).fold(result.y + QUESTION, f64::max) + MARGIN;
    let columns = if shape == Shape::Tall { 1.0 } else { blocks.len() as f64 };
    let width = columns * COLUMN + (columns - 1.0) * COLUMN_GAP + RAIL + 2.0 * MARGIN;
    TreeLayout { width, height, blocks, result }
}

fn rows(step: Step) -> f64 {
    Branch::at(step).count() as f64
}

fn height(step: Step) -> f64 {
    QUESTION + STEP_GAP + rows(step) * (ROW + ROW_GAP)
}

/// Below the last step.
fn result(_shape: Shape, corners: &[(f64, f64)], heights: &[f64]) -> Rect {
    let (x, y) = corners.last().copied().unwrap_or_default();
    let height = heights.last().copied().unwrap_or_default();
    Rect { x, y: y + height + STEP_GAP, width: COLUMN, height: QUESTION }
}

fn block(step: Step, (x, y): (f64, f64), way_on: &str) -> Block {
    let at = Rect { x, y, width: COLUMN, height: QUESTION };
    let trunk = x + INDENT / 2.0;
    let rows = Branch::at(step)
        .enumerate()
        .map(|(index, branch)| {
            let top = y + QUESTION + STEP_GAP + index as f64 * (ROW + ROW_GAP);
            let at = Rect { x: x + INDENT, y: top, width: COLUMN - INDENT, height: ROW };
            let middle = top + ROW / 2.0;
            let (right, rail) = (x + COLUMN, x + COLUMN + RAIL / 2.0);
            Row {
                branch,
                at,
                way_in: format!("M{trunk:.0} {:.0}V{middle:.0}H{:.0}", y + QUESTION, at.x),
                way_out: (branch.end() == End::GoesOn)
                    .then(|| format!("M{right:.0} {middle:.0}H{rail:.0}{way_on}")),
            }
        })
        .collect();
    Block { step, at, rows }
}

#[cfg(test)]
mod tests {
    use plan::Message;

    use super::*;
    use crate::app::language::{Language, told_in};

    fn boxes(tree: &TreeLayout) -> Vec<Rect> {
        let rows = |block: &Block| block.rows.iter().map(|row| row.at).collect::<Vec<_>>();
        let blocks = tree.blocks.iter().flat_map(|block| [vec![block.at], rows(block)].concat());
        blocks.chain([tree.result]).collect()
    }

    #[test]
    fn nothing_overlaps_or_leaves_the_drawing() {
        for shape in [Shape::Tall, Shape::Wide] {
            let tree = layout(shape);
            let all = boxes(&tree);
            assert_eq!(all.len(), 4 + Branch::ALL.len() + 1);
            for (index, one) in all.iter().enumerate() {
                assert!(one.x >= 0.0 && one.x + one.width <= tree.width, "{shape:?} {one:?}");
                assert!(one.y >= 0.0 && one.y + one.height <= tree.height, "{shape:?} {one:?}");
                for other in &all[index + 1..] {
                    let beside = one.x + one.width <= other.x || other.x + other.width <= one.x;
                    let below = one.y + one.height <= other.y || other.y + other.height <= one.y;
                    assert!(beside || below, "{shape:?}: {one:?} lies on {other:?}");
                }
            }
        }
    }

    #[test]
    fn only_refusals_are_dead_ends() {
        for block in layout(Shape::Tall).blocks {
            for row in block.rows {
                assert_eq!(row.way_out.is_none(), row.branch.end() == End::Refuses);
                assert_eq!(row.branch.step(), block.step);
            }
        }
    }

    #[test]
    fn texts_fit_their_boxes() {
        // The widest letters of the drawing's type take some 0.56 em, Chinese ones 1 em; the type is
        // 13 units.
        let em = |letter: char| if letter.is_ascii() { 0.56 } else { 1.0 };
        for language in Language::ALL {
            let width = |text: Message| {
                told_in(language, &text).chars().map(|letter| em(letter) * 13.0).sum::<f64>()
            };
            for branch in Branch::ALL {
                let text = width(branch.when()) + width(branch.then()) + 28.0;
                assert!(text <= COLUMN - INDENT, "{language:?}, {branch:?}: {text}");
            }
            for step in Step::ALL {
                let text = width(step.question()) + 24.0;
                assert!(text <= COLUMN, "{language:?}, {step:?}: {text}");
            }
        }
    }
}
