/** How processor time grows with the number of topics, as a chart with two logarithmic axes. */

import { FIGURE_WIDTH, through } from '@tapeloom/charts/figures/plot';
import { paintSvg } from '@tapeloom/charts/paint/svg-painter';
import { countText } from '@tapeloom/charts/scene/number-text';
import { paint, Shapes, segment, write } from '@tapeloom/charts/scene/shapes';

const HEIGHT = 420;
const LEFT = 70;
const RIGHT = FIGURE_WIDTH - 30;
const TOP = 60;
const BOTTOM = HEIGHT - 50;
const TEXT_SIZE = 11;
const POINT_RADIUS = 3;

interface Point {
  readonly topics: number;
  readonly cpuMs: number;
}

export function growthChart(points: readonly Point[]): string {
  const [xMin, xMax] = decades(points.map(({ topics }) => topics));
  const [yMin, yMax] = decades(points.map(({ cpuMs }) => cpuMs));
  const x = (topics: number) =>
    LEFT + (Math.log10(topics / xMin) / Math.log10(xMax / xMin)) * (RIGHT - LEFT);
  const y = (ms: number) =>
    BOTTOM - (Math.log10(ms / yMin) / Math.log10(yMax / yMin)) * (BOTTOM - TOP);
  const shapes = new Shapes();
  shapes.rect(paint('ground'), 0, 0, FIGURE_WIDTH, HEIGHT, 10);
  const note = (at: number, top: number, words: string, align: 'left' | 'center' | 'right') =>
    shapes.word(paint('axis'), TEXT_SIZE, 400, align, at, top, words);
  const title = 'Processor time of topics at 1,000 trades a second';
  shapes.word(paint('ink'), 15, 600, 'left', LEFT, 23, title);
  note(LEFT, 42, 'milliseconds of one core each second, engine and hub', 'left');
  const grid = shapes.lines(paint('grid'));
  for (const at of powers(xMin, xMax)) {
    segment(grid, x(at), TOP, x(at), BOTTOM);
    note(x(at), BOTTOM + 14, countText(at), 'center');
  }
  for (const at of powers(yMin, yMax)) {
    segment(grid, LEFT, y(at), RIGHT, y(at));
    note(LEFT - 8, y(at), countText(at), 'right');
  }
  note((LEFT + RIGHT) / 2, BOTTOM + 34, 'topics', 'center');
  through(
    shapes.lines(paint('ink'), 1.5),
    points.map(({ topics, cpuMs }) => [x(topics), y(cpuMs)] as const),
  );
  const discs = shapes.discs(paint('ink'), 0, 0);
  const labels = shapes.words(paint('ink'), TEXT_SIZE, 400, 'center');
  for (const { topics, cpuMs } of points) {
    discs.add3(x(topics), y(cpuMs), POINT_RADIUS);
    write(labels, x(topics), y(cpuMs) - 13, label(cpuMs));
  }
  const last = points.at(-1)!;
  const told = `Processor time by number of topics: ${last.topics} topics take ${label(last.cpuMs)} milliseconds of processor time a second.`;
  const size = { width: FIGURE_WIDTH, height: HEIGHT };
  return paintSvg(shapes.batches, size, { colours: 'both', title: told });
}

/** The powers of ten around all values. */
function decades(values: readonly number[]): readonly [number, number] {
  const least = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const most = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  return [least, most > least ? most : least * 10];
}

function powers(from: number, to: number): readonly number[] {
  const all: number[] = [];
  for (let at = from; at <= to * 1.001; at *= 10) all.push(Number(at.toPrecision(1)));
  return all;
}

function label(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0);
}
