import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BarObject } from '../series/bar-series.ts';
import { ChartContent } from '../series/chart-content.ts';
import { type ChartSpec, DEFAULT_CHART } from '../spec/chart-spec.ts';
import type { GestureAction } from './gestures.ts';
import { keyAction } from './keys.ts';
import { applyGesture, groundAt, targetAt } from './model-gestures.ts';
import { applyKey } from './model-keys.ts';
import { type ModelEvent, ViewModel } from './view-model.ts';
import { ViewParts } from './view-parts.ts';

const MINUTE = 60_000_000_000n;
const NOON = 1_794_916_800_000_000_000n;
const SIZE = { width: 1200, height: 800 };

function footprint(minute: number, low = 22_000): BarObject {
  const ts = NOON + BigInt(minute) * MINUTE;
  const levels = Array.from({ length: 8 }, (_, at) => [low + at, 10 + at, 20 - at]);
  return {
    ...{ id: `20261117.${minute}`, final: true, ts },
    data: {
      ...{ end: String(ts + MINUTE - 1n), open: low + 1, close: low + 6, high: low + 7, low },
      ...{ volume: 240, bid: 108, ask: 132, unknown: 0, trades: 60 },
      ...{ delta: 24, deltaMin: -5, deltaMax: 30, levels },
    },
  } as unknown as BarObject;
}

const parts = new ViewParts({ loaded() {}, failed: assert.fail });
await new Promise<unknown>((resolve) => parts.hand.use(resolve));

function rig(part: Partial<ChartSpec> = {}, count = 60) {
  const content = new ChartContent();
  content.instrument = {
    ...{ name: 'ES.c.0', contract: 'ESZ6', title: 'E-mini S&P 500 December 2026' },
    ...{ tickSizeNanos: 250_000_000, timeZone: 'America/Chicago' },
  };
  content.bars.putAll(Array.from({ length: count }, (_, at) => footprint(at)));
  const events: ModelEvent[] = [];
  const model = new ViewModel(
    {
      ...{ content, parts },
      spec: { ...DEFAULT_CHART, bar: { ...DEFAULT_CHART.bar, size: 60 }, ...part },
      hear: (event) => {
        if (event.t !== 'change') events.push(event);
      },
    },
    SIZE,
  );
  let now = 0;
  const frame = () => {
    now += 16;
    return model.frame(now, false);
  };
  frame();
  const press = (key: string, held: { alt?: boolean; ctrl?: boolean; shift?: boolean } = {}) => {
    const action = keyAction({
      key,
      ...{ altKey: held.alt ?? false, ctrlKey: held.ctrl ?? false },
      ...{ metaKey: false, shiftKey: held.shift ?? false },
    });
    const isDone = action !== null && applyKey(model, action);
    frame();
    return isDone;
  };
  const act = (...actions: GestureAction[]) => {
    for (const action of actions) applyGesture(model, action);
    frame();
  };
  const told = (kind: ModelEvent['t']) => events.filter(({ t }) => t === kind);
  return { model, content, events, told, press, act, frame };
}

/** The middle of a column at a price. */
function point({ model }: ReturnType<typeof rig>, column: number, ticks: number) {
  const { window, layout } = model.scene!;
  return {
    x: layout.plotWidth - (window.right - column - 0.5) * window.columnWidth,
    y: layout.main.height / 2 - (ticks + 0.5 - window.middle) * window.tickHeight,
  };
}

test('arrows move the crosshair from the newest bar on, and say what is there', () => {
  const { model, press, told } = rig();
  press('ArrowLeft');
  assert.equal(model.hoverColumn, 59);
  press('ArrowLeft');
  press('ArrowUp');
  assert.equal(model.hoverColumn, 58);
  const said = told('say').at(-1);
  assert.ok(said?.t === 'say');
  assert.match(said.text, /^06:58/);
});

test('arrows beyond the edge of the screen bring their bar into view', () => {
  const { model, press } = rig({}, 200);
  for (let step = 0; step < 40; step += 1) press('ArrowLeft');
  const [from, to] = model.scene!.shown;
  assert.ok(model.hoverColumn! >= from && model.hoverColumn! < to);
  press('End');
  assert.ok(model.state.isAtEnd);
});

test('a line is drawn with keys alone, moved, undone and removed', () => {
  const { model, press, told } = rig();
  press('ArrowLeft');
  press('h');
  assert.equal(model.tool, 'line');
  press('Enter');
  assert.equal(model.tool, 'crosshair');
  assert.deepEqual(model.spec.drawings, [{ key: 'd1', kind: 'line', text: '', ticks: 22_006 }]);
  press('ArrowUp');
  assert.deepEqual(model.spec.drawings, [{ key: 'd1', kind: 'line', text: '', ticks: 22_007 }]);
  press('z', { ctrl: true });
  assert.deepEqual(model.spec.drawings, [{ key: 'd1', kind: 'line', text: '', ticks: 22_006 }]);
  press('Delete');
  assert.deepEqual(model.spec.drawings, []);
  assert.equal(told('spec').length, 4);
});

test('a rectangle is drawn with keys: two corners', () => {
  const { model, press } = rig();
  press('ArrowLeft');
  press('b');
  press('Enter');
  press('ArrowLeft');
  press('ArrowLeft');
  press('ArrowUp');
  press('Enter');
  const [drawing] = model.spec.drawings;
  assert.ok(drawing?.kind === 'rectangle');
  assert.equal(BigInt(drawing.from.ns) - BigInt(drawing.to.ns), 2n * MINUTE);
  assert.ok(drawing.to.ticks > drawing.from.ticks);
});

test('a text asks for its words', () => {
  const { press, told } = rig();
  press('x');
  press('Enter');
  assert.deepEqual(told('edit-text'), [{ t: 'edit-text', key: 'd1' }]);
});

test('a range grows with Shift and arrows, and is kept as a drawing', () => {
  const { model, press, told } = rig();
  press('ArrowLeft');
  press('ArrowLeft', { shift: true });
  press('ArrowLeft', { shift: true });
  assert.deepEqual(model.range.columns, { from: 57, to: 60 });
  model.keepRange();
  const [drawing] = model.spec.drawings;
  assert.ok(drawing?.kind === 'range');
  assert.equal(BigInt(drawing.to.ns) - BigInt(drawing.from.ns), 2n * MINUTE);
  assert.equal(model.range.columns, null);
  assert.equal(told('range').length, 4);
});

test('the range tool takes its ends from two times Enter', () => {
  const { model, press } = rig();
  press('r');
  press('Enter');
  for (let step = 0; step < 3; step += 1) press('ArrowLeft');
  assert.deepEqual(model.range.columns, { from: 56, to: 60 });
  press('Enter');
  assert.equal(model.tool, 'crosshair');
  press('ArrowLeft');
  assert.deepEqual(model.range.columns, { from: 56, to: 60 });
});

test('Escape goes back one step at a time, then leaves the key to the page', () => {
  const { model, press } = rig();
  press('h');
  press('Enter');
  press('ArrowLeft', { shift: true });
  press('t');
  press('Enter');
  const steps = () => [
    model.drawings.isDrafting,
    model.tool !== 'crosshair',
    model.drawings.selected !== null,
    model.range.columns !== null,
    model.crosshair.isOwn,
  ];
  let left = steps().filter(Boolean).length;
  for (let step = 0; left > 0 && step < 8; step += 1) {
    assert.ok(press('Escape'));
    const now = steps().filter(Boolean).length;
    assert.ok(now < left, String(steps()));
    left = now;
  }
  assert.equal(left, 0);
  assert.equal(press('Escape'), false);
});

test('keys of the page are told to the page', () => {
  const { press, told } = rig();
  for (const key of ['v', 'w', '?', '/', ' ']) press(key);
  assert.deepEqual(
    told('command').map((event) => event.t === 'command' && event.command),
    ['table', 'wire', 'keys', 'indicators', 'play'],
  );
});

test('look and group change by keys', () => {
  const { model, press } = rig();
  press('2');
  assert.equal(model.spec.look, 'delta');
  press('g');
  assert.equal(model.spec.group, 1);
  press('g');
  assert.equal(model.spec.group, 2);
  for (let step = 0; step < 9; step += 1) press('g');
  assert.equal(model.spec.group, 'auto');
});

test('a drawing snaps to the high of its bar, and with Alt to nothing', () => {
  const it = rig();
  it.model.setTool('line');
  const { x, y } = point(it, 57, 22_007);
  const at = { x, y: y + 4 };
  const draw = { t: 'draw', hasMoved: false, ...at } as const;
  it.act({ ...draw, phase: 'begin', isFree: false }, { ...draw, phase: 'end', isFree: false });
  assert.deepEqual(
    it.model.spec.drawings.map((drawing) => 'ticks' in drawing && drawing.ticks),
    [22_007],
  );
  it.model.setTool('line');
  it.act({ ...draw, phase: 'begin', isFree: true }, { ...draw, phase: 'end', isFree: true });
  const [, free] = it.model.spec.drawings;
  assert.ok(free?.kind === 'line' && free.ticks < 22_007 && free.ticks > 22_006);
});

test('a drawing is found under the pointer and dragged', () => {
  const it = rig();
  it.model.setTool('line');
  const begin = point(it, 57, 22_005);
  const draw = { t: 'draw', hasMoved: false, isFree: false, ...begin } as const;
  it.act({ ...draw, phase: 'begin' }, { ...draw, phase: 'end' });
  const target = targetAt(it.model, { x: 40, y: begin.y + 2 }, false);
  assert.deepEqual(target, { t: 'drawing', key: 'd1', part: 'body' });
  const end = point(it, 57, 22_002);
  const move = { t: 'move-drawing', key: 'd1', part: 'body', isFree: false } as const;
  it.act(
    { ...move, ...begin, phase: 'begin' },
    { ...move, ...end, phase: 'move' },
    { ...move, ...end, phase: 'end' },
  );
  const [drawing] = it.model.spec.drawings;
  assert.ok(drawing?.kind === 'line' && drawing.ticks === 22_002);
});

test('a full chart refuses another drawing and says so', () => {
  const drawings = Array.from(
    { length: 60 },
    (_, at) => ({ key: `k${at}`, kind: 'line', text: '', ticks: at }) as const,
  );
  const { model, press, told } = rig({ drawings });
  press('h');
  press('Enter');
  assert.equal(model.spec.drawings.length, 60);
  assert.ok(told('say').some((event) => event.t === 'say' && /60 drawings/.test(event.text)));
});

test('older bars are asked for after a gesture only, and until the edge is out of view', () => {
  const { model, content, act, told, frame } = rig({}, 4);
  assert.equal(told('need-back').length, 0);
  act({ t: 'pan', dx: 5, dy: 0 });
  assert.equal(told('need-back').length, 1);
  content.edge = { t: 'loading' };
  model.takeContent();
  frame();
  assert.equal(told('need-back').length, 1);
  content.bars.putAll(Array.from({ length: 3 }, (_, at) => footprint(at - 3)));
  content.edge = { t: 'more' };
  model.takeContent();
  frame();
  assert.equal(told('need-back').length, 2);
  content.bars.putAll(Array.from({ length: 100 }, (_, at) => footprint(at - 103)));
  model.takeContent();
  frame();
  frame();
  assert.equal(told('need-back').length, 2);
});

test('a chart that is to be filled asks for older bars at its opening, until the edge is out of view', () => {
  const content = new ChartContent();
  const events: ModelEvent[] = [];
  const hear = (event: ModelEvent) => events.push(event);
  const model = new ViewModel(
    { content, parts, hear, spec: DEFAULT_CHART, isFilled: true },
    { width: 1200, height: 800 },
  );
  const asked = () => events.filter(({ t }) => t === 'need-back').length;
  const show = (from: number, count: number) => {
    content.bars.putAll(Array.from({ length: count }, (_, at) => footprint(from + at)));
    model.takeContent();
    model.frame(0, false);
  };
  model.frame(0, false);
  assert.equal(asked(), 0);
  show(0, 4);
  assert.equal(asked(), 1);
  show(-3, 3);
  assert.equal(asked(), 2);
  show(-103, 100);
  show(4, 1);
  assert.equal(asked(), 2);
});

test('Home leaves room for the words where nothing older comes', () => {
  const { model, content, press, frame } = rig();
  press('Home');
  const left = () => model.viewport.window.right * model.viewport.window.columnWidth;
  assert.ok(Math.abs(left() - model.layout.plotWidth) < 1);
  content.edge = { t: 'hem', why: 'start' };
  model.takeContent();
  frame();
  press('Home');
  assert.ok(model.scene!.hem!.width > 200, String(model.scene!.hem?.width));
});

test('a linked chart is told the price that the crosshair’s own tag has', () => {
  const { model, press } = rig({ group: 2 });
  press('ArrowLeft');
  press('ArrowUp');
  assert.ok(model.scene!.cell.numbers > 0);
  const { ticks } = model.ownHover!;
  const own = model.crosshair.ticks(model.viewport.window, model.layout)!;
  assert.equal(ticks, Math.floor(own / 2) * 2);
});

test('range, crosshair and drawings stay with their bars when older ones are put in front', () => {
  const it = rig();
  it.press('ArrowLeft');
  it.press('ArrowLeft', { shift: true });
  const before = it.model.ownHover;
  it.content.bars.putAll(Array.from({ length: 20 }, (_, at) => footprint(at - 20)));
  it.model.takeContent();
  it.frame();
  assert.deepEqual(it.model.range.columns, { from: 78, to: 80 });
  assert.equal(it.model.ownHover?.ns, before?.ns);
  assert.equal(it.model.ownHover?.column, before!.column + 20);
});

test('the corners of a chart are told apart', () => {
  const { model } = rig();
  const { plotWidth, timeAxis } = model.layout;
  assert.equal(groundAt(model, { x: 10, y: 10 }), 'plot');
  assert.equal(groundAt(model, { x: plotWidth + 20, y: 10 }), 'price-axis');
  assert.equal(groundAt(model, { x: 10, y: timeAxis.y + 3 }), 'time-axis');
  assert.equal(groundAt(model, { x: plotWidth + 20, y: timeAxis.y + 3 }), 'zone');
});

test('a chart without bars answers every key and gesture', () => {
  const { model, press, act } = rig({}, 0);
  for (const key of ['ArrowLeft', 'ArrowUp', 'Home', 'End', '+', 'a', 'h', 'Enter', 'r', 'Enter']) {
    press(key);
  }
  const draw = { t: 'draw', hasMoved: true, isFree: false, x: 100, y: 100 } as const;
  act(
    { t: 'hover', x: 100, y: 100 },
    { t: 'pan', dx: 50, dy: 20 },
    { t: 'range', phase: 'begin', edge: null, x: 10, y: 10 },
    { ...draw, phase: 'begin' },
    { ...draw, phase: 'end' },
  );
  assert.deepEqual(model.spec.drawings, []);
});
