import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Announcer } from './announcer.ts';

function rig() {
  const said: string[] = [];
  let now = 5000;
  let waiting: { at: number; call: () => void } | null = null;
  const announcer = new Announcer(
    {
      now: () => now,
      after(ms, call) {
        waiting = { at: now + ms, call };
        return {
          cancel() {
            waiting = null;
          },
        };
      },
    },
    (text) => said.push(text),
  );
  const pass = (ms: number) => {
    now += ms;
    if (waiting === null || waiting.at > now) return;
    const { call } = waiting;
    waiting = null;
    call();
  };
  return { announcer, said, pass };
}

test('the first text is read at once, of the next ones the last after a second', () => {
  const { announcer, said, pass } = rig();
  announcer.say('one');
  announcer.say('two');
  pass(300);
  announcer.say('three');
  assert.deepEqual(said, ['one']);
  pass(700);
  assert.deepEqual(said, ['one', 'three']);
  pass(2000);
  announcer.say('four');
  assert.deepEqual(said, ['one', 'three', 'four']);
});

test('nothing is read after the end', () => {
  const { announcer, said, pass } = rig();
  announcer.say('one');
  announcer.say('two');
  announcer.stop();
  pass(2000);
  assert.deepEqual(said, ['one']);
});
