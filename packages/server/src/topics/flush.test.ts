import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { frameTexts } from '../../../../simulation/stream/server-frames.ts';
import { Flush, type FrameEntry } from './flush.ts';
import { textFrame } from './text-frame.ts';

test('a text of any length comes back out of its frame', () => {
  for (const length of [0, 1, 125, 126, 127, 65_535, 65_536, 200_000]) {
    assert.deepEqual(
      frameTexts(textFrame('é'.repeat(length / 2).padEnd(length / 2, 'x'))).length,
      1,
    );
    const text = 'x'.repeat(length);
    assert.deepEqual(frameTexts(textFrame(text)), [text]);
  }
});

test('every passing message of a flush is there once, whole and in order, together and one by one', () => {
  const message = fc.record({
    kind: fc.constantFrom('upsert' as const, 'remove' as const),
    final: fc.boolean(),
    text: fc.oneof(fc.string(), fc.constantFrom('x'.repeat(100), 'é'.repeat(40_000))),
  });
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 8 }),
      fc.string({ minLength: 1, maxLength: 64 }),
      fc.constantFrom('live' as const, 'confirmed' as const),
      (messages, sub, mode) => {
        const rests = messages.map(({ text }) => Buffer.from(`,"text":${JSON.stringify(text)}}`));
        let end = 0;
        const entries = messages.map(({ kind, final }, index): FrameEntry => {
          const start = end;
          end += rests[index]!.length;
          return { kind, final, id: `${index}`, cursor: '20261112.1.1', start, end };
        });
        const flush = new Flush(entries, Buffer.concat(rests));
        const frames = flush.framesFor(sub, mode);
        const expected = messages
          .filter(({ final }) => final || mode === 'live')
          .map(({ kind, text }) => ({ t: kind, sub, text }));
        assert.equal(frames?.messages ?? 0, expected.length);
        const got = frames === null ? [] : frameTexts(frames.bytes).map((text) => JSON.parse(text));
        assert.deepEqual(got, expected);
        const single = [...flush.messagesFor(sub, mode)];
        const bytes = single.map((message) => message.bytes);
        assert.deepEqual(Buffer.concat(bytes), frames?.bytes ?? Buffer.alloc(0));
        assert.deepEqual(
          single.map((it) => [it.kind, it.sub, JSON.parse(frameTexts(it.bytes)[0]!)]),
          expected.map((it) => [it.t, sub, it]),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test('subscribers with one name and mode share one encoding', () => {
  const rest = Buffer.from(',"cursor":"20261112.1.1"}');
  const entry = { kind: 'upsert', id: 'a', final: true, cursor: '20261112.1.1' } as const;
  const flush = new Flush([{ ...entry, start: 0, end: rest.length }], rest);
  assert.equal(flush.framesFor('a', 'live'), flush.framesFor('a', 'live'));
  assert.notEqual(flush.framesFor('a', 'live'), flush.framesFor('b', 'live'));
  const held = () => flush.messagesFor('a', 'live')[0]!.held;
  assert.equal(held(), held(), 'what those of them keep that are behind');
  const kept = new Flush(flush.entries, rest, 1);
  assert.notEqual(kept.messagesFor('a', 'live'), kept.messagesFor('a', 'live'));
});
