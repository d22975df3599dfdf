/** How processor time grows with the number of topics, as a chart with two logarithmic axes. */

import {
  CHART_WIDTH,
  circle,
  lineBetween,
  path,
  polyline,
  svgDocument,
  text,
} from '@tapeloom/cli/charts/svg';

const HEIGHT = 420;
const LEFT = 70;
const RIGHT = CHART_WIDTH - 30;
const TOP = 60;
const BOTTOM = HEIGHT - 50;

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
  const body = [
    text('ink head', LEFT, 28, 'Processor time of topics at 1,000 trades a second'),
    text('faint', LEFT, 46, 'milliseconds of one core each second, engine and hub'),
    ...powers(xMin, xMax).flatMap((at) => [
      path('s-grid', [lineBetween(x(at), TOP, x(at), BOTTOM)]),
      text('faint num', x(at), BOTTOM + 18, at.toLocaleString('en'), 'middle'),
    ]),
    ...powers(yMin, yMax).flatMap((at) => [
      path('s-grid', [lineBetween(LEFT, y(at), RIGHT, y(at))]),
      text('faint num', LEFT - 8, y(at) + 4, at.toLocaleString('en'), 'end'),
    ]),
    text('faint', (LEFT + RIGHT) / 2, BOTTOM + 38, 'topics', 'middle'),
    path('s-accent w15', [polyline(points.map(({ topics, cpuMs }) => [x(topics), y(cpuMs)]))]),
    ...points.flatMap(({ topics, cpuMs }) => [
      circle('accent', x(topics), y(cpuMs), 3),
      text('ink num halo', x(topics), y(cpuMs) - 9, label(cpuMs), 'middle'),
    ]),
  ];
  const last = points.at(-1)!;
  const told = `${last.topics} topics take ${label(last.cpuMs)} milliseconds of processor time a second.`;
  return svgDocument(
    { width: CHART_WIDTH, height: HEIGHT },
    'Processor time by number of topics',
    told,
    body,
  );
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
