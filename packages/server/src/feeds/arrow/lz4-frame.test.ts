import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedError } from '../feed-trades.ts';
import { expandLz4 } from './lz4-frame.ts';
import { xxHash32 } from './xx-hash.ts';

/** The output of `lz4 -9 --content-size -BX` for it, with all its checksums. */
const TEXT = 'tape tape tape loom loom loom '.repeat(40);
const FRAME = Buffer.from(
  'BCJNGHxAsAQAAAAAAABxHQAAAFZ0YXBlIAUAR2xvb20FAA8eAP////9+UGxvb20gMcaJHQAAAAAf9ob5',
  'base64',
);

test('a frame of lz4 expands to what it was made of, its checksums held against it', () => {
  assert.equal(Buffer.from(expandLz4(FRAME, TEXT.length)).toString(), TEXT);
});

test('a frame that is cut, changed anywhere, or of another length is refused', () => {
  const refused = (bytes: Uint8Array, length: number) =>
    assert.throws(() => expandLz4(bytes, length), FeedError);
  for (let length = 0; length < FRAME.length; length += 1)
    refused(FRAME.subarray(0, length), TEXT.length);
  for (let at = 0; at < FRAME.length; at += 1) {
    for (const bit of [1, 16, 128]) {
      const changed = Uint8Array.from(FRAME);
      changed[at]! ^= bit;
      refused(changed, TEXT.length);
    }
  }
  refused(FRAME, TEXT.length - 1);
  refused(FRAME, TEXT.length + 1);
  refused(Uint8Array.from([...FRAME, 0]), TEXT.length);
});

test('the checksum is that of xxHash', () => {
  const hash = (text: string) => xxHash32(new TextEncoder().encode(text));
  assert.equal(hash(''), 0x02cc_5d05);
  assert.equal(hash('a'), 0x550d_7456);
  assert.equal(hash('abc'), 0x32d1_53ff);
  assert.equal(hash('Nobody inspects the spammish repetition'), 0xe229_3b2f);
});
