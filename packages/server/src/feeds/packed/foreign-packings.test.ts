import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memorySource } from '../../../testing/feeds/memory-source.ts';
import { PACKED_SAMPLES, PACKED_ZEROS, packedText } from '../../../testing/feeds/packed-samples.ts';
import { TAR_END, tarEntry } from '../../../testing/feeds/tar-of.ts';
import { zipOf } from '../../../testing/feeds/zip-text.ts';
import { FeedError } from '../feed-trades.ts';
import { openFeed } from '../open-feed.ts';
import { unpack } from './packing.ts';

const PACKINGS: Readonly<Record<string, string>> = { bz2: 'bzip2', xz: 'xz', lz4: 'lz4' };

async function expand(bytes: Uint8Array, path = 'data/es.csv') {
  const { packing, files } = await unpack(memorySource(bytes), path);
  const pieces: Uint8Array[] = [];
  for await (const piece of files[0]!.bytes()) pieces.push(Buffer.from(piece));
  return { packing, name: files[0]!.name, text: Buffer.concat(pieces).toString() };
}

async function refused(bytes: Uint8Array, sentence: RegExp): Promise<void> {
  await assert.rejects(
    expand(bytes),
    (error) => error instanceof FeedError && sentence.test(error.message),
  );
}

describe('bzip2, xz and lz4', () => {
  it('are told by their content and expand to what was packed, whatever options packed it', async () => {
    for (const [name, bytes] of PACKED_SAMPLES) {
      const { packing, name: inside, text } = await expand(bytes, `data/${name}`);
      const ending = name.split('.').at(-1)!;
      assert.equal(packing, PACKINGS[ending], name);
      assert.equal(inside, name.slice(0, -ending.length - 1));
      assert.ok(text === packedText(), name);
    }
  });

  it('are read as files of trades, alone, in a tar and in a zip', async () => {
    for (const [name, bytes] of PACKED_SAMPLES) {
      const tar = Buffer.concat([tarEntry(name, Buffer.from(bytes)), TAR_END]);
      for (const file of [bytes, tar, zipOf([{ name, bytes: Buffer.from(bytes) }])]) {
        const feed = await openFeed(memorySource(file), name, {});
        let trades = 0;
        for await (const { count } of feed.trades()) trades += count;
        assert.equal(trades, 2_500, name);
      }
    }
  });

  it('that were cut, or go on behind their end, are refused', async () => {
    for (const [name, bytes] of PACKED_SAMPLES) {
      const ends = [5, 12, 20, 100, bytes.length >> 1, bytes.length - 13, bytes.length - 1];
      // A file may end between two streams.
      for (const end of ends) await refused(bytes.subarray(0, end), /ends too early|damaged/);
      await refused(Buffer.concat([bytes, Buffer.from('more')]), /damaged|too early/);
      const { text } = await expand(Buffer.concat([bytes, bytes]));
      assert.equal(text.length, 2 * packedText().length, name);
    }
  });

  it('that were changed anywhere are refused, where they have checksums', async () => {
    for (const name of ['level-1.csv.bz2', 'crc64.csv.xz', 'sums.csv.lz4']) {
      const bytes = PACKED_SAMPLES.get(name)!;
      const step = Math.floor(bytes.length / 60);
      for (let at = 4; at < bytes.length; at += step) {
        const changed = Uint8Array.from(bytes);
        changed[at]! ^= 1 << (at % 8);
        await refused(changed, /damaged|too early|dictionary/);
      }
    }
  });

  it('that expand to far more than any text of trades are refused before they have', async () => {
    await refused(PACKED_ZEROS.bzip2, /expands to more than 1032 times its size/);
    const streams = Array.from({ length: 8 }, () => PACKED_ZEROS.xz);
    await refused(Buffer.concat(streams), /expands to more than 1032 times its size/);
  });

  it('an xz that asks for more memory than its content can need is refused', async () => {
    const bytes = Uint8Array.from(PACKED_SAMPLES.get('crc64.csv.xz')!);
    // The header of the first block: the dictionary size comes before the padding and the checksum.
    const { crc32 } = await import('node:zlib');
    const head = bytes.subarray(12, 12 + (bytes[12]! + 1) * 4);
    const at = head.indexOf(0x21) + 2;
    head[at] = 40;
    new DataView(head.buffer, head.byteOffset).setUint32(
      head.length - 4,
      crc32(head.subarray(0, head.length - 4)),
      true,
    );
    await refused(bytes, /needs a dictionary of more than 128 MiB/);
  });
});
