import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CountedLines } from './counted-lines.ts';
import { TextLines } from './text-lines.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

test('lines are the same wherever the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', '|'))),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (lines, steps) => {
        const bytes = bytesOf(lines.map((line) => `${line}\n`).join(''));
        const reader = new TextLines();
        const read: string[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const end = at + steps[turn % steps.length]!;
          read.push(...reader.push(bytes.subarray(at, end)));
          at = end;
        }
        assert.deepEqual(read, lines);
      },
    ),
  );
});

test('a line without an end is refused at the limit, however it comes', () => {
  const reader = new TextLines(1_000);
  const piece = new Uint8Array(100).fill(0x78);
  for (let length = 0; length < 1_000; length += 100) assert.deepEqual(reader.push(piece), []);
  assert.throws(() => reader.push(piece), { code: 'INVALID_RESPONSE', message: /1,000 bytes/ });
  const counted = new CountedLines(1_000);
  for (let length = 0; length < 1_000; length += 100) counted.push(piece);
  assert.throws(() => counted.push(piece), { code: 'INVALID_RESPONSE' });
  const within = new TextLines(10);
  assert.deepEqual(within.push(bytesOf('short\nten signs')), ['short']);
  assert.throws(() => within.push(bytesOf('..')), { code: 'INVALID_RESPONSE' });
});
