//! The drawing of any chart, by plotters: as SVG and as PNG.

use std::sync::OnceLock;

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::drawing::{DrawingArea, IntoDrawingArea as _};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::series::{DashedLineSeries, LineSeries};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color as _, FontDesc, FontFamily, FontStyle, RGBAColor, RGBColor, ShapeStyle, TextStyle,
    register_font,
};

use super::ink::hex;
use super::labels::spread;
use super::{Axis, Chart, Ink, Layer, LayerShape, Marker, PlotError};

/// Points of the drawing for each of the chart's: plotters draws at whole points.
const FINE: i32 = 4;

/// Points of a PNG.
const SHARP: i32 = 2;

const TEXT: i32 = 13;
const LINE: i32 = 20;

/// How far apart labels beside lines are.
const LABEL: i32 = 15;

/// From the frame to the sign before a label.
const LEADER: i32 = 16;

/// Whose colours an SVG has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    /// The colours for paper.
    Light,
    /// Variables of the page's style.
    Page,
}

/// A chart that was drawn.
pub(crate) struct DrawnChart {
    pub(crate) svg: String,
    /// Left, top, right and bottom of where values are drawn, in the points of the drawing.
    pub(crate) frame: (i32, i32, i32, i32),
}

fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError(error.to_string())
}

/// The font of a PNG, which is also what texts are measured by.
fn font() -> Result<(), PlotError> {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        register_font("sans-serif", FontStyle::Normal, notosans::REGULAR_TTF).is_ok()
    });
    if *known {
        Ok(())
    } else {
        Err(failed("the font is not readable"))
    }
}

/// A chart as SVG.
pub(crate) fn svg(chart: &Chart, colours: Colours) -> Result<DrawnChart, PlotError> {
    font()?;
    let (width, height) = chart.size;
    let size = (width * FINE as u32, height * FINE as u32);
    let mut svg = String::new();
    let frame = {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let pen = Pen {
            scale: FINE,
            marks: true,
            title: colours == Colours::Light,
        };
        let frame = pen.draw(chart, &area).map_err(failed)?;
        area.present().map_err(failed)?;
        frame
    };
    for ink in Ink::all() {
        let colour = match colours {
            Colours::Light => hex(ink.on_paper()),
            Colours::Page => format!("var(--{})", ink.name()),
        };
        let dashes = format!("stroke-dasharray=\"{} {}\"", 6 * FINE, 4 * FINE);
        svg = svg
            .replace(
                &format!("stroke=\"{}\"", hex(ink.mark(true))),
                &format!("stroke=\"{colour}\" {dashes}"),
            )
            .replace(
                &format!("\"{}\"", hex(ink.mark(false))),
                &format!("\"{colour}\""),
            );
    }
    // the drawing is finer than the chart
    let of_drawing = format!("<svg width=\"{}\" height=\"{}\" ", size.0, size.1);
    let of_chart = match colours {
        Colours::Light => format!("<svg width=\"{width}\" height=\"{height}\" "),
        Colours::Page => "<svg ".to_owned(),
    };
    Ok(DrawnChart {
        svg: svg.replacen(&of_drawing, &of_chart, 1),
        frame,
    })
}

/// A chart as PNG.
pub(crate) fn png(chart: &Chart) -> Result<Vec<u8>, PlotError> {
    font()?;
    let (width, height) = (chart.size.0 * SHARP as u32, chart.size.1 * SHARP as u32);
    let mut points = vec![255; (width * height * 3) as usize];
    {
        let area = BitMapBackend::with_buffer(&mut points, (width, height)).into_drawing_area();
        let pen = Pen {
            scale: SHARP,
            marks: false,
            title: true,
        };
        pen.draw(chart, &area).map_err(failed)?;
        area.present().map_err(failed)?;
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&points).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

type PlotArea = Cartesian2d<Unit, Unit>;

/// From 0 to 1, with ticks at given places.
struct Unit(Vec<f64>);

impl Ranged for Unit {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        from + (value * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            Vec::new()
        } else {
            self.0.clone()
        }
    }

    fn range(&self) -> std::ops::Range<f64> {
        0.0..1.0
    }
}

/// How a chart is drawn.
#[derive(Clone, Copy)]
struct Pen {
    scale: i32,
    /// With colours that stand for others.
    marks: bool,
    title: bool,
}

/// A marker at a place of the drawing, about twice as wide as its points.
struct Sign {
    marker: Marker,
    at: (i32, i32),
    points: i32,
}

type Drawing<DB> = plotters::drawing::DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>;

impl Pen {
    fn colour(self, ink: Ink) -> RGBColor {
        let (r, g, b) = if self.marks {
            ink.mark(false)
        } else {
            ink.on_paper()
        };
        RGBColor(r, g, b)
    }

    fn font(self, points: i32) -> FontDesc<'static> {
        FontDesc::new(
            FontFamily::SansSerif,
            f64::from(points * self.scale),
            FontStyle::Normal,
        )
    }

    fn text(self, points: i32, ink: Ink) -> TextStyle<'static> {
        self.font(points).color(&self.colour(ink))
    }

    /// The width of a text. Fonts of other systems may be wider.
    fn width(self, text: &str) -> i32 {
        let width = self
            .font(TEXT)
            .box_size(text)
            .map_or(0, |(width, _)| width as i32);
        width + width / 10
    }

    fn draw<DB: DrawingBackend>(
        self,
        chart: &Chart,
        area: &DrawingArea<DB, Shift>,
    ) -> Result<(i32, i32, i32, i32), Drawing<DB>> {
        let at = |points: i32| points * self.scale;
        if !self.marks || self.title {
            area.fill(&self.colour(Ink::Paper))?;
        }
        let mut top = at(10);
        if self.title {
            let style = self.text(TEXT + 3, Ink::Text);
            area.draw(&Text::new(chart.title.clone(), (at(12), top), style))?;
            top += at(LINE + 6);
        }
        top = self.legend(chart, area, top)?;
        let widest = chart.y.ticks.iter().map(|(_, text)| self.width(text)).max();
        let last = chart.x.ticks.last().map(|(_, text)| self.width(text));
        // the last number of the axis hangs over
        let right = last.unwrap_or(0) / 2 + at(8);
        let labels = chart.layers.iter().filter(|layer| !layer.label.is_empty());
        let longest = labels.map(|layer| self.width(&layer.label)).max();
        let right = longest.map_or(right, |width| right.max(width + at(LEADER + 18)));
        let mut context = ChartBuilder::on(area)
            .margin_top(top)
            .margin_right(right)
            .margin_left(at(4))
            .margin_bottom(at(4))
            .x_label_area_size(at(42))
            .y_label_area_size(widest.unwrap_or(0) + at(34))
            .build_cartesian_2d(coordinate(&chart.x), coordinate(&chart.y))?;
        let axis = self.colour(Ink::Axis);
        let names = |axis: &Axis| {
            let ticks: Vec<(f64, String)> = placed(axis).collect();
            move |value: &f64| {
                let found = ticks.iter().find(|(place, _)| place == value);
                found.map(|(_, text)| text.clone()).unwrap_or_default()
            }
        };
        let (x_names, y_names) = (names(&chart.x), names(&chart.y));
        let mut mesh = context.configure_mesh();
        if chart.x.named {
            mesh.disable_x_mesh();
        }
        if chart.y.named {
            mesh.disable_y_mesh();
        }
        mesh.x_desc(chart.x.label.as_str())
            .y_desc(chart.y.label.as_str())
            .x_label_formatter(&x_names)
            .y_label_formatter(&y_names)
            .label_style(self.text(TEXT, Ink::Axis))
            .axis_desc_style(self.text(TEXT, Ink::Text))
            .axis_style(axis.stroke_width(self.scale as u32))
            .bold_line_style(self.colour(Ink::Grid).stroke_width(self.scale as u32))
            .light_line_style(RGBAColor(0, 0, 0, 0.0))
            .set_all_tick_mark_size(at(4))
            .draw()?;
        for layer in &chart.layers {
            self.layer(chart, layer, &mut context)?;
        }
        let (x, y) = context.plotting_area().get_pixel_range();
        let frame = (x.start, y.start, x.end, y.end);
        self.labels(chart, area, frame)?;
        Ok(frame)
    }

    /// Names beside the ends of lines.
    fn labels<DB: DrawingBackend>(
        self,
        chart: &Chart,
        area: &DrawingArea<DB, Shift>,
        (left, top, right, bottom): (i32, i32, i32, i32),
    ) -> Result<(), Drawing<DB>> {
        let at = |points: i32| points * self.scale;
        let ends = chart.layers.iter().filter(|layer| !layer.label.is_empty());
        let ends = ends.filter_map(|layer| {
            let LayerShape::Line(points) = &layer.shape else {
                return None;
            };
            let (x, y) = points.last()?;
            let x = chart.x.place(*x)?.clamp(0.0, 1.0) * f64::from(right - left);
            // what is not on a logarithmic axis is below it
            let y = chart.y.place(*y).unwrap_or(0.0).clamp(0.0, 1.0);
            let y = bottom - (y * f64::from(bottom - top)) as i32;
            Some((layer, (left + x as i32, y)))
        });
        let ends: Vec<(&Layer, (i32, i32))> = ends.collect();
        let wanted: Vec<i32> = ends.iter().map(|(_, (_, y))| *y).collect();
        let places = spread(&wanted, at(LABEL), (top, bottom));
        for ((layer, end), y) in ends.into_iter().zip(places) {
            let colour = self.colour(layer.ink);
            let from = right + at(LEADER);
            let leader = vec![end, (right + at(3), end.1), (from - at(6), y), (from, y)];
            let style = colour.stroke_width((self.scale / 2).max(1) as u32);
            area.draw(&PathElement::new(leader, style))?;
            if let Some(marker) = layer.marker {
                let at = (from + at(4), y);
                self.marker(
                    Sign {
                        marker,
                        at,
                        points: 4,
                    },
                    colour,
                    area,
                )?;
            }
            let anchor = Pos::new(HPos::Left, VPos::Center);
            let style = self.text(TEXT - 1, Ink::Text).pos(anchor);
            area.draw(&Text::new(layer.label.clone(), (from + at(12), y), style))?;
        }
        Ok(())
    }

    /// The marker of a layer at places of the chart.
    fn markers<DB: DrawingBackend>(
        self,
        layer: &Layer,
        places: &[(f64, f64)],
        points: i32,
        context: &ChartContext<'_, DB, PlotArea>,
    ) -> Result<(), Drawing<DB>> {
        let Some(marker) = layer.marker else {
            return Ok(());
        };
        let area = context.plotting_area().strip_coord_spec();
        let (x, y) = area.get_pixel_range();
        let (width, height) = (f64::from(x.end - x.start), f64::from(y.end - y.start));
        for (along, up) in places {
            let at = ((along * width) as i32, ((1.0 - up) * height) as i32);
            let sign = Sign { marker, at, points };
            self.marker(sign, self.colour(layer.ink), &area)?;
        }
        Ok(())
    }

    fn marker<DB: DrawingBackend>(
        self,
        Sign { marker, at, points }: Sign,
        colour: RGBColor,
        area: &DrawingArea<DB, Shift>,
    ) -> Result<(), Drawing<DB>> {
        let reach = points * self.scale + self.scale / 2;
        match marker {
            Marker::Circle => area.draw(&Circle::new(at, points * self.scale, colour.filled())),
            _ => area.draw(&Polygon::new(marker.corners(at, reach), colour.filled())),
        }
    }

    /// The legend, in as many lines as it takes; where it ends.
    fn legend<DB: DrawingBackend>(
        self,
        chart: &Chart,
        area: &DrawingArea<DB, Shift>,
        top: i32,
    ) -> Result<i32, Drawing<DB>> {
        let at = |points: i32| points * self.scale;
        // what is in front is named first
        let named = chart
            .layers
            .iter()
            .rev()
            .filter(|layer| !layer.name.is_empty());
        let (mut x, mut y) = (at(12), top);
        let mut any = false;
        for layer in named {
            any = true;
            // names of experts are long, and a sign in the middle of one is not seen
            let name = self.width(&layer.name);
            let width = at(26) + name + name / 8 + at(14);
            if x + width > at(chart.size.0 as i32) && x > at(12) {
                (x, y) = (at(12), y + at(LINE));
            }
            let middle = y + at(LINE) / 2;
            let colour = self.colour(layer.ink);
            match &layer.shape {
                LayerShape::Line(_) => {
                    let style = colour.stroke_width(at(2) as u32);
                    area.draw(&PathElement::new(
                        vec![(x, middle), (x + at(20), middle)],
                        style,
                    ))?;
                    if let Some(marker) = layer.marker {
                        let at = (x + at(10), middle);
                        self.marker(
                            Sign {
                                marker,
                                at,
                                points: 4,
                            },
                            colour,
                            area,
                        )?;
                    }
                }
                LayerShape::Dashed(_) => {
                    let style = colour.stroke_width(at(2) as u32);
                    for from in [0, 8, 16] {
                        let ends = vec![(x + at(from), middle), (x + at(from + 5), middle)];
                        area.draw(&PathElement::new(ends, style))?;
                    }
                }
                LayerShape::Dots(_) if layer.marker.is_some() => {
                    let (marker, at) =
                        (layer.marker.unwrap_or(Marker::Circle), (x + at(10), middle));
                    self.marker(
                        Sign {
                            marker,
                            at,
                            points: 4,
                        },
                        colour,
                        area,
                    )?;
                }
                LayerShape::Dots(_) => {
                    area.draw(&Circle::new((x + at(10), middle), at(4), colour.filled()))?;
                }
                LayerShape::Boxes(_) => {
                    let corners = [(x + at(4), middle - at(5)), (x + at(16), middle + at(5))];
                    area.draw(&Rectangle::new(corners, colour.filled()))?;
                }
            }
            let anchor = Pos::new(HPos::Left, VPos::Center);
            let style = self.text(TEXT, Ink::Text).pos(anchor);
            area.draw(&Text::new(layer.name.clone(), (x + at(26), middle), style))?;
            x += width;
        }
        Ok(if any { y + at(LINE + 6) } else { y })
    }

    fn layer<DB: DrawingBackend>(
        self,
        chart: &Chart,
        layer: &Layer,
        context: &mut ChartContext<'_, DB, PlotArea>,
    ) -> Result<(), Drawing<DB>> {
        let place = |x: f64, y: f64| Some((chart.x.place(x)?, chart.y.place(y)?));
        let inside = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
            let places = points.iter().filter_map(|&(x, y)| place(x, y));
            places
                .filter(|(x, y)| (-1e-9..=1.001).contains(x) && (-1e-9..=1.001).contains(y))
                .collect()
        };
        let visible = |points: &[(f64, f64)]| {
            let places = points.iter().map(|&(x, y)| place(x, y));
            visible_pieces(&places.collect::<Vec<_>>())
        };
        let colour = self.colour(layer.ink);
        let stroke = 2 * self.scale as u32;
        match &layer.shape {
            LayerShape::Line(points) => {
                let marked = layer
                    .marker
                    .map_or(Vec::new(), |_| along(&inside(points), chart, layer));
                for piece in visible(points) {
                    context.draw_series(LineSeries::new(piece, colour.stroke_width(stroke)))?;
                }
                self.markers(layer, &marked, 4, context)?;
            }
            LayerShape::Dashed(points) if self.marks => {
                let (r, g, b) = layer.ink.mark(true);
                let style: ShapeStyle = RGBColor(r, g, b).stroke_width(stroke);
                for piece in visible(points) {
                    context.draw_series(LineSeries::new(piece, style))?;
                }
            }
            LayerShape::Dashed(points) => {
                let (dash, gap) = (6 * self.scale, 4 * self.scale);
                let style = colour.stroke_width(stroke);
                for piece in visible(points) {
                    context.draw_series(DashedLineSeries::new(piece, dash, gap, style))?;
                }
            }
            LayerShape::Dots(points) if layer.marker.is_some() => {
                self.markers(layer, &inside(points), 3, context)?;
            }
            LayerShape::Dots(points) => {
                let dots = inside(points).into_iter();
                context
                    .draw_series(dots.map(|at| Circle::new(at, 5 * self.scale, colour.filled())))?;
            }
            LayerShape::Boxes(patches) => {
                for patch in patches {
                    let corners = (place(patch.x.0, patch.y.0), place(patch.x.1, patch.y.1));
                    let (Some(from), Some(to)) = corners else {
                        continue;
                    };
                    let style = colour.mix(patch.strength).filled();
                    context.draw_series([Rectangle::new([from, to], style)])?;
                    if !patch.text.is_empty() {
                        let middle = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
                        let style = self
                            .text(TEXT, Ink::Text)
                            .pos(Pos::new(HPos::Center, VPos::Center));
                        context.draw_series([Text::new(patch.text.clone(), middle, style)])?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Places on a line for its markers: at equal distances across the chart, and for each layer at others.
fn along(places: &[(f64, f64)], chart: &Chart, layer: &Layer) -> Vec<(f64, f64)> {
    const MARKERS: usize = 5;
    // few points are themselves what is to be seen
    if places.len() <= 12 {
        return places.to_vec();
    }
    let marked: Vec<&Layer> = chart.layers.iter().filter(|l| l.marker.is_some()).collect();
    let place = marked.iter().position(|other| std::ptr::eq(*other, layer));
    let phase = place.unwrap_or(0) as f64 / marked.len().max(1) as f64;
    let wanted = (0..MARKERS).map(|i| (i as f64 + 0.2 + 0.7 * phase) / MARKERS as f64);
    wanted
        .filter_map(|x| {
            let after = places.iter().position(|place| place.0 >= x)?;
            let (from, to) = (places[after.checked_sub(1)?], places[after]);
            let part = (x - from.0) / (to.0 - from.0).max(f64::MIN_POSITIVE);
            Some((x, from.1 + part * (to.1 - from.1)))
        })
        .collect()
}

/// The pieces of a line within the frame, both axes from 0 to 1. A point without a place ends a piece.
fn visible_pieces(places: &[Option<(f64, f64)>]) -> Vec<Vec<(f64, f64)>> {
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    for pair in places.windows(2) {
        let [Some(from), Some(to)] = *pair else {
            continue;
        };
        let Some((first, last)) = visible_part(from, to) else {
            continue;
        };
        match pieces.last_mut() {
            Some(piece) if piece.last() == Some(&first) => piece.push(last),
            _ => pieces.push(vec![first, last]),
        }
    }
    pieces
}

/// The part of a segment within the frame.
fn visible_part(from: (f64, f64), to: (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    // the share of the way at which the segment enters, and at which it leaves
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for (start, length) in [(from.0, dx), (from.1, dy)] {
        if length == 0.0 {
            if !(-1e-9..=1.001).contains(&start) {
                return None;
            }
            continue;
        }
        let ends = ((0.0 - start) / length, (1.0 - start) / length);
        enters = enters.max(ends.0.min(ends.1));
        leaves = leaves.min(ends.0.max(ends.1));
    }
    let at = |share: f64| match share {
        0.0 => from,
        1.0 => to,
        share => (from.0 + share * dx, from.1 + share * dy),
    };
    (enters <= leaves).then(|| (at(enters), at(leaves)))
}

/// The ticks of an axis that have a place.
fn placed(axis: &Axis) -> impl Iterator<Item = (f64, String)> {
    axis.ticks.iter().filter_map(|(value, text)| {
        let place = axis.place(*value)?;
        (-1e-9..=1.0 + 1e-9)
            .contains(&place)
            .then(|| (place, text.clone()))
    })
}

fn coordinate(axis: &Axis) -> Unit {
    Unit(placed(axis).map(|(place, _)| place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line that begins above the frame enters it where it does, and is not joined to a point far away.
    #[test]
    fn lines_are_cut_at_the_frame() {
        let line = [(0.0, 0.0), (0.1, 4.0), (0.2, 2.0), (0.4, 0.0), (0.5, 0.5)];
        let pieces = visible_pieces(&line.map(Some));
        assert_eq!(pieces.len(), 2);
        assert_eq!(pieces[0], [(0.0, 0.0), (0.025, 1.0)]);
        let [(x, y), rest @ ..] = &pieces[1][..] else {
            panic!("a piece")
        };
        assert!((x - 0.3).abs() < 1e-12 && (y - 1.0).abs() < 1e-12);
        assert_eq!(rest, [(0.4, 0.0), (0.5, 0.5)]);
        // nothing is drawn of what is outside, nor across a point that has no place
        assert!(visible_pieces(&[Some((0.0, 2.0)), Some((1.0, 3.0))]).is_empty());
        assert!(visible_pieces(&[Some((0.0, 0.5)), None, Some((1.0, 0.5))]).is_empty());
        assert_eq!(
            visible_pieces(&[Some((0.0, 1.0)), Some((1.0, 1.0))]),
            [[(0.0, 1.0), (1.0, 1.0)]]
        );
    }
}
