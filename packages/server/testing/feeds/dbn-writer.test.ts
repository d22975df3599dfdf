import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DbnDecoder } from '../../src/feeds/dbn/dbn-decoder.ts';
import { DefinitionDecoder, readDefinitions } from '../../src/feeds/dbn/dbn-definitions.ts';
import type { DbnMetadata } from '../../src/feeds/dbn/dbn-metadata.ts';
import { sample, samplesMissing } from './dbn-samples.ts';
import { DBN_SCHEMAS, type DbnLevel, type DbnTrade, DbnWriter, encodeHead } from './dbn-writer.ts';

const letter = (view: DataView, at: number) => String.fromCharCode(view.getUint8(at));

/** All fields of a book record, by independent offsets. */
function bookRecord(view: DataView, at: number): DbnTrade {
  return {
    publisherId: view.getUint16(at + 2, true),
    instrumentId: view.getUint32(at + 4, true),
    event: view.getBigUint64(at + 8, true),
    price: view.getBigInt64(at + 16, true),
    size: view.getUint32(at + 24, true),
    action: letter(view, at + 28),
    side: letter(view, at + 29),
    flags: view.getUint8(at + 30),
    depth: view.getUint8(at + 31),
    received: view.getBigUint64(at + 32, true),
    inDelta: view.getInt32(at + 40, true),
    sequence: view.getUint32(at + 44, true),
  };
}

function levelOf(view: DataView, at: number): DbnLevel {
  return {
    bidPrice: view.getBigInt64(at, true),
    askPrice: view.getBigInt64(at + 8, true),
    bidSize: view.getUint32(at + 16, true),
    askSize: view.getUint32(at + 20, true),
    bidCount: view.getUint32(at + 24, true),
    askCount: view.getUint32(at + 28, true),
  };
}

function metadataOf(bytes: Uint8Array): DbnMetadata {
  const decoder = new DbnDecoder();
  for (const _ of decoder.push(bytes));
  return decoder.metadata!;
}

test('real files of trades, tbbo and mbp-1 are written again byte for byte', {
  skip: samplesMissing,
}, () => {
  for (const name of [
    'trades.dbn',
    'trades.v1.dbn.zst',
    'trades.v2.dbn.zst',
    'trades.v3.dbn.zst',
    'tbbo.v3.dbn.zst',
    'mbp-1.v3.dbn.zst',
  ]) {
    const bytes = sample(`test_data.${name}`);
    const view = new DataView(bytes.buffer);
    const metadata = metadataOf(bytes);
    const writer = new DbnWriter(metadata);
    for (let at = encodeHead(metadata).length; at < bytes.length; at += bytes[at]! * 4) {
      if (bytes[at + 1] === 0x00) writer.trade(bookRecord(view, at));
      else writer.book(bookRecord(view, at), [levelOf(view, at + 48)]);
    }
    assert.deepEqual(writer.bytes, bytes, name);
  }
});

test('real definitions of versions 1 and 3 are written again byte for byte', {
  skip: samplesMissing,
}, () => {
  const third = sample('test_data.definition.v3.dbn.zst');
  const decoder = new DefinitionDecoder();
  const definitions = decoder.push(third);
  const again = new DbnWriter(decoder.metadata!);
  for (const definition of definitions) again.definition(definition);
  assert.deepEqual(again.bytes, third);

  // A fragment lacks a head, so one is added.
  const head = { version: 1, schema: DBN_SCHEMAS.definition } as const;
  const first = new DbnWriter(head).raw(sample('multi-frame.definition.v1.dbn.frag.zst')).bytes;
  const found = readDefinitions(first);
  assert.equal(found.length, 8);
  const firstAgain = new DbnWriter(head);
  for (const definition of found) firstAgain.definition(definition);
  assert.deepEqual(firstAgain.bytes, first);
});
