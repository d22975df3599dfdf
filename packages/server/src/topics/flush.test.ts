import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank } from '@tapeloom/core/numbers';
import { utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { frameTexts } from '../../testing/stream/server-frames.ts';
import { BlockWriter } from '../blocks/block-writer.ts';
import { Flush } from './flush.ts';
import { textFrame } from './text-frame.ts';

const AT = { day: utcDay(20261112), rank: 1 as Rank, k: 1 };

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
        const writer = new BlockWriter(64, 1);
        for (const [index, { kind, final, text }] of messages.entries()) {
          writer.add(
            kind,
            final,
            AT,
            JSON.stringify({ id: `${index}`, final, text }).slice(1, -1),
            0,
          );
        }
        const flush = new Flush(writer.take(AT.day));
        const frames = flush.framesFor(sub, mode);
        const expected = messages
          .map(({ kind, final, text }, index) => {
            return { t: kind, sub, cursor: '20261112.1.1', id: `${index}`, final, text };
          })
          .filter(({ final }) => final || mode === 'live');
        assert.equal(frames?.messages ?? 0, expected.length);
        const got = frames === null ? [] : frameTexts(frames.bytes).map((text) => JSON.parse(text));
        assert.deepEqual(got, expected);
        const single = [...flush.messagesFor(sub, mode)];
        const bytes = single.map((message) => message.bytes);
        assert.deepEqual(Buffer.concat(bytes), frames?.bytes ?? Buffer.alloc(0));
        assert.deepEqual(
          single.map((it) => [
            it.kind,
            it.sub,
            it.versionKey,
            JSON.parse(frameTexts(it.bytes)[0]!),
          ]),
          expected.map((it) => [it.t, sub, `${it.id}\n${sub}`, it]),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test('subscribers with one name and mode share one encoding', () => {
  const writer = new BlockWriter(64, 1);
  writer.upsert({ id: 'a', final: true, ts: '1', data: {} }, AT, 0);
  const flush = new Flush(writer.take(AT.day));
  assert.equal(flush.framesFor('a', 'live'), flush.framesFor('a', 'live'));
  assert.notEqual(flush.framesFor('a', 'live'), flush.framesFor('b', 'live'));
  const held = () => flush.messagesFor('a', 'live')[0]!.held;
  assert.equal(held(), held(), 'what those of them keep that are behind');
  const kept = new Flush(flush.block, 1);
  assert.notEqual(kept.messagesFor('a', 'live'), kept.messagesFor('a', 'live'));
});
