import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { MIB } from '@tapeloom/core/units';
import { memorySource } from '../../../testing/feeds/memory-source.ts';
import { TAR_END, tarEntry, tarHead } from '../../../testing/feeds/tar-of.ts';
import { zipOf } from '../../../testing/feeds/zip-text.ts';
import { FeedError } from '../feed-trades.ts';
import { unpack } from './packing.ts';

const text = Buffer.from('time,price\n1,2\n'.repeat(40_000));

async function expand(bytes: Uint8Array, path = 'data/es.csv.gz') {
  const { packing, files } = await unpack(memorySource(bytes), path);
  const expanded = [];
  for (const file of files) {
    const pieces: Uint8Array[] = [];
    for await (const piece of file.bytes()) pieces.push(Buffer.from(piece));
    expanded.push({ name: file.name, bytes: Buffer.concat(pieces) });
  }
  return { packing, files: expanded };
}

async function refused(bytes: Uint8Array, sentence: RegExp): Promise<void> {
  await assert.rejects(
    expand(bytes),
    (error) => error instanceof FeedError && sentence.test(error.message),
  );
}

describe('packed files', () => {
  it('are told by their content, whatever their name, and by their parts', async () => {
    const [gzip, zstd] = [gzipSync(text), zstdCompressSync(text)];
    const more = Buffer.from('more');
    for (const [packing, bytes, content] of [
      ['plain', text, text],
      ['plain', Buffer.alloc(0), Buffer.alloc(0)],
      ['gzip', gzip, text],
      ['gzip', Buffer.concat([gzip, gzipSync(more)]), Buffer.concat([text, more])],
      ['gzip', gzipSync(''), Buffer.alloc(0)],
      ['zstd', zstd, text],
      ['zstd', Buffer.concat([zstd, zstdCompressSync(more)]), Buffer.concat([text, more])],
    ] as const) {
      const { packing: found, files } = await expand(bytes);
      assert.equal(found, packing);
      assert.equal(files.length, 1);
      assert.equal(
        files[0]!.name,
        packing === 'plain' ? 'es.csv.gz' : packing === 'gzip' ? 'es.csv' : 'es.csv',
      );
      assert.ok(files[0]!.bytes.equals(content));
    }
  });

  it('that were cut, changed, or go on behind their end are refused', async () => {
    const small = Buffer.from('a small text');
    for (const packed of [gzipSync(small), zstdCompressSync(small)]) {
      for (let end = 4; end < packed.length; end += 1) {
        await refused(packed.subarray(0, end), /ends too early|damaged/);
      }
      await refused(Buffer.concat([packed, Buffer.from('behind')]), /behind its end|damaged/);
    }
    const changed = gzipSync(text);
    changed[changed.length - 6]! ^= 1;
    await refused(changed, /damaged/);
  });
});

describe('a zip', () => {
  const entry = { name: 'es.csv', bytes: text };

  it('gives its files by their own names alone, stored or packed, also in the form for large ones', async () => {
    const parts = [
      { name: 'folder/', bytes: Buffer.alloc(0), isStored: true },
      { name: '../../etc/es.csv', bytes: text },
      { name: '/absolute/nq.csv', bytes: Buffer.from('nq'), isStored: true },
      { name: 'C:\\windows\\cl.csv', bytes: Buffer.alloc(0) },
    ];
    for (const isLarge of [false, true]) {
      const { packing, files } = await expand(zipOf(parts, { isLarge }));
      assert.equal(packing, 'zip');
      assert.deepEqual(
        files.map(({ name }) => name),
        ['es.csv', 'nq.csv', 'cl.csv'],
      );
      assert.ok(files[0]!.bytes.equals(text));
      assert.equal(files[1]!.bytes.toString(), 'nq');
      assert.equal(files[2]!.bytes.length, 0);
    }
    assert.deepEqual((await expand(zipOf([]))).files, []);
  });

  it('that lies, hides or cannot be read is refused', async () => {
    await refused(zipOf([{ ...entry, lies: { bytes: 100 } }]), /expands to more than declared/);
    await refused(
      zipOf([{ ...entry, lies: { bytes: text.length + 1 } }]),
      /does not match its declared size/,
    );
    await refused(zipOf([{ ...entry, lies: { crc32: 7 } }]), /does not match its declared size/);
    await refused(zipOf([{ ...entry, lies: { flags: 1 } }]), /"es.csv" in the zip is encrypted/);
    await refused(zipOf([{ ...entry, lies: { method: 14 } }]), /packed by method 14/);
    await refused(zipOf([entry, { ...entry, lies: { offset: 0 } }]), /stands where another/);
    await refused(zipOf([{ ...entry, lies: { offset: 0x7fff_ffff } }]), /damaged/);
    const spread = zipOf([entry]);
    spread.writeUInt16LE(1, spread.length - 18);
    await refused(spread, /one part of several/);
    await refused(zipOf([{ name: 'a/..', bytes: text }]), /no name of a file/);
  });

  it('that was cut anywhere, or has any byte changed, gives what was put in or a sentence', async () => {
    const small = Buffer.from('a small text');
    const whole = zipOf([{ name: 'a.csv', bytes: small }]);
    for (let end = 4; end < whole.length; end += 1) {
      await refused(whole.subarray(0, end), /zip is damaged|too early/);
    }
    for (let place = 4; place < whole.length; place += 1) {
      for (const bits of [0x01, 0x80, 0xff]) {
        const changed = Buffer.from(whole);
        changed[place]! ^= bits;
        const files = await expand(changed).then(
          (read) => read.files,
          (error: unknown) => assert.ok(error instanceof FeedError, String(error)),
        );
        for (const { bytes } of files ?? []) assert.ok(bytes.equals(small));
      }
    }
  });
});

describe('a tar, and what is packed twice', () => {
  const folder = tarHead('days/', 0, '5');
  const small = Buffer.from('time,price\n1,2\n');

  it('gives its only file by its own name, also out of gzip or zstd, and expands it', async () => {
    const plain = Buffer.concat([folder, tarEntry('days/es.csv', text), TAR_END]);
    const inner = Buffer.concat([tarEntry('es.csv.gz', gzipSync(text)), TAR_END]);
    for (const [bytes, packing] of [
      [plain, 'tar'],
      [gzipSync(plain), 'gzip'],
      [zstdCompressSync(plain), 'zstd'],
      [inner, 'tar'],
      [zipOf([{ name: 'es.csv.zst', bytes: zstdCompressSync(text), isStored: true }]), 'zip'],
      [zipOf([{ name: 'es.csv.gz', bytes: gzipSync(text) }]), 'zip'],
    ] as const) {
      const read = await expand(bytes, 'data/any');
      assert.equal(read.packing, packing);
      assert.deepEqual(
        read.files.map(({ name }) => name),
        ['es.csv'],
      );
      assert.ok(read.files[0]!.bytes.equals(text));
    }
  });

  it('with several files, none, a wrong checksum or an early end is refused', async () => {
    const whole = Buffer.concat([tarEntry('a.csv', small), TAR_END]);
    await refused(
      Buffer.concat([tarEntry('a.csv', small), tarEntry('b.csv', small)]),
      /several files/,
    );
    await refused(Buffer.concat([folder, TAR_END]), /no file in it/);
    const changed = Buffer.from(whole);
    changed[130]! ^= 1;
    await refused(changed, /checksum of an entry is wrong/);
    await refused(whole.subarray(0, 520), /The tar ends too early/);
    const packed = gzipSync(small);
    const broken = zipOf([{ name: 'a.csv.gz', bytes: packed.subarray(0, -3) }]);
    await refused(broken, /gzip ends too early/);
    const behind = zipOf([
      { name: 'a.csv.gz', bytes: Buffer.concat([packed, Buffer.from('more')]) },
    ]);
    await refused(behind, /behind its end|damaged/);
  });
});

test('zstd that expands to thousands of times its size is given up', async () => {
  const bomb = zstdCompressSync(Buffer.alloc(80 * MIB, 10));
  const { files } = await unpack(memorySource(bomb), 'trades.csv.zst');
  await assert.rejects(
    Array.fromAsync(files[0]!.bytes(), ({ length }) => length),
    {
      name: 'FeedError',
      message: /expands to more than 1032 times its size/,
    },
  );
});
