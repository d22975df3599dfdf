import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeFootprints } from '../../testing/made-market.ts';
import { madeContent, madeInput } from '../../testing/made-scene.ts';
import { chartLayout } from './chart-layout.ts';
import {
  atEnd,
  clamped,
  columnAtX,
  eased,
  fitted,
  isAtEnd,
  nsOfPlace,
  openingWindow,
  panBy,
  placeAtX,
  placeOfNs,
  shifted,
  shownColumns,
  ticksAtY,
  type ViewWindow,
  xOf,
  xOfNs,
  yOf,
  zoomPrice,
  zoomTime,
} from './window.ts';

const content = madeContent(madeFootprints(300));
const { spec, window, size } = madeInput(content, { columnWidth: 20 });
const layout = chartLayout(size, spec, content);
const COUNT = 300;

function assertNear(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-6, `${actual} is not ${expected}`);
}

test('zooming time keeps what lies under the pointer', () => {
  for (const factor of [0.5, 1.1, 3]) {
    const before = placeAtX(window, layout, 400);
    const zoomed = zoomTime(window, layout, factor, 400, COUNT);
    assertNear(placeAtX(zoomed, layout, 400), before);
    assertNear(zoomed.columnWidth, 20 * factor);
  }
});

test('zooming time ends at the narrowest and the widest bar', () => {
  assert.equal(zoomTime(window, layout, 1e-9, 0, COUNT).columnWidth, 1.5);
  assert.equal(zoomTime(window, layout, 1e9, 0, COUNT).columnWidth, 260);
});

test('a drag moves the picture by its pixels, and only a drag in height ends the fit of prices', () => {
  const across = panBy(window, layout, 60, 0, COUNT);
  assertNear(xOf(across, layout, 200), xOf(window, layout, 200) + 60);
  assert.equal(across.isAuto, true);
  const down = panBy(window, layout, 0, 25, COUNT);
  assertNear(yOf(down, layout, 27_000), yOf(window, layout, 27_000) + 25);
  assert.equal(down.isAuto, false);
});

test('however far one drags, some bars stay on screen', () => {
  for (const dx of [1e7, -1e7]) {
    const far = panBy(window, layout, dx, 0, COUNT);
    const [from, to] = shownColumns(far, layout, COUNT);
    assert.ok(to - from >= 4, `${from} to ${to}`);
  }
  assert.equal(clamped(window, layout, COUNT), window);
});

test('zooming prices keeps the price at the pointer', () => {
  const before = ticksAtY(window, layout, 120);
  const zoomed = zoomPrice(window, layout, 1.7, 120);
  assertNear(ticksAtY(zoomed, layout, 120), before);
  assert.equal(zoomed.isAuto, false);
});

test('columns and prices lead to pixels and back', () => {
  for (const column of [0, 150, 299]) {
    assert.equal(columnAtX(window, layout, xOf(window, layout, column) + 0.01), column);
  }
  for (const ticks of [26_900, 27_000.5, 0, -40]) {
    assertNear(ticksAtY(window, layout, yOf(window, layout, ticks)), ticks);
  }
});

test('fitted prices hold every bar on screen with room around them', () => {
  const goal = fitted(window, layout, content, spec);
  const [from, to] = shownColumns(goal, layout, COUNT);
  for (const bar of content.bars.columns.slice(from, to)) {
    assert.equal(bar.kind, 'bar');
    if (bar.kind !== 'bar') continue;
    assert.ok(yOf(goal, layout, bar.high + 1) >= 10);
    assert.ok(yOf(goal, layout, bar.low) <= layout.main.height - 10);
  }
});

test('a window that was moved by hand is not fitted, nor is one without bars', () => {
  const byHand: ViewWindow = { ...window, isAuto: false };
  assert.equal(fitted(byHand, layout, content, spec), byHand);
  const empty = madeContent([]);
  const opened = openingWindow(0);
  assert.equal(fitted(opened, layout, empty, spec), opened);
});

test('easing comes to its goal', () => {
  const goal = { ...window, middle: window.middle + 90, tickHeight: window.tickHeight * 3 };
  let at = window;
  for (let step = 0; step < 60 && at.middle !== goal.middle; step += 1) at = eased(at, goal, 0.22);
  assert.deepEqual([at.middle, at.tickHeight], [goal.middle, goal.tickHeight]);
});

test('older columns in front do not move the picture', () => {
  assertNear(xOf(shifted(window, 50), layout, 250), xOf(window, layout, 200));
});

test('the end is where the newest bar is on screen', () => {
  assert.equal(isAtEnd(atEnd(window, COUNT), COUNT), true);
  assert.equal(isAtEnd({ ...window, right: COUNT - 5 }, COUNT), false);
});

test('instants lead to places and back, inside the bars and beyond them', () => {
  const { bars } = content;
  for (const place of [-7.5, 0, 12.25, 200, 299.5, 310.75]) {
    assert.ok(Math.abs(placeOfNs(bars, nsOfPlace(bars, place)) - place) < 1e-6, String(place));
  }
  const { fromNs } = bars.columns[7]!;
  assertNear(xOfNs(window, layout, bars, fromNs), xOf(window, layout, 7));
});

test('without bars every instant is at the first place', () => {
  const { bars } = madeContent([]);
  assert.equal(placeOfNs(bars, 5n), 0);
  assert.equal(nsOfPlace(bars, 4), 0n);
});
