import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Announcer } from './announcer.ts';

function screen(isTerminal: boolean) {
  const written: string[] = [];
  const announcer = new Announcer({ isTerminal, write: (text) => written.push(text) });
  return { announcer, text: () => written.join('') };
}

test('without a terminal progress is a plain line at every tenth', () => {
  const { announcer, text } = screen(false);
  for (let done = 0; done <= 40; done += 1) announcer.progress('days', done, 40);
  const lines = text().trimEnd().split('\n');
  assert.equal(lines.length, 11);
  assert.equal(lines[0], 'days: 0 of 40');
  assert.equal(lines.at(-1), 'days: 40 of 40');
  assert.ok(!text().includes('\x1b'));
});

test('on a terminal the bar stays below what is said meanwhile, and ends on its own line', () => {
  const { announcer, text } = screen(true);
  announcer.progress('days', 1, 2);
  announcer.say('hello');
  announcer.progress('days', 2, 2);
  announcer.say('done');
  const half = `days ${'█'.repeat(15)}${'░'.repeat(15)} 1/2`;
  const full = `days ${'█'.repeat(30)} 2/2`;
  assert.equal(text(), `${half}\r\x1b[2Khello\n${half}\r\x1b[2K${full}\ndone\n`);
});
