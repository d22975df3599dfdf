import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { PageEncoder } from './encoded-page.ts';

/** A buffer of its own, as pages have: it is freed. */
function page(bytes = 10_000): Buffer {
  return Buffer.from(new Uint8Array(bytes).fill(7).buffer);
}

test('a page comes as its reader asks for, a small one as it is', async () => {
  const encoder = new PageEncoder();
  const zstd = await encoder.encoded('a', page(), 'zstd');
  assert.ok(zstdDecompressSync(zstd.bytes).equals(page()));
  const gzip = await encoder.encoded('a', page(), 'gzip');
  assert.ok(gunzipSync(gzip.bytes).equals(page()));
  assert.deepEqual([zstd.encoding, gzip.encoding], ['zstd', 'gzip']);
  for (const [bytes, preferred] of [
    [page(), null],
    [page(10), 'zstd'],
  ] as const) {
    assert.deepEqual(await encoder.encoded('a', bytes, preferred), {
      bytes,
      encoding: null,
      isAsAlways: true,
    });
  }
});

test('few pages are compressed at once, accounts in turns, and one too many goes as it is [SEC-36] [SEC-37]', async () => {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const encode = async (bytes: Buffer) => {
    begun.push(bytes.length);
    await new Promise<void>((resolve) => ends.push(resolve));
    return Buffer.from('encoded');
  };
  const limits = { atOnce: 2, eachMax: 4, allMax: 6, keptForNew: 1 };
  const encoder = new PageEncoder(limits, { zstd: encode, gzip: encode });
  const asked = (account: string, bytes: number) => encoder.encoded(account, page(bytes), 'zstd');
  const busy = [10_001, 10_002, 10_003, 10_004].map((bytes) => asked('busy', bytes));
  const other = asked('other', 20_000);
  assert.deepEqual(begun, [10_001, 10_002]);
  const { encoding, isAsAlways } = await asked('busy', 10_005);
  assert.deepEqual([encoding, isAsAlways], [null, false]);
  for (let ended = 0; ended < 5; ended += 1) {
    ends[ended]!();
    await turn();
  }
  assert.deepEqual(begun, [10_001, 10_002, 10_003, 20_000, 10_004]);
  for (const one of await Promise.all([...busy, other])) assert.equal(one.encoding, 'zstd');
});
