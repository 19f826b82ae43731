//! A small picture: lines over numbers of keys, both axes by decades, as SVG.

use std::fmt::Write as _;

/// What a picture shows.
pub(crate) struct Plot {
    pub(crate) title: &'static str,
    /// What the vertical axis counts.
    pub(crate) unit: &'static str,
    /// The marks on the vertical axis, from the lowest to the highest.
    pub(crate) marks: &'static [f64],
    pub(crate) series: Vec<Series>,
}

/// A line with a name.
pub(crate) struct Series {
    pub(crate) name: &'static str,
    /// Keys and values.
    pub(crate) points: Vec<(f64, f64)>,
}

/// The numbers of keys on the horizontal axis.
const DECADES: [f64; 8] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];
/// Ours first; the others differ in lightness too.
const COLOURS: [&str; 4] = ["#c2410c", "#1d4ed8", "#0f766e", "#6b7280"];

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 130.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 44.0;
/// The least distance between two names.
const LINE: f64 = 15.0;

impl Plot {
    /// The picture as a file of its own.
    pub(crate) fn svg(&self) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\" fill=\"#374151\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        text(&mut svg, (LEFT, 24.0), "start", self.title);
        text(&mut svg, (LEFT, 40.0), "start", self.unit);
        for keys in self.decades() {
            let x = self.x(keys);
            rule(&mut svg, (x, TOP), (x, HEIGHT - BOTTOM));
            text(&mut svg, (x, HEIGHT - BOTTOM + 16.0), "middle", &grouped(keys));
        }
        for mark in self.marks {
            let y = self.y(*mark);
            rule(&mut svg, (LEFT, y), (WIDTH - RIGHT, y));
            text(&mut svg, (LEFT - 6.0, y + 4.0), "end", &grouped(*mark));
        }
        text(&mut svg, (f64::midpoint(LEFT, WIDTH - RIGHT), HEIGHT - 8.0), "middle", "keys");
        for (series, colour) in self.series.iter().zip(COLOURS) {
            self.line(&mut svg, series, colour);
        }
        self.names(&mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    fn line(&self, svg: &mut String, series: &Series, colour: &str) {
        let points = series.points.iter().map(|(keys, value)| (self.x(*keys), self.y(*value)));
        let path: Vec<_> = points.clone().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        add(
            svg,
            &format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                path.join(" ")
            ),
        );
        for (x, y) in points {
            add(svg, &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"));
        }
    }

    /// Each name at the end of its line, as far below the one above it as letters need.
    fn names(&self, svg: &mut String) {
        let ends = self.series.iter().zip(COLOURS).filter_map(|(series, colour)| {
            let (_, value) = series.points.last()?;
            Some((self.y(*value), series.name, colour))
        });
        let mut ends: Vec<_> = ends.collect();
        ends.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut free = f64::MIN;
        for (y, name, colour) in ends {
            let y = y.max(free);
            free = y + LINE;
            let x = WIDTH - RIGHT + 8.0;
            add(
                svg,
                &format!("<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>", y + 4.0),
            );
        }
    }

    /// The decades that the lines reach.
    fn decades(&self) -> impl Iterator<Item = f64> {
        let first = self.first();
        DECADES.into_iter().filter(move |decade| *decade >= first)
    }

    fn first(&self) -> f64 {
        let keys = self.series.iter().flat_map(|series| &series.points).map(|(keys, _)| *keys);
        keys.fold(DECADES[DECADES.len() - 1], f64::min)
    }

    fn x(&self, keys: f64) -> f64 {
        let share = between(keys, self.first(), DECADES[DECADES.len() - 1]);
        LEFT + share * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        let share = between(value, self.marks[0], self.marks[self.marks.len() - 1]);
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    }
}

/// Where a value is between two others, by their logarithms.
fn between(value: f64, low: f64, high: f64) -> f64 {
    (value / low).ln() / (high / low).ln()
}

fn rule(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    add(
        svg,
        &format!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#e5e7eb\"/>",
            from.0, from.1, to.0, to.1
        ),
    );
}

fn text(svg: &mut String, at: (f64, f64), anchor: &str, text: &str) {
    add(
        svg,
        &format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{text}</text>",
            at.0, at.1
        ),
    );
}

fn add(svg: &mut String, element: &str) {
    writeln!(svg, "{element}").expect("a string takes everything");
}

/// A number with commas between its thousands; below one, with a decimal.
fn grouped(number: f64) -> String {
    if number < 1.0 {
        return format!("{number:.1}");
    }
    let digits = format!("{number:.0}");
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_are_equally_far_apart() {
        let series = Series { name: "one", points: vec![(1.0, 10.0), (1e7, 1_000.0)] };
        let plot = Plot { title: "", unit: "", marks: &[10.0, 1_000.0], series: vec![series] };
        let width = WIDTH - LEFT - RIGHT;
        assert!((plot.x(1.0) - LEFT).abs() < 1e-9);
        assert!((plot.x(10.0) - LEFT - width / 7.0).abs() < 1e-9);
        assert!((plot.y(100.0) - f64::midpoint(TOP, HEIGHT - BOTTOM)).abs() < 1e-9);
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(
            [0.5, 1.0, 999.0, 1_000.0, 10_000_000.0].map(grouped),
            ["0.5", "1", "999", "1,000", "10,000,000"]
        );
    }
}
