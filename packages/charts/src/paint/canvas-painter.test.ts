import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeScene, wholeScene } from '../../testing/made-scene.ts';
import { paint, Shapes } from '../scene/shapes.ts';
import { type PaintContext, paintCanvas } from './canvas-painter.ts';
import { THEMES } from './themes.ts';

type Call = readonly [name: string, ...values: unknown[]];

/** Notes every call and every colour. */
function notingContext(): { context: PaintContext; calls: Call[] } {
  const calls: Call[] = [];
  const context = new Proxy({} as Record<string, unknown>, {
    get:
      (_, name) =>
      (...values: unknown[]) =>
        calls.push([String(name), ...values]),
    set: (_, name, value) => {
      calls.push([`${String(name)} =`, value]);
      return true;
    },
  });
  return { context: context as unknown as PaintContext, calls };
}

function painted(
  draw: (shapes: Shapes) => void,
  pixelRatio = 1,
  theme: 'light' | 'dark' = 'light',
) {
  const shapes = new Shapes();
  draw(shapes);
  const { context, calls } = notingContext();
  paintCanvas(context, shapes.batches, THEMES[theme], pixelRatio);
  return calls;
}

test('a chart is painted with finite numbers, and everything saved is restored', () => {
  for (const columnWidth of [4, 24, 110]) {
    const { context, calls } = notingContext();
    paintCanvas(context, wholeScene(madeScene(40, { columnWidth })).batches, THEMES.dark, 2);
    const numbers = calls.flat().filter((value) => typeof value === 'number');
    assert.ok(numbers.every(Number.isFinite));
    const count = (name: string) => calls.filter(([each]) => each === name).length;
    assert.equal(count('save'), count('restore'));
    assert.ok(count('fillText') > 10);
  }
});

test('whole pixel ratios scale, fractions snap to whole device pixels', () => {
  const draw = (shapes: Shapes) => shapes.rect(paint('ask'), 1, 2.2, 3, 1);
  const whole = painted(draw, 2);
  assert.ok(whole.some((call) => call[0] === 'setTransform' && call[1] === 2));
  assert.deepEqual(
    whole.find(([name]) => name === 'fillRect'),
    ['fillRect', 1, 2.2, 3, 1],
  );
  const fraction = painted(draw, 1.25);
  assert.deepEqual(
    fraction.find(([name]) => name === 'fillRect'),
    ['fillRect', 1, 3, 4, 1],
  );
});

test('a tone has the opacity of its theme', () => {
  const draw = (shapes: Shapes) => shapes.rect(paint('ask', 0.2, 0.34), 0, 0, 1, 1);
  const colour = (theme: 'light' | 'dark') =>
    painted(draw, 1, theme).find(([name]) => name === 'fillStyle =')?.[1];
  assert.equal(colour('light'), 'rgb(8 119 156 / 0.2)');
  assert.equal(colour('dark'), 'rgb(77 196 234 / 0.34)');
});

test('what a theme does not show is not painted', () => {
  const calls = painted((shapes) => shapes.rect(paint('page', 0, 0.75), 0, 0, 1, 1));
  assert.equal(calls.filter(([name]) => name === 'fillRect').length, 0);
});
