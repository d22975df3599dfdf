import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type GestureAction,
  type GestureContext,
  type GestureInput,
  Gestures,
  type PointerDown,
} from './gestures.ts';

const AT_REST: GestureContext = { isAutoFit: true, tool: 'crosshair' };

function down(x: number, y: number, more: Partial<PointerDown> = {}): PointerDown {
  return {
    t: 'down',
    id: 1,
    kind: 'mouse',
    ground: 'plot',
    target: { t: 'none' },
    hasShift: false,
    hasAlt: false,
    ms: 0,
    ...{ x, y },
    ...more,
  };
}

function move(x: number, y: number, ms = 16, id = 1): GestureInput {
  return { t: 'move', id, x, y, ms, hasAlt: false };
}

function up(x: number, y: number, ms = 32, id = 1): GestureInput {
  return { t: 'up', id, x, y, ms, hasAlt: false };
}

function wheel(more: Partial<GestureInput & { t: 'wheel' }>): GestureInput {
  return {
    t: 'wheel',
    ...{ x: 300, y: 100, dx: 0, dy: 0, mode: 0, ground: 'plot' },
    ...{ hasShift: false, hasAlt: false, hasControl: false },
    ...more,
  };
}

function play(inputs: readonly GestureInput[], context = AT_REST): GestureAction[] {
  const gestures = new Gestures();
  return inputs.flatMap((input) => gestures.take(input, context));
}

function kinds(actions: readonly GestureAction[]): string[] {
  return actions.map(({ t }) => t);
}

test('a mouse that moves without a button moves the crosshair', () => {
  assert.deepEqual(play([move(10, 20)]), [{ t: 'hover', x: 10, y: 20 }]);
  assert.deepEqual(play([{ t: 'leave' }]), [{ t: 'leave' }]);
});

test('a press that wanders less than three pixels is a press, not a drag', () => {
  const actions = play([down(10, 20), move(12, 21), up(12, 21)]);
  assert.deepEqual(kinds(actions), ['still', 'press']);
});

test('a drag pans in time, and in price only beyond 14 vertical pixels while prices fit', () => {
  const pans = play([down(100, 100), move(110, 110), move(130, 116), move(130, 126)]).filter(
    (action) => action.t === 'pan',
  );
  assert.deepEqual(
    pans.map(({ dx, dy }) => [dx, dy]),
    [
      [10, 0],
      [20, 0],
      [0, 10],
    ],
  );
});

test('a drag moves prices at once when they do not fit by themselves', () => {
  const actions = play([down(100, 100), move(100, 104)], { ...AT_REST, isAutoFit: false });
  assert.deepEqual(actions[1], { t: 'pan', dx: 0, dy: 4 });
});

test('a thrown chart glides; one that rested before the release does not', () => {
  const thrown = play([down(100, 100), move(120, 100, 10), move(150, 100, 20), up(150, 100, 24)]);
  const glide = thrown.at(-1);
  assert.ok(glide?.t === 'glide' && glide.speed > 1);
  const rested = play([down(100, 100), move(120, 100, 10), move(150, 100, 20), up(150, 100, 200)]);
  assert.ok(!kinds(rested).includes('glide'));
});

test('a new press stops a glide', () => {
  assert.equal(play([down(1, 1)])[0]?.t, 'still');
});

test('a wheel zooms time at the pointer, up is nearer', () => {
  const [zoom] = play([wheel({ dy: -100 })]);
  assert.ok(zoom?.t === 'zoom-time' && zoom.factor > 1 && zoom.x === 300);
  const [away] = play([wheel({ dy: 100 })]);
  assert.ok(away?.t === 'zoom-time' && away.factor < 1);
});

test('a sideways wheel, or one with Shift, pans', () => {
  assert.deepEqual(play([wheel({ dx: 30, dy: 4 })])[0], { t: 'pan', dx: -30, dy: 0 });
  assert.deepEqual(play([wheel({ dy: 50, hasShift: true })])[0], { t: 'pan', dx: -50, dy: 0 });
});

test('a wheel with Alt, or on the axis, zooms price', () => {
  assert.equal(play([wheel({ dy: -100, hasAlt: true })])[0]?.t, 'zoom-price');
  assert.equal(play([wheel({ dy: -100, ground: 'price-axis' })])[0]?.t, 'zoom-price');
});

test('a pinch on a touchpad, which arrives as a wheel with Ctrl, zooms more a step', () => {
  const [wheeled] = play([wheel({ dy: -10 })]);
  const [pinched] = play([wheel({ dy: -10, hasControl: true })]);
  assert.ok(wheeled?.t === 'zoom-time' && pinched?.t === 'zoom-time');
  assert.ok(pinched.factor > wheeled.factor);
});

test('lines of a wheel count as pixels', () => {
  const [lines] = play([wheel({ dy: -3, mode: 1 })]);
  const [pixels] = play([wheel({ dy: -48 })]);
  assert.deepEqual(lines, pixels);
});

test('drags on the axes zoom them', () => {
  const [, price] = play([down(900, 100, { ground: 'price-axis' }), move(900, 80)]);
  assert.ok(price?.t === 'zoom-price' && price.factor > 1);
  const [, time] = play([down(300, 580, { ground: 'time-axis' }), move(260, 580)]);
  assert.ok(time?.t === 'zoom-time' && time.factor > 1);
});

test('a double click fits prices', () => {
  assert.deepEqual(play([{ t: 'double', x: 1, y: 1, ground: 'plot' }]), [{ t: 'fit' }]);
});

test('a click on the zone chooses the next one', () => {
  const zone = down(900, 590, { ground: 'zone' });
  assert.deepEqual(kinds(play([zone, up(900, 590)])), ['still', 'next-zone']);
});

test('Shift + drag draws a range, and its edge can be taken again', () => {
  const actions = play([down(100, 50, { hasShift: true }), move(200, 60), up(200, 60)]);
  assert.deepEqual(
    actions
      .filter((action) => action.t === 'range')
      .map((action) => [action.phase, action.edge, action.x]),
    [
      ['begin', null, 100],
      ['move', null, 200],
      ['end', null, 200],
    ],
  );
  const target = { t: 'range-edge', edge: 'to' } as const;
  const edged = play([down(200, 50, { target }), move(250, 50), up(250, 50)]);
  assert.ok(edged.some((action) => action.t === 'range' && action.edge === 'to'));
});

test('a tool draws from press to release', () => {
  const context: GestureContext = { isAutoFit: true, tool: 'draw' };
  const actions = play([down(10, 10), move(60, 40), up(60, 40)], context);
  assert.deepEqual(
    actions
      .filter((action) => action.t === 'draw')
      .map((action) => [action.phase, action.hasMoved]),
    [
      ['begin', false],
      ['move', true],
      ['end', true],
    ],
  );
});

test('a drawing is selected by a press and moved by a drag', () => {
  const target = { t: 'drawing', key: 'a', part: 'body' } as const;
  assert.equal(play([down(5, 5, { target }), up(5, 5)]).at(-1)?.t, 'press');
  const dragged = play([down(5, 5, { target }), move(25, 5), up(25, 5)]);
  assert.deepEqual(
    dragged.filter((action) => action.t === 'move-drawing').map(({ phase }) => phase),
    ['begin', 'move', 'end'],
  );
});

test('two fingers pinch: they zoom and pan, and one that stays does not throw the chart', () => {
  const touch = { kind: 'touch' } as const;
  const actions = play([
    down(100, 100, touch),
    down(200, 100, { ...touch, id: 2 }),
    move(300, 100, 16, 2),
    up(300, 100, 20, 2),
    up(100, 100, 24, 1),
  ]);
  const zoom = actions.find((action) => action.t === 'zoom-time');
  assert.ok(zoom !== undefined && Math.abs(zoom.factor - 2) < 1e-9 && zoom.x === 200);
  assert.ok(actions.some((action) => action.t === 'pan' && action.dx === 50));
  assert.ok(!kinds(actions).includes('glide'));
  assert.ok(!kinds(actions).includes('press'));
});

test('a second finger takes back a drawing that had begun', () => {
  const touch = { kind: 'touch' } as const;
  const actions = play([down(100, 100, touch), down(200, 100, { ...touch, id: 2 })], {
    isAutoFit: true,
    tool: 'draw',
  });
  assert.ok(actions.some((action) => action.t === 'draw' && action.phase === 'cancel'));
});

test('a finger that rests sets the crosshair and moves it from then on', () => {
  const actions = play([
    down(100, 100, { kind: 'touch' }),
    { t: 'timer', ms: 460 },
    move(140, 120, 480),
    up(140, 120, 500),
  ]);
  assert.deepEqual(actions, [
    { t: 'still' },
    { t: 'wait', ms: 450 },
    { t: 'hover', x: 100, y: 100 },
    { t: 'hover', x: 140, y: 120 },
  ]);
});

test('a finger that moved before does not set the crosshair', () => {
  const actions = play([
    down(100, 100, { kind: 'touch' }),
    move(140, 100),
    { t: 'timer', ms: 460 },
  ]);
  assert.ok(!kinds(actions).includes('hover'));
});

test('a cancelled pointer leaves nothing behind', () => {
  const gestures = new Gestures();
  gestures.take(down(10, 10), AT_REST);
  gestures.take({ t: 'cancel', id: 1 }, AT_REST);
  assert.ok(gestures.isIdle);
  assert.deepEqual(gestures.take(move(20, 20), AT_REST), [{ t: 'hover', x: 20, y: 20 }]);
});
