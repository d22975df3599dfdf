import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textFrame } from '@tapeloom/server/topics/text-frame';
import fc from 'fast-check';
import { FrameCounter } from './frame-counter.ts';

const kinds = fc.constantFrom('upsert', 'remove', 'snapshot', 'status', 'hb');
const messages = fc.array(fc.tuple(kinds, fc.constantFrom(0, 90, 200, 70_000)), { maxLength: 12 });

test('every message is counted once, wherever the bytes are cut', () => {
  fc.assert(
    fc.property(
      messages,
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
      (all, cuts) => {
        const frames = all.map(([t, more]) =>
          textFrame(JSON.stringify({ t, more: 'x'.repeat(more) })),
        );
        const close = Buffer.from([0x88, 2, 0x0f, 0xa8]);
        const bytes = Buffer.concat([...frames, close]);
        const counter = new FrameCounter();
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const end = at + cuts[turn % cuts.length]!;
          counter.take(bytes.subarray(at, end));
          at = end;
        }
        const countOf = (kind: string) => all.filter(([t]) => t === kind).length;
        assert.equal(counter.upserts, countOf('upsert'));
        assert.equal(counter.snapshots, countOf('snapshot'));
        assert.equal(counter.upserts + counter.others, all.length);
        assert.equal(counter.bytes, bytes.length);
        assert.equal(counter.closeCode, 4008);
      },
    ),
    { numRuns: 50 },
  );
});
