import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { aTrade, HEAD, NOON } from '../../../testing/feeds/dbn-trades.ts';
import { type DbnTrade, DbnWriter } from '../../../testing/feeds/dbn-writer.ts';
import type { PushRules } from './push-contracts.ts';
import { readPush } from './read-push.ts';

const rules: PushRules = {
  latest: (NOON + 7_200_000_000_000n) as PushRules['latest'],
  contract: (symbol) =>
    symbol === 'ESH1' ? { symbol, tickSizeNanos: 250_000_000, lotSizeNanos: 1_000_000_000 } : null,
};
const bodyOf = (...changes: readonly Partial<DbnTrade>[]) => {
  const writer = new DbnWriter(HEAD);
  for (const change of changes) writer.trade(aTrade(change));
  return writer.bytes;
};
const read = async (body: Uint8Array, firstId: number | null = 100) =>
  (await readPush({ contentType: 'application/x-dbn', body, firstId }, rules)).batches(null);

test('a DBN body gives its trades, numbered by their records, packed or not', async () => {
  const body = bodyOf({}, { side: 'B', size: 2, event: NOON + 5n });
  for (const bytes of [body, zstdCompressSync(body)]) {
    const [batch, ...others] = await read(bytes);
    assert.deepEqual(others, []);
    assert.equal(batch!.symbol, 'ESH1');
    assert.deepEqual([...batch!.id], [100, 101]);
    assert.deepEqual([...batch!.price], [14_881, 14_881]);
    assert.deepEqual([...batch!.size], [5, 2]);
    assert.deepEqual([...batch!.side], [-1, 1]);
    assert.equal(batch!.ts[1]! - batch!.ts[0]!, 5);
  }
});

test('a DBN body without the number of its first record is refused', async () => {
  await assert.rejects(read(bodyOf({}), null), /firstId is missing\. .* firstId \+ n - 1/);
});

const BAD: readonly (readonly [string, Partial<DbnTrade>, RegExp])[] = [
  ['size 0', { size: 0 }, /^PushRefusal: Line 2: is among "trades of size 0"/],
  ['a negative price', { price: -1_000_000_000n }, /Line 2: price is -1\. /],
  ['no price', { price: 2n ** 63n - 1n }, /Line 2: is among "trades without a price"/],
  [
    'a price off the grid',
    { price: 3_720_300_000_000n },
    /Line 2: price is 3720\.3, .* 0\.25 of ESH1/,
  ],
  ['an unknown instrument', { instrumentId: 7 }, /Line 2: \/?instrument_id is 7, and neither/],
  ['a time of tomorrow', { event: NOON + 86_400_000_000_000n }, /Line 2: ts_event .* tomorrow/],
  ['an action of its own', { action: 'X' }, /Record 2 at byte \d+ has the action X/],
];

for (const [name, change, message] of BAD) {
  test(`a DBN record with ${name} refuses the batch and is named`, async () => {
    for (const pack of [(bytes: Uint8Array) => bytes, zstdCompressSync]) {
      await assert.rejects(read(pack(bodyOf({}, change, {}))), message);
    }
  });
}

test('a DBN body that was cut anywhere is refused, packed or not', async () => {
  const body = bodyOf({}, {}, {});
  const packed = zstdCompressSync(body);
  const records = [48, 96];
  for (let end = 0; end < body.length; end += 1) {
    // A cut between two records looks like a shorter body; its length is the connection's business.
    if (records.includes(body.length - end) || end === body.length - 144) continue;
    await assert.rejects(read(body.subarray(0, end)), { name: 'PushRefusal' });
  }
  for (let end = 0; end < packed.length; end += 1) {
    await assert.rejects(read(packed.subarray(0, end)), { name: 'PushRefusal' });
  }
});

test('a small packed body that expands without end takes no memory', async () => {
  const bomb = zstdCompressSync(new Uint8Array(200 * 1_048_576));
  await assert.rejects(read(bomb), { code: 'TOO_LARGE' });
});
