import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyAction } from './keys.ts';

function press(key: string, held = '') {
  return keyAction({
    key,
    altKey: held.includes('alt'),
    ctrlKey: held.includes('ctrl'),
    metaKey: held.includes('meta'),
    shiftKey: held.includes('shift'),
  });
}

test('every key of the list does what the list says', () => {
  assert.deepEqual(press('ArrowLeft'), { t: 'bar', by: -1 });
  assert.deepEqual(press('ArrowUp'), { t: 'row', by: 1 });
  assert.deepEqual(press('ArrowRight', 'alt'), { t: 'half-screen', by: 1 });
  assert.equal(press('+')?.t, 'zoom-time');
  assert.equal(press('-')?.t, 'zoom-time');
  assert.equal(press('-', 'alt')?.t, 'zoom-price');
  assert.deepEqual(press('Home'), { t: 'home' });
  assert.deepEqual(press('End'), { t: 'end' });
  assert.deepEqual(press('a'), { t: 'fit' });
  assert.deepEqual(press('3'), { t: 'look', look: 'volume' });
  assert.deepEqual(press('g'), { t: 'next-group' });
  const tools = ['r', 'h', 't', 'b', 'x', 'm'].map((key) => press(key));
  assert.deepEqual(
    tools.map((action) => action?.t === 'tool' && action.tool),
    ['range', 'line', 'trend', 'rectangle', 'text', 'measure'],
  );
  const commands = ['/', ' ', ',', '.', 'w', 'v', 'f', '?'].map((key) => press(key));
  assert.deepEqual(
    commands.map((action) => action?.t === 'command' && action.command),
    ['indicators', 'play', 'step-back', 'step-on', 'wire', 'table', 'full-screen', 'keys'],
  );
  assert.deepEqual(press('Escape'), { t: 'escape' });
});

test('capital letters are the same keys, since Caps Lock may be on', () => {
  assert.deepEqual(press('A'), press('a'));
  assert.deepEqual(press('V', 'shift'), press('v'));
});

test('Ctrl and Meta undo and redo, and leave everything else to the browser', () => {
  assert.deepEqual(press('z', 'ctrl'), { t: 'undo' });
  assert.deepEqual(press('Z', 'ctrl shift'), { t: 'redo' });
  assert.deepEqual(press('y', 'meta'), { t: 'redo' });
  for (const key of ['f', 'r', 't', '+', 'ArrowLeft']) assert.equal(press(key, 'ctrl'), null);
});

test('Tab and unknown keys are not the chart’s', () => {
  for (const key of ['Tab', 'PageUp', 'q', 'ö', 'F5', '__proto__', 'constructor']) {
    assert.equal(press(key), null);
  }
});
