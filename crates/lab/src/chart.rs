//! Draws figures as SVG: panels one below the other, each with its axes and their units.
//!
//! The size is fixed, text stays text, and the same numbers give the same bytes. The background is
//! white, so that a figure is legible on a dark page too.
use crate::LabError;
use plotters::{
    coord::{Shift, types::RangedCoordf64},
    prelude::*,
};
use std::{io, ops::Range};

/// Width of every figure, in pixels.
const WIDTH: u32 = 860;
/// Height of one panel, in pixels.
const PANEL_HEIGHT: u32 = 260;
/// Room above the largest value, as a share of it.
const HEADROOM: f64 = 0.08;

/// Colours that differ in lightness too, for who cannot tell the hues apart.
const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 90, 170), RGBColor(205, 70, 20), RGBColor(20, 130, 70), RGBColor(110, 60, 140)];

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A line through all values.
    Line,
    /// A dot for each value.
    Points,
    /// A dot for each value, and a line through them: for few values.
    Both,
    /// A thin bar from zero to each value.
    Bars,
}

/// Values of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// For the legend.
    pub name: String,
    /// How it is drawn.
    pub shape: Shape,
    /// In the order of x.
    pub values: Vec<(f64, f64)>,
}

impl Series {
    /// A series.
    #[must_use]
    pub fn new(name: impl Into<String>, shape: Shape, values: Vec<(f64, f64)>) -> Series {
        Series { name: name.into(), shape, values }
    }
}

/// One pair of axes and what is drawn between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Above it.
    pub title: String,
    /// Name and unit of the x axis.
    pub x: String,
    /// Name and unit of the y axis.
    pub y: String,
    /// Names of the places 0, 1, 2 … of the x axis; none where x is a number.
    pub places: Vec<String>,
    /// What is drawn.
    pub series: Vec<Series>,
}

impl Panel {
    /// A panel over the time of a run.
    #[must_use]
    pub fn over_time(title: impl Into<String>, y: impl Into<String>, series: Vec<Series>) -> Panel {
        let x = "time since the begin of the run (s)".into();
        Panel { title: title.into(), x, y: y.into(), places: Vec::new(), series }
    }

    fn xs(&self) -> Range<f64> {
        if !self.places.is_empty() {
            let count = f64::from(u32::try_from(self.places.len()).unwrap_or(u32::MAX));
            return -0.5..count - 0.5;
        }
        let all = self.series.iter().flat_map(|it| it.values.iter().map(|value| value.0));
        let most = all.fold(0.0, f64::max);
        0.0..if most > 0.0 { most * 1.01 } else { 1.0 }
    }

    fn ys(&self) -> Range<f64> {
        let all = self.series.iter().flat_map(|it| it.values.iter().map(|value| value.1));
        let most = all.fold(0.0, f64::max);
        0.0..if most > 0.0 { most * (1.0 + HEADROOM) } else { 1.0 }
    }

    fn x_label(&self, x: f64) -> String {
        if self.places.is_empty() {
            return short(x);
        }
        let nearest = x.round();
        if (x - nearest).abs() > 0.01 {
            return String::new();
        }
        let named = self.places.iter().zip(0_u32..).find(|(_, at)| f64::from(*at) == nearest);
        named.map_or_else(String::new, |(name, _)| name.clone())
    }
}

/// A number on an axis: without decimals where they say nothing.
fn short(value: f64) -> String {
    let value = if value.abs() < 1e-9 { 0.0 } else { value };
    if value.abs() >= 10.0 || value.fract().abs() < 1e-9 {
        return format!("{value:.0}");
    }
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Plane<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Draws the panels into one SVG.
///
/// # Errors
/// [`LabError::Step`] where the text cannot be made.
pub fn svg(panels: &[Panel]) -> Result<String, LabError> {
    let mut text = String::new();
    let count = u32::try_from(panels.len()).unwrap_or(1).max(1);
    {
        let root =
            SVGBackend::with_string(&mut text, (WIDTH, PANEL_HEIGHT * count)).into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        for (area, panel) in root.split_evenly((panels.len().max(1), 1)).iter().zip(panels) {
            draw(area, panel)?;
        }
        root.present().map_err(failed)?;
    }
    Ok(text)
}

fn failed(error: impl std::fmt::Display) -> LabError {
    LabError::step("draw a figure")(io::Error::other(error.to_string()))
}

fn draw(area: &Area<'_>, panel: &Panel) -> Result<(), LabError> {
    let mut chart = ChartBuilder::on(area)
        .caption(&panel.title, ("sans-serif", 20))
        .margin(8)
        .margin_right(24)
        .x_label_area_size(42)
        .y_label_area_size(72)
        .build_cartesian_2d(panel.xs(), panel.ys())
        .map_err(failed)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .max_light_lines(0)
        .x_labels(if panel.places.is_empty() { 10 } else { panel.places.len() * 2 + 1 })
        .y_labels(6)
        .x_label_formatter(&|x| panel.x_label(*x))
        .y_label_formatter(&|y| short(*y))
        .x_desc(&panel.x)
        .y_desc(&panel.y)
        .label_style(("sans-serif", 15))
        .axis_desc_style(("sans-serif", 16))
        .draw()
        .map_err(failed)?;
    for (series, colour) in panel.series.iter().zip(COLOURS.iter().cycle()) {
        draw_series(&mut chart, series, *colour)?;
    }
    if panel.series.len() > 1 {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .label_font(("sans-serif", 15))
            .draw()
            .map_err(failed)?;
    }
    Ok(())
}

fn draw_series(
    chart: &mut Plane<'_, '_>,
    series: &Series,
    colour: RGBColor,
) -> Result<(), LabError> {
    let values = || series.values.iter().copied();
    let key = move |(x, y)| Rectangle::new([(x, y - 4), (x + 14, y + 4)], colour.filled());
    let dots = || values().map(|at| Circle::new(at, 3, colour.filled()));
    let line = || LineSeries::new(values(), colour.stroke_width(2));
    let bars =
        || values().map(|(x, y)| PathElement::new(vec![(x, 0.0), (x, y)], colour.stroke_width(2)));
    let drawn = match series.shape {
        Shape::Line => chart.draw_series(line()).map_err(failed)?,
        Shape::Points => chart.draw_series(dots()).map_err(failed)?,
        Shape::Both => {
            chart.draw_series(line()).map_err(failed)?;
            chart.draw_series(dots()).map_err(failed)?
        }
        Shape::Bars => chart.draw_series(bars()).map_err(failed)?,
    };
    drawn.label(&series.name).legend(key);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(places: &[&str]) -> Panel {
        Panel {
            title: "Pauses & writes".into(),
            x: "time (s)".into(),
            y: "length (ms)".into(),
            places: places.iter().map(|it| (*it).to_owned()).collect(),
            series: vec![
                Series::new("pauses", Shape::Bars, vec![(0.0, 10.0), (1.0, 200.0)]),
                Series::new("writes", Shape::Points, vec![(1.0, 190.0)]),
            ],
        }
    }

    #[test]
    fn a_figure_has_its_axes_its_units_and_its_text_as_text() {
        let text = svg(&[panel(&[])]).unwrap();
        for word in ["time (s)", "length (ms)", "Pauses &amp; writes", "writes"] {
            assert!(text.contains(word), "{word}: {text}");
        }
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
        assert!(text.contains("fill=\"#FFFFFF\""));
        assert_eq!(text, svg(&[panel(&[])]).unwrap());
    }

    #[test]
    fn places_have_names() {
        let panel = panel(&["0.5 CPUs", "1 CPU"]);
        assert_eq!(panel.x_label(0.0), "0.5 CPUs");
        assert_eq!(panel.x_label(1.0), "1 CPU");
        assert_eq!((panel.x_label(0.5).as_str(), panel.x_label(2.0).as_str()), ("", ""));
        let text = svg(&[panel]).unwrap();
        assert!(text.contains("0.5 CPUs") && text.contains("1 CPU"), "{text}");
    }

    #[test]
    fn nothing_measured_is_an_empty_panel() {
        let empty = Panel::over_time("a", "b", vec![Series::new("c", Shape::Line, Vec::new())]);
        assert!(svg(&[empty]).unwrap().contains("time since the begin"));
    }

    #[test]
    fn numbers_on_axes_are_short() {
        assert_eq!(
            [0.0, 0.5, 2.0, 2.25, 12.5, 3000.0].map(short),
            ["0", "0.5", "2", "2.25", "12", "3000"]
        );
    }
}
