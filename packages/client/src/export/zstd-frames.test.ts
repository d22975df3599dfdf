import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { decompress } from 'fzstd';
import { type MakeExpander, zstdExpanders } from './zstd-expanders.ts';
import { ZstdFrames } from './zstd-frames.ts';

const SKIPPABLE = Buffer.from([0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

/** Frames of every shape: with and without size and checksum, empty, of one repeated byte, large. */
const frames = fc
  .record({
    content: fc.oneof(
      fc.constant(Buffer.alloc(0)),
      fc.constant(Buffer.alloc(300_000, 'a')),
      fc.uint8Array({ maxLength: 70_000, size: 'max' }).map((bytes) => Buffer.from(bytes)),
    ),
    checksum: fc.boolean(),
    contentSize: fc.boolean(),
  })
  .map(({ content, checksum, contentSize }) => ({
    content,
    frame: zstdCompressSync(content, {
      // Node adds an empty frame if the output fills its last chunk exactly; this chunk is never filled.
      chunkSize: 1_048_576,
      params: {
        [constants.ZSTD_c_checksumFlag]: Number(checksum),
        [constants.ZSTD_c_contentSizeFlag]: Number(contentSize),
      },
    }),
  }));

/** Cuts bytes into pieces of the given lengths, in turn. */
function cut(bytes: Uint8Array, lengths: readonly number[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, next = 0; at < bytes.length; next += 1) {
    const length = lengths[next % lengths.length]!;
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

function found(pieces: readonly Uint8Array[]): readonly Buffer[] {
  const finder = new ZstdFrames();
  const whole: Buffer[] = [];
  let parts: Uint8Array[] = [];
  for (const { bytes, isEnd } of pieces.flatMap((piece) => finder.push(piece))) {
    parts.push(bytes);
    if (!isEnd) continue;
    whole.push(Buffer.concat(parts));
    parts = [];
  }
  assert.equal(finder.isBetweenFrames, true);
  return whole;
}

test('frames are found however the bytes come, skippable ones too', () => {
  fc.assert(
    fc.property(
      fc.array(frames, { maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 5 }),
      (made, lengths) => {
        const each = made.flatMap(({ frame }) => [frame, SKIPPABLE]);
        assert.deepEqual(found(cut(Buffer.concat(each), lengths)), each);
      },
    ),
    { numRuns: 50 },
  );
});

test('a byte at a time gives the same frames', () => {
  const each = ['one', 'two'.repeat(100)].map((text) => zstdCompressSync(text));
  assert.deepEqual(found(cut(Buffer.concat(each), [1])), each);
});

test('what is not zstd is refused at once, and a cut frame is not taken for a whole one', () => {
  assert.throws(() => new ZstdFrames().push(Buffer.from('<html>')), { code: 'INVALID_RESPONSE' });
  const frame = zstdCompressSync(Buffer.from('some lines of text'));
  const finder = new ZstdFrames();
  const parts = finder.push(frame.subarray(0, -1));
  assert.ok(parts.every(({ isEnd }) => !isEnd));
  assert.equal(finder.isBetweenFrames, false);
});

/** Node's decoder behind the interface of a browser that supports zstd. */
class NodeBackedStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;

  constructor(format: never) {
    assert.equal(format, 'zstd');
    const parts: Uint8Array[] = [];
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes) => void parts.push(bytes),
      flush: (controller) => controller.enqueue(decompress(Buffer.concat(parts))),
    });
    this.readable = readable;
    this.writable = writable;
  }
}

const EXPANDERS: readonly (readonly [string, MakeExpander])[] = [
  ["the platform's own", zstdExpanders(undefined)],
  ['a DecompressionStream', zstdExpanders(undefined, { DecompressionStream: NodeBackedStream })],
  ['a decoder that was handed in', zstdExpanders(decompress, {})],
];

for (const [name, makeExpander] of EXPANDERS) {
  test(`frames one after another are expanded by ${name}`, async () => {
    const texts = ['first', '', 'x'.repeat(500_000), 'last'];
    const bytes = Buffer.concat(texts.map((text) => zstdCompressSync(text)));
    const finder = new ZstdFrames();
    const out: Uint8Array[] = [];
    let expander = makeExpander();
    for (const part of cut(bytes, [7, 1, 50]).flatMap((piece) => finder.push(piece))) {
      out.push(...(await expander.push(part.bytes)));
      if (!part.isEnd) continue;
      out.push(...(await expander.end()));
      expander = makeExpander();
    }
    assert.equal(Buffer.concat(out).toString(), texts.join(''));
  });

  test(`a damaged frame is INVALID_RESPONSE with ${name}`, async () => {
    const frame = zstdCompressSync('some text that is long enough to be damaged '.repeat(9));
    frame.fill(0xff, 8);
    const expander = makeExpander();
    await assert.rejects(
      async () => {
        await expander.push(frame);
        await expander.end();
      },
      { code: 'INVALID_RESPONSE' },
    );
  });
}

test('a platform without zstd says what to do, and a DecompressionStream without zstd is none', () => {
  const OnlyGzip = class {
    readonly readable = new ReadableStream<Uint8Array>();
    readonly writable = new WritableStream<Uint8Array>();

    constructor(format: never) {
      throw new TypeError(`${format} is not a valid format`);
    }
  };
  // As in Deno 2.5.
  const createZstdDecompress = () => {
    throw new TypeError('binding.ZstdDecompress is not a constructor');
  };
  const platforms = [{}, { DecompressionStream: OnlyGzip }, { createZstdDecompress }];
  for (const platform of platforms) {
    assert.equal(typeof zstdExpanders((bytes) => bytes, platform), 'function');
    assert.throws(
      () => zstdExpanders(undefined, platform),
      (error: Error) => /decompressZstd.*fzstd/.test(error.message),
    );
  }
});
