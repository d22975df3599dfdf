import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { sample, samplesMissing } from '../../../testing/feeds/dbn-samples.ts';
import { DBN_SCHEMAS, DbnWriter } from '../../../testing/feeds/dbn-writer.ts';
import { DefinitionDecoder, readDefinitions } from './dbn-definitions.ts';

const ES = {
  instrumentId: 5_482,
  publisherId: 1,
  event: 1_609_088_526_651_000_000n as EpochNs,
  received: 1_609_088_526_709_105_557n as EpochNs,
  rawSymbol: 'ESH1',
  instrumentClass: 'F',
  asset: 'ES',
  exchange: 'XCME',
  currency: 'USD',
  unitOfMeasure: 'IPNT',
  unitOfMeasureQtyNanos: 50_000_000_000n,
  minPriceIncrementNanos: 250_000_000n,
  displayFactorNanos: 10_000_000n,
  expiration: 1_616_160_600_000_000_000n as EpochNs,
  activation: 1_576_852_200_000_000_000n as EpochNs,
  maturityYear: 2021,
  maturityMonth: 3,
  securityUpdateAction: 'A',
  rawInstrumentId: 5_482n,
  lowLimitNanos: -1n,
  underlyingProduct: 5,
  applId: -310,
} as const;

test('definitions of versions 1, 2 and 3 say the same, and null for what is undefined', () => {
  for (const version of [1, 2, 3] as const) {
    const writer = new DbnWriter({ version, schema: DBN_SCHEMAS.definition });
    const [told, empty] = readDefinitions(
      writer.definition(ES).definition({ instrumentId: 1 }).bytes,
    );
    assert.deepEqual({ ...told, ...ES }, told);
    assert.equal(told!.maturityDay, null);
    assert.equal(told!.contractMultiplier, null);
    assert.equal(told!.strikePriceNanos, null);
    assert.equal(told!.legRawSymbol, '');
    const said = Object.entries(empty!).filter(([, value]) => value !== null && value !== '');
    assert.deepEqual(Object.fromEntries(said), {
      publisherId: 1,
      instrumentId: 1,
      rawInstrumentId: 0n,
    });
  }
});

test('definitions arrive in pieces of any length, and records of other kinds are passed over', () => {
  const writer = new DbnWriter({ version: 3, schema: DBN_SCHEMAS.mixed, hasSent: true });
  const { bytes } = writer.definition(ES).other(0x12, 40, ES).definition(ES);
  const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
  assert.deepEqual(readDefinitions(...pieces), readDefinitions(bytes));
  assert.equal(readDefinitions(bytes).length, 2);
});

test('a file of another schema, a cut one, and a length that no version has are refused', () => {
  const trades = new DbnWriter({ version: 3, schema: DBN_SCHEMAS.trades }).bytes;
  assert.throws(() => readDefinitions(trades), /schema is trades; definitions are read from/);
  const { bytes } = new DbnWriter({ version: 3, schema: DBN_SCHEMAS.definition }).definition(ES);
  assert.throws(() => readDefinitions(bytes.subarray(0, -1)), /is cut: .* has 520 bytes/);
  assert.throws(() => readDefinitions(), /empty/);
  const other = new DbnWriter({ version: 3, schema: DBN_SCHEMAS.definition }).other(0x13, 440, ES);
  assert.throws(() => readDefinitions(other.bytes), /has 440 bytes; 360, 400, 520/);
});

test('definitions of a real file', { skip: samplesMissing }, () => {
  const decoder = new DefinitionDecoder();
  const definitions = decoder.push(sample('test_data.definition.v3.dbn.zst'));
  decoder.end();
  assert.equal(decoder.metadata!.dataset, 'XNAS.ITCH');
  assert.deepEqual(
    definitions.map(({ rawSymbol, instrumentClass, instrumentId, minPriceIncrementNanos }) => {
      return [rawSymbol, instrumentClass, instrumentId, minPriceIncrementNanos];
    }),
    [
      ['MSFT', 'K', 6_819, null],
      ['MSFT', 'K', 6_830, null],
    ],
  );
});
