import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { onStopSignals } from './stop-signals.ts';

function signals() {
  const source = new EventEmitter();
  const said: string[] = [];
  let ms = 5;
  const handlers = {
    onFirst: (signal: string) => said.push(signal),
    onAgain: () => said.push('again'),
  };
  onStopSignals(handlers, source, () => ms);
  const at = (time: number, signal: string) => {
    ms = 5 + time;
    source.emit(signal, signal);
    return said.splice(0);
  };
  return { at };
}

test('the first signal asks for a clean stop, a later one for the end at once', () => {
  for (const [first, second] of [
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
    ['SIGTERM', 'SIGINT'],
  ] as const) {
    const { at } = signals();
    assert.deepEqual(at(0, first), [first]);
    assert.deepEqual(at(1_000, second), ['again']);
    assert.deepEqual(at(1_001, second), ['again']);
  }
});

test('a ctrl-c that npm passes on as well counts once', () => {
  const { at } = signals();
  assert.deepEqual(at(0, 'SIGINT'), ['SIGINT']);
  assert.deepEqual(at(0, 'SIGINT'), []);
  assert.deepEqual(at(999, 'SIGINT'), []);
  assert.deepEqual(at(1_500, 'SIGINT'), ['again']);
});
