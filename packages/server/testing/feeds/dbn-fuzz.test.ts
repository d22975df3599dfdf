import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzDbn, seedFiles } from './dbn-fuzz.ts';
import { readDbn } from './dbn-reading.ts';

test('20,000 mutations of DBN files are read or refused, whatever is wrong with them', (t) => {
  const outcome = fuzzDbn(20_000, 1);
  t.diagnostic(JSON.stringify(outcome));
  // A meaningful run includes both results, and many reasons.
  assert.ok(outcome.read > 1_000 && outcome.refused > 1_000 && outcome.sentences > 20);
});

test('a small file cut at every byte is refused, unless it ends between two records', () => {
  for (const file of seedFiles()) {
    const whole = readDbn([file]);
    // Definition files are rejected, whole or cut.
    if (whole.refusal !== null) continue;
    const ends = recordEnds(file);
    for (let length = 0; length < file.length; length += 1) {
      const { refusal, trades, row } = readDbn([file.subarray(0, length)]);
      const records = ends.filter((end) => end <= length).length - 1;
      const isComplete = ends.includes(length);
      assert.equal(refusal === null, isComplete, `${length} bytes: ${refusal}`);
      if (!isComplete) assert.equal(row, records < 0 ? null : records + 1);
      assert.deepEqual(
        trades,
        whole.trades.filter((trade) => trade.row <= records),
      );
    }
  }
});

test('a file pushed byte by byte gives what it gives as a whole', () => {
  for (const file of seedFiles()) {
    const { decoder: _, ...whole } = readDbn([file]);
    const { decoder: __, ...bytes } = readDbn(Array.from(file, (byte) => Uint8Array.of(byte)));
    assert.deepEqual(bytes, whole);
  }
});

/** The ends of the head and of every record. */
function recordEnds(file: Uint8Array): readonly number[] {
  const ends = [8 + new DataView(file.buffer).getUint32(4, true)];
  while (ends.at(-1)! < file.length) ends.push(ends.at(-1)! + file[ends.at(-1)!]! * 4);
  return ends;
}
