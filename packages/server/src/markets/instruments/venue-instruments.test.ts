import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  EXAMPLE_CONTRACTS,
  exampleFuture,
  exampleKind,
  registerVenue,
} from '../../../testing/live/example-kind.ts';
import { type VenueContract, VenueError, type VenueKind } from '../live/venue-kind.ts';
import { readInstruments } from './read-instruments.ts';
import { contractAtVenue, extendInstruments, type LiveTerms } from './venue-instruments.ts';
import { writableContract } from './venue-products.ts';

const keyedKind = { ...exampleKind, name: 'keyed', needsKey: true, venueDataset: 'D' };
const registered = [exampleKind, keyedKind].map(registerVenue);
after(() => {
  for (const one of registered) one[Symbol.dispose]();
});

const described = (name: string) =>
  EXAMPLE_CONTRACTS.find(({ venueSymbol }) => venueSymbol === name)!;
const added = (
  text: string | null,
  contracts: readonly (string | VenueContract)[],
  {
    dataset = 'example',
    live = {},
    kind = exampleKind,
  }: { dataset?: string; live?: LiveTerms; kind?: VenueKind } = {},
) =>
  extendInstruments(text, {
    kind,
    dataset,
    live,
    contracts: contracts.map((one) =>
      writableContract(kind, typeof one === 'string' ? described(one) : one, null),
    ),
  });
const failing = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof VenueError && !error.isTemporary, String(error));
  assert.match(error.message, message);
  return true;
};

const FIRST = `datasets:
  example:
    live:
      feed: example
    products:
      AAA:
        name: AAA perpetual
        exchange: EXAMPLE
        currency: USDT
        tick: "0.25"
        lot: "1"
        pointValue: "1"
        calendar: round-the-clock
        expiry: never
        symbol: AAA-PERP.example
        venueSymbol: AAA-PERP
`;

test('the first contract makes the whole file, with exact decimals', () => {
  const { text, added: symbols } = added(null, ['AAA-PERP']);
  assert.deepEqual([text, symbols], [FIRST, ['AAA-PERP.example']]);
  const both = added(null, ['BBB-PERP']).text;
  assert.match(both, /lot: "0\.001"/);
  assert.match(added(null, ['CCC-PERP']).text, /tick: "0\.1"\n/);
});

test('a second run adds nothing and leaves the text as it is, whatever its form', () => {
  const written = `# ours\n${FIRST.replace('tick: "0.25"', 'tick:   0.25  # a quarter')}`;
  const { text, added: symbols } = added(written, ['AAA-PERP']);
  assert.deepEqual([text, symbols], [written, []]);
});

test('more contracts extend the dataset, and every other line stays', () => {
  const written = `# markets of ours
datasets:
  GLBX: # by files
    products:
      ES: { extends: ES, contracts: { from: 2026-12, to: 2027-06 } } # the big one
    aliases:
      ES.c.0: { product: ES, roll: calendar }
${FIRST.slice('datasets:\n'.length)}    # nothing below
  COINS:
    products:
      # not a double
      XYZ: { extends: crypto-perpetual, name: Xyz, tick: "0.10", lot: 1.0 }
`;
  const { text, added: symbols } = added(written, ['BBB-PERP', 'AAA-PERP']);
  assert.deepEqual(symbols, ['BBB-PERP.example']);
  const lines = text.split('\n');
  for (const line of written.split('\n')) assert.ok(lines.includes(line), line);
  assert.equal(lines.length, written.split('\n').length + 11);
  const { datasets } = readInstruments(text);
  assert.deepEqual(
    datasets.map(({ name, contracts }) => [name, contracts.length]),
    [
      ['GLBX', 3],
      ['example', 2],
      ['COINS', 1],
    ],
  );
  assert.equal(added(text, ['AAA-PERP', 'BBB-PERP']).text, text);
});

test('futures of a root share a product where their terms are the same, and a tick may differ', () => {
  const all = ['AAA-PERP', 'AAA-MAR27', 'AAA-JUN27', 'AAA-SEP27', 'AAA-DEC27'];
  const together = added(null, all).text;
  const [dataset] = readInstruments(together).datasets;
  const found = dataset!.contracts.map(({ contract, venueSymbol }) => [
    contract.root,
    contract.symbol,
    venueSymbol,
    contract.tickSizeNanos / 1e9,
    contract.lotSizeNanos / 1e9,
    new Date(Number(contract.expiresAt / 1_000_000n)).toISOString().slice(0, 13),
  ]);
  assert.deepEqual(found, [
    ['AAA', 'AAA-PERP.example', 'AAA-PERP', 0.25, 1, '2100-12-25T08'],
    ['AAA.future', 'AAA-MAR27.example', 'AAA-MAR27', 0.25, 1, '2027-03-26T08'],
    ['AAA.future', 'AAA-JUN27.example', 'AAA-JUN27', 0.25, 1, '2027-06-25T08'],
    ['AAA.future', 'AAA-SEP27.example', 'AAA-SEP27', 0.5, 1, '2027-09-24T08'],
    ['AAA-DEC27.example', 'AAA-DEC27.example', 'AAA-DEC27', 0.25, 10, '2027-12-31T08'],
  ]);
  // One by one, and run again, it is the same file.
  let text: string | null = null;
  for (const name of all) text = added(text, [name]).text;
  assert.equal(text, together);
  assert.equal(added(text, all).text, text);
});

test('a file in JSON, an empty dataset and a name with unsafe characters', () => {
  const json = JSON.stringify({
    datasets: { example: { live: { feed: 'example' }, products: {} } },
  });
  const empty = added(null, []);
  assert.deepEqual(readInstruments(empty.text).datasets[0]!.contracts, []);
  for (const text of [json, empty.text]) {
    const { added: symbols, text: extended } = added(text, ['AAA-PERP']);
    assert.deepEqual(symbols, ['AAA-PERP.example']);
    assert.equal(readInstruments(extended).datasets[0]!.contracts.length, 1);
  }
  assert.equal(added(empty.text, ['AAA-PERP']).text, FIRST);
  const strange = { ...described('AAA-PERP'), venueSymbol: '@1/币', root: '币' };
  const [one] = readInstruments(added(null, [strange]).text).datasets[0]!.contracts;
  assert.deepEqual([one!.contract.symbol, one!.venueSymbol], ['x401x2fx5e01.example', '@1/币']);
});

test('addresses and the key file are written for a new dataset only', () => {
  const live = { restAddress: 'http://127.0.0.1:1', keyFile: '/etc/key', venueDataset: 'X' };
  const { text } = added(null, ['AAA-PERP'], { live, dataset: 'mine', kind: keyedKind });
  const { live: read } = readInstruments(text).datasets[0]!;
  assert.deepEqual(read, {
    source: 'venue',
    venue: 'keyed',
    addresses: { stream: 'wss://example.invalid/stream', rest: 'http://127.0.0.1:1' },
    keyFile: '/etc/key',
    venueDataset: 'X',
    graceMs: 250,
    gapAfterMs: 900_000,
    backfillMs: 0,
  });
  assert.ok(!added(FIRST, ['BBB-PERP'], { live }).text.includes('127.0.0.1'));
});

test('what cannot be listed is refused by its name', () => {
  const wrong = (fields: Partial<VenueContract>) => () =>
    added(null, [{ ...described('AAA-PERP'), ...fields }]);
  assert.throws(
    () => added(null, ['ZZZ-PERP']),
    failing(/does not trade ZZZ-PERP: it was delisted/),
  );
  for (const tick of ['0', '1e-10', '-1', 'x', '', '0.0000000001', '99999999999999', '1e99']) {
    assert.throws(wrong({ tick }), failing(/describes AAA-PERP with the tick /), tick);
  }
  assert.throws(wrong({ currency: 'bitcoin' }), /currency/);
  assert.throws(wrong({ calendar: 'none' }), /calendar/);
  const elsewhere = FIRST.replace('feed: example', 'source: push');
  assert.throws(
    () => added(elsewhere, ['BBB-PERP']),
    failing(/no trades of Example exchange.*--dataset/),
  );
  assert.throws(() => added('datasets: {', ['AAA-PERP']), /the file is refused/);
  assert.throws(() => added(FIRST, ['AAA-PERP'], { dataset: 'other' }), /AAA-PERP\.example/);
});

test('what the venue says otherwise is told, and the file stays', () => {
  const finer = { ...described('AAA-PERP'), tick: '0.05', lot: '0.1' };
  const { text, notes } = added(FIRST, [finer]);
  assert.equal(text, FIRST);
  assert.deepEqual(notes, [
    'AAA-PERP.example has the tick 0.25 in the file, and 0.05 at the venue (AAA-PERP.example).',
    'AAA-PERP.example has the lot 1 in the file, and 0.1 at the venue (AAA-PERP.example).',
  ]);
});

test('a contract is found in any case, unless two differ in nothing else', () => {
  const twin = exampleFuture('aaa-perp', '2027-03-26T08:00:00Z');
  const [one, two] = [['AAA-PERP'], ['AAA-PERP', twin]].map(
    (contracts) => readInstruments(added(null, contracts).text).datasets[0]!,
  );
  assert.equal(contractAtVenue(one!, 'example', 'aaa-Perp')?.venueSymbol, 'AAA-PERP');
  assert.equal(contractAtVenue(two!, 'example', 'aaa-Perp'), null);
  assert.equal(contractAtVenue(two!, 'example', 'aaa-perp')?.venueSymbol, 'aaa-perp');
  assert.equal(contractAtVenue(one!, 'example', 'AAA'), null);
});
