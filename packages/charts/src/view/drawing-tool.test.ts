import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ColumnTimes, DRAWING_TEXT_MAX, DrawingTool } from './drawing-tool.ts';

/** One column a second. */
const TIMES: ColumnTimes = {
  columnOf: (ns) => Number(ns / 1_000_000_000n),
  nsOf: (column) => BigInt(column) * 1_000_000_000n,
};

function tool(): DrawingTool {
  return new DrawingTool([], TIMES);
}

function at(column: number, ticks: number) {
  return { ns: TIMES.nsOf(column), ticks };
}

test('a line is drawn by one click and follows until the release', () => {
  const drawings = tool();
  drawings.begin('line', at(3, 100));
  drawings.stretch(at(4, 104));
  assert.deepEqual(drawings.all, [{ key: 'd1', kind: 'line', text: '', ticks: 104 }]);
  assert.equal(drawings.saved.length, 0);
  assert.equal(drawings.finish(at(4, 105), true)?.kind, 'line');
  assert.deepEqual(drawings.saved, [{ key: 'd1', kind: 'line', text: '', ticks: 105 }]);
  assert.equal(drawings.selected?.key, 'd1');
});

test('a rectangle is drawn by a drag, or by two clicks', () => {
  const expected = {
    kind: 'rectangle',
    text: '',
    from: { ns: '1000000000', ticks: 10 },
    to: { ns: '5000000000', ticks: 30 },
  };
  const dragged = tool();
  dragged.begin('rectangle', at(1, 10));
  dragged.stretch(at(2, 20));
  dragged.finish(at(5, 30), true);
  assert.deepEqual(dragged.saved, [{ key: 'd1', ...expected }]);
  const clicked = tool();
  clicked.begin('rectangle', at(1, 10));
  assert.equal(clicked.finish(at(1, 10), false), null);
  assert.ok(clicked.isDrafting);
  clicked.stretch(at(3, 20));
  clicked.begin('rectangle', at(5, 30));
  assert.notEqual(clicked.finish(at(5, 30), false), null);
  assert.deepEqual(clicked.saved, [{ key: 'd1', ...expected }]);
});

test('two clicks at one place draw nothing', () => {
  const drawings = tool();
  for (let click = 0; click < 2; click += 1) {
    drawings.begin('trend', at(1, 10));
    drawings.finish(at(1, 10), false);
  }
  assert.deepEqual(drawings.all, []);
  assert.ok(!drawings.isDrafting);
});

test('a draft that is cancelled leaves nothing', () => {
  const drawings = tool();
  drawings.begin('measure', at(1, 10));
  assert.ok(drawings.cancel());
  assert.deepEqual(drawings.all, []);
  assert.ok(!drawings.cancel());
  assert.ok(!drawings.canUndo);
});

test('a drawing moves as a whole by columns and ticks, or by one of its corners', () => {
  const drawings = tool();
  drawings.begin('rectangle', at(1, 10));
  drawings.finish(at(5, 30), true);
  drawings.grab('d1', 'body', at(2, 20));
  drawings.drag(at(4, 25));
  drawings.drop();
  const spans = () => {
    const [drawing] = drawings.saved;
    assert.ok(drawing !== undefined && 'from' in drawing);
    return [drawing.from, drawing.to].map(({ ns, ticks }) => [
      Number(BigInt(ns) / 10n ** 9n),
      ticks,
    ]);
  };
  assert.deepEqual(spans(), [
    [3, 15],
    [7, 35],
  ]);
  drawings.grab('d1', 'from-to', at(3, 35));
  drawings.drag(at(2, 40));
  drawings.drop();
  assert.deepEqual(spans(), [
    [2, 15],
    [7, 40],
  ]);
});

test('a drag that is cancelled or comes back changes nothing', () => {
  const drawings = tool();
  drawings.begin('line', at(1, 10));
  drawings.finish(at(1, 10), false);
  const before = drawings.saved;
  drawings.grab('d1', 'body', at(1, 10));
  drawings.drag(at(1, 20));
  drawings.cancel();
  assert.equal(drawings.saved, before);
  drawings.grab('d1', 'body', at(1, 10));
  drawings.drag(at(1, 20));
  drawings.drag(at(1, 10));
  drawings.drop();
  assert.equal(drawings.saved, before);
});

test('every change can be undone and done again', () => {
  const drawings = tool();
  drawings.begin('line', at(1, 10));
  drawings.finish(at(1, 10), false);
  drawings.nudge(0, 3);
  drawings.setText('d1', ' Sold here twice ');
  drawings.remove('d1');
  assert.deepEqual(drawings.saved, []);
  drawings.undo();
  assert.deepEqual(drawings.saved, [
    { key: 'd1', kind: 'line', text: 'Sold here twice', ticks: 13 },
  ]);
  drawings.undo();
  drawings.undo();
  assert.deepEqual(drawings.saved, [{ key: 'd1', kind: 'line', text: '', ticks: 10 }]);
  drawings.undo();
  assert.deepEqual(drawings.saved, []);
  assert.ok(!drawings.undo());
  for (let step = 0; step < 4; step += 1) assert.ok(drawings.redo());
  assert.deepEqual(drawings.saved, []);
  assert.ok(!drawings.redo());
});

test('a change after an undo ends what could be done again', () => {
  const drawings = tool();
  drawings.begin('line', at(1, 10));
  drawings.finish(at(1, 10), false);
  drawings.undo();
  drawings.begin('line', at(1, 20));
  drawings.finish(at(1, 20), false);
  assert.ok(!drawings.redo());
});

test('a text without letters is removed, and a long one is cut', () => {
  const drawings = tool();
  drawings.begin('text', at(1, 10));
  drawings.finish(at(1, 10), false);
  drawings.setText('d1', 'x'.repeat(1000));
  assert.equal(drawings.selected?.text.length, DRAWING_TEXT_MAX);
  drawings.setText('d1', '   ');
  assert.deepEqual(drawings.saved, []);
});

test('drawings are selected one after the other', () => {
  const drawings = tool();
  for (const ticks of [10, 20]) {
    drawings.begin('line', at(1, ticks));
    drawings.finish(at(1, ticks), false);
  }
  drawings.select(null);
  assert.equal(drawings.selectNext()?.key, 'd1');
  assert.equal(drawings.selectNext()?.key, 'd2');
  assert.equal(drawings.selectNext(), null);
  drawings.select('unknown');
  assert.equal(drawings.selected, null);
});

test('drawings of another layout replace all, and cannot be undone', () => {
  const drawings = tool();
  drawings.begin('line', at(1, 10));
  drawings.finish(at(1, 10), false);
  drawings.load([]);
  assert.deepEqual(drawings.all, []);
  assert.equal(drawings.selected, null);
  assert.ok(!drawings.undo());
});
