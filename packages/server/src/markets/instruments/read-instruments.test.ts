import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { aliasesOf, type InstrumentsFile } from './instruments-file.ts';
import { readInstruments } from './read-instruments.ts';
import { FaultsError } from './reading.ts';

const FILE = `
datasets:
  GLBX:
    products:
      ES:
        extends: ES
        contracts: { from: 2025-12, to: 2027-06 }
      CL: { extends: CL, contracts: { from: 2026-01, to: 2026-12 } }
    aliases:
      ES.c.0: { product: ES, roll: calendar }
      CL.v.0: { product: CL, roll: volume, from: 2025-12-01 }
  COINS:
    products:
      BTCUSDT: { extends: crypto-perpetual, name: Bitcoin, tick: 0.1, lot: "0.001" }
      ETHUSDT:
        extends: crypto-quarterly
        name: Ether
        tick: "0.01"
        lot: "0.001"
        contracts: { from: 2026-03, to: 2026-12 }
`;

function faultsOf(text: string): readonly string[] {
  try {
    readInstruments(text);
    return [];
  } catch (error) {
    assert.ok(error instanceof FaultsError, String(error));
    return error.faults.map(({ path, line, column, message }) => {
      return `${line}:${column} ${path} ${message}`;
    });
  }
}

const dataset = (market: InstrumentsFile, name: string) =>
  market.datasets.find((it) => it.name === name)!;
const symbols = (market: InstrumentsFile, name: string) =>
  dataset(market, name).contracts.map(({ contract }) => contract.symbol);
/** A file with one product, with these fields changed. */
const withProduct = (fields: Record<string, unknown>, aliases: unknown = {}) =>
  JSON.stringify({
    datasets: {
      X: {
        products: {
          ES: { extends: 'ES', contracts: { from: '2026-03', to: '2026-12' }, ...fields },
        },
        aliases,
      },
    },
  });

test('a file of templates and ranges gives contracts with all their terms', () => {
  const market = readInstruments(FILE);
  assert.deepEqual(symbols(market, 'GLBX').slice(0, 8), [
    ...['ESZ5', 'ESH6', 'ESM6', 'ESU6', 'ESZ6', 'ESH7', 'ESM7'],
    'CLF6',
  ]);
  assert.deepEqual(dataset(market, 'GLBX').contracts[4]!.contract, {
    symbol: 'ESZ6',
    dataset: 'GLBX',
    root: 'ES',
    name: 'E-mini S&P 500 December 2026',
    exchange: 'CME',
    currency: 'USD',
    tickSizeNanos: 250_000_000,
    lotSizeNanos: 1_000_000_000,
    pointValueNanos: 50_000_000_000,
    calendar: 'cme-equity',
    expiresAt: 1_797_604_200_000_000_000n,
  });
  assert.deepEqual(
    dataset(market, 'GLBX').calendars.map(({ name }) => name),
    ['cme-equity', 'cme-energy'],
  );
});

test('coins have fractional lots, an instrument without end, and symbols by date of delivery', () => {
  const market = readInstruments(FILE);
  assert.deepEqual(symbols(market, 'COINS'), [
    'BTCUSDT',
    'ETHUSDT_260327',
    'ETHUSDT_260626',
    'ETHUSDT_260925',
    'ETHUSDT_261225',
  ]);
  const { tickSizeNanos, lotSizeNanos } = dataset(market, 'COINS').contracts[0]!.contract;
  assert.deepEqual([tickSizeNanos, lotSizeNanos], [100_000_000, 1_000_000]);
});

test('JSON of the same content gives the same market', () => {
  const json = withProduct({}, { 'ES.c.0': { product: 'ES', roll: 'calendar' } });
  const yaml = `
datasets:
  X:
    products:
      ES: { extends: ES, contracts: { from: 2026-03, to: 2026-12 } }
    aliases:
      ES.c.0: { product: ES, roll: calendar }
`;
  assert.deepEqual(readInstruments(json), readInstruments(yaml));
});

test('calendar rolls are made, volume rolls are planned at the latest, written ones stay', () => {
  const glbx = dataset(readInstruments(FILE), 'GLBX');
  const [calendar, volume] = aliasesOf(glbx);
  assert.deepEqual(calendar!.rolls.slice(0, 3), [
    { from: 20250919, symbol: 'ESZ5' },
    { from: 20251215, symbol: 'ESH6' },
    { from: 20260316, symbol: 'ESM6' },
  ]);
  assert.deepEqual(volume!.rolls.slice(0, 2), [
    { from: 20251201, symbol: 'CLF6' },
    { from: 20251218, symbol: 'CLG6' },
  ]);
  const rolls = [
    { from: '2026-01-05', symbol: 'ESH6' },
    { from: '2026-03-10', symbol: 'ESM6' },
  ];
  const written = readInstruments(withProduct({}, { 'ES.x.0': { product: 'ES', roll: rolls } }));
  assert.deepEqual(aliasesOf(written.datasets[0]!)[0]!.rolls, [
    { from: 20260105, symbol: 'ESH6' },
    { from: 20260310, symbol: 'ESM6' },
  ]);
});

test('files may call a contract by other names', () => {
  const fields = { symbol: '{root}{M}{YY}', contracts: { from: '2021-03', to: '2021-03' } };
  const [contract] = readInstruments(withProduct(fields)).datasets[0]!.contracts;
  assert.equal(contract!.contract.symbol, 'ESH21');
  assert.deepEqual(contract!.names, ['ESH1', 'ESH2021', 'ES 03-21', 'ES_H21']);
});

test('every fault is told with its place, what was found and what would do', () => {
  const faults = faultsOf(`datasets:
  GLBX:
    products:
      ES:
        extends: ES
        tick: a quarter
        pointvalue: 50
        contracts: { from: 2026-13, to: 2026-12 }
      CL: { extends: CLL }
    calender: {}
`);
  assert.deepEqual(faults.slice(0, 3), [
    '10:5 datasets.GLBX.calender is not known here. Did you mean "calendars"?',
    '7:9 datasets.GLBX.products.ES.pointvalue is not known here. Did you mean "pointValue"?',
    '8:22 datasets.GLBX.products.ES.contracts.from is "2026-13"; a month as 2026-03 would do',
  ]);
  assert.ok(
    faults.some((fault) => /^6:9 .*ES\.tick is "a quarter"; a decimal above 0/.test(fault)),
  );
  assert.ok(faults.some((fault) => /CL\.extends is "CLL", which is no template\. Did/.test(fault)));
});

test('what is no YAML, empty, too large or no map is refused with its place', () => {
  assert.match(faultsOf('')[0]!, /^1:1 the file is refused: it is empty/);
  assert.match(faultsOf('datasets: [')[0]!, /^1:12 the file is refused: /);
  assert.match(faultsOf('a: 1\na: 2')[0]!, /^2:1 the file is refused: this name is there twice/);
  assert.match(faultsOf('a: &x 1\nb: *x')[0]!, /anchors, references and tags/);
  assert.match(faultsOf(`a: ${'x'.repeat(1_048_576)}`)[0]!, /more than 1048576 bytes/);
  assert.match(faultsOf('datasets: {}')[0]!, /has no dataset/);
  assert.match(faultsOf('- 1')[0]!, /is a list; a map of names and values would do/);
  assert.match(faultsOf('datasets:')[0]!, /datasets is empty; a map/);
});

test('what would cost a parser stack and time is refused before it is parsed', () => {
  const laughs = ['a: &a [x, x]', ...Array.from('bcdefgh', (it) => `${it}: &${it} [*a, *a]`)];
  assert.match(faultsOf(laughs.join('\n'))[0]!, /^1:4 .*anchors, references and tags/);
  assert.match(faultsOf('a: 1\nb: !!set {}')[0]!, /^2:4 .*anchors, references and tags/);
  const indented = Array.from({ length: 300 }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
  const open = ['[', '{a: ', '- ', '? ', ': ', 'a: ', '[a: ', 'x: - '];
  const deep = open.map((part) => part.repeat(100_000));
  for (const text of [...deep, `[${'a: '.repeat(100_000)}]`, indented]) {
    assert.match(faultsOf(text)[0]!, /refused: it is nested too deeply/, text.slice(0, 10));
  }
  const names = Array.from({ length: 50_000 }, (_, index) => `n${index}: 1`).join('\n');
  assert.equal(faultsOf(names).length, 100);
});

test('names that would leave their directory, or clash, are refused', () => {
  const only = (text: string, pattern: RegExp) => {
    const faults = faultsOf(text);
    assert.equal(faults.length, 1, faults.join('\n'));
    assert.match(faults[0]!, pattern);
  };
  only(withProduct({ symbol: '../{root}' }), /symbol "\.\.\/ES", which is no safe name/);
  only(
    withProduct({ contracts: { from: '2016-03', to: '2026-03' } }),
    /two contracts the symbol ESH6 \(they expire 20160318 and 20260320\).*\{root\}\{M\}\{YY\}/,
  );
  only(
    withProduct({}, { ESH6: { product: 'ES', roll: 'calendar' } }),
    /alias ESH6 is called like a contract/,
  );
  only(withProduct({ tick: '0.0000000001' }), /tick is "0.0000000001"; a decimal above 0/);
  only(withProduct({ calendar: 'cme-equty' }), /which is none\. Did you mean "cme-equity"/);
  only(withProduct({ symbol: '{root}{Q}' }), /has \{Q\}, which is no part of a name/);
  only(
    withProduct({}, { A: { product: 'EX', roll: 'calendar' } }),
    /no product.*Did you mean "ES"/,
  );
  only(withProduct({}, { A: { product: 'ES', roll: [], from: '2026-01-01' } }), /beside rolls/);
  only(
    withProduct(
      { contracts: [{ symbol: 'ESH6', expiry: '2026-03-20T13:30:00Z' }] },
      { A: { product: 'ES', roll: 'volume' } },
    ),
    /lacks "from"/,
  );
});

test('contracts may be written out, with names and ticks of their own', () => {
  const market = readInstruments(
    withProduct({
      contracts: [
        { symbol: 'ESM6', expiry: '2026-06-18T13:30:00Z' },
        { symbol: 'ESH6', expiry: '2026-03-20T13:30:00Z', tick: '0.05', names: ['ES MAR26'] },
      ],
    }),
  );
  const [first, second] = market.datasets[0]!.contracts;
  assert.deepEqual(
    [first!.contract.symbol, first!.contract.tickSizeNanos, first!.names],
    ['ESH6', 50_000_000, ['ES MAR26']],
  );
  assert.equal(second!.contract.name, 'E-mini S&P 500 ESM6');
});

test('whatever is cut out of a file, or put into it, there is a market or there are faults', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: FILE.length }),
      fc.nat({ max: 60 }),
      fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('\n', ':', '{', '- ', '&a ', '0')),
      (at, length, put) => {
        const text = FILE.slice(0, at) + put + FILE.slice(at + length);
        for (const fault of faultsOf(text)) assert.match(fault, /^\d+:\d+ \S/);
      },
    ),
    { numRuns: 150 },
  );
});

test('a name is of one dataset only', () => {
  const products = { ES: { extends: 'ES', contracts: { from: '2026-12', to: '2026-12' } } };
  const text = JSON.stringify({ datasets: { ONE: { products }, TWO: { products } } });
  assert.throws(() => readInstruments(text), {
    message: 'datasets.TWO has the name ESZ6, which is one of ONE too',
  });
});

test('a dataset may receive its trades, with a grace and a length of outages that are gaps', () => {
  const live = (fields: object) => {
    const { datasets } = JSON.parse(withProduct({}));
    return JSON.stringify({ datasets: { X: { ...datasets.X, live: fields } } });
  };
  assert.deepEqual(dataset(readInstruments(live({ source: 'push' })), 'X').live, {
    source: 'push',
    graceMs: 250,
    gapAfterMs: 900_000,
  });
  const set = { source: 'push', graceMs: 0, gapAfterMinutes: 60 };
  assert.deepEqual(dataset(readInstruments(live(set)), 'X').live, {
    source: 'push',
    graceMs: 0,
    gapAfterMs: 3_600_000,
  });
  assert.equal(dataset(readInstruments(withProduct({})), 'X').live, undefined);
  assert.match(
    faultsOf(live({ source: 'poll' })).join(),
    /datasets\.X\.live\.source is "poll"; push, composite would do/,
  );
  assert.match(faultsOf(live({})).join(), /datasets\.X\.live lacks "feed" or "source"/);
  assert.match(
    faultsOf(live({ ...set, grace: 1 })).join(),
    /datasets\.X\.live\.grace is not known/,
  );
  assert.match(faultsOf(live({ ...set, gapAfterMinutes: 0 })).join(), /gapAfterMinutes is "0"/);
});
