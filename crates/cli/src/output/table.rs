//! Tables and numbers as people read them.

use comfy_table::{
    Cell, CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Row, Table, TableStyle,
};

/// Lines around the table, under its headings and between its columns.
const STYLE: TableStyle = TableStyle::new()
    .top_border(LineStyle::new('┌', '─', '┬', '┐'))
    .header_lines(ContentLineStyle::new('│', '│', '│'))
    .header_separator(LineStyle::new('╞', '═', '╪', '╡'))
    .content_lines(ContentLineStyle::new('│', '│', '│'))
    .bottom_border(LineStyle::new('└', '─', '┴', '┘'));

/// A table with these column headings.
pub fn new(headings: impl Into<Row>) -> Table {
    let mut table = bare();
    table.set_header(headings);
    table
}

/// A table of sentences, which go on in a next line where a line is full.
pub fn of_texts(headings: impl Into<Row>) -> Table {
    let mut table = new(headings);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(100);
    table
}

/// A table without headings.
pub fn bare() -> Table {
    let mut table = Table::new();
    table.load_style(STYLE);
    table
}

/// A cell whose digits stand below each other.
pub fn right(value: impl ToString) -> Cell {
    Cell::new(value.to_string()).set_alignment(CellAlignment::Right)
}

/// A whole number with its digits in groups of three.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes in the unit that leaves few digits.
pub fn bytes(value: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if value < 1024 {
        return format!("{value} B");
    }
    let mut value = value as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// Ascending positions in few words: runs, or the step where they are evenly spread.
pub fn positions(positions: &[u32]) -> String {
    const MOST_RUNS: usize = 8;
    let runs: Vec<&[u32]> = positions.chunk_by(|a, b| a + 1 == *b).collect();
    if runs.len() > MOST_RUNS {
        let stride = positions[1] - positions[0];
        if positions.is_sorted_by(|a, b| b - a == stride) {
            let (first, last) = (positions[0], positions[positions.len() - 1]);
            return format!("{first}, {}, {} .. {last}", first + stride, first + 2 * stride);
        }
    }
    let shown = runs.iter().take(MOST_RUNS).map(|run| match run {
        [one] => one.to_string(),
        run => format!("{}-{}", run[0], run[run.len() - 1]),
    });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if runs.len() > MOST_RUNS {
        text.push_str(", ..");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([10, 2048, 3 << 20].map(bytes), ["10 B", "2.0 KiB", "3.0 MiB"]);
    }

    #[test]
    fn positions_are_runs_or_strides() {
        let check = |list: &[u32], expect: &str| assert_eq!(positions(list), expect);
        check(&[], "");
        check(&[0, 1, 6, 7], "0-1, 6-7");
        check(&[0, 2, 4, 6], "0, 2, 4, 6");
        let striped: Vec<u32> = (1..256).step_by(4).collect();
        check(&striped, "1, 5, 9 .. 253");
        check(&[0, 2, 4, 6, 8, 10, 12, 14, 17], "0, 2, 4, 6, 8, 10, 12, 14, ..");
    }
}
