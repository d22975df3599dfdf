import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { type House, missingPlaces, type Named } from './missing-places.ts';
import { THIS_HOUSE } from './this-house.ts';

const MADE: readonly Named[] = [
  { id: 'ticks', version: 1 },
  { id: 'big-trades', version: 3 },
];
const IDS = MADE.map(({ id }) => id);
const FILES: Readonly<Record<string, string>> = {
  'contract/vectors/ticks.v1.jsonl': '{}\n',
  'contract/vectors/big-trades.v3.jsonl': '{}\n',
  'contract/catalogue.json': JSON.stringify({ indicators: MADE }),
  'contract/study-digests.json': JSON.stringify({
    indicators: Object.fromEntries(MADE.map(({ id, version }) => [id, { version, cases: {} }])),
  }),
  'packages/protocol/src/indicators.ts':
    "  readonly ticks: TypesOf<A, B>;\n  readonly 'big-trades': TypesOf<\n    C,\n    D\n  >;\n",
  ...Object.fromEntries(
    IDS.flatMap((id) => [
      [`docs/charts/${id}.svg`, '<svg/>'],
      [`docs/charts/${id}-small.svg`, '<svg/>'],
      [`docs/indicators/${id}.md`, '# It\n'],
      [`packages/portal/recording/indicators/${id}.gz`, ''],
    ]),
  ),
  'docs/indicators/README.md': '## [Ticks](ticks.md)\n\n## [Big](big-trades.md)\n',
  'docs/semantics.md': '<!-- begin ticks -->\n<!-- begin big-trades -->\n',
  'tests/golden-day/digests.json': JSON.stringify({
    small: { 'ticks: pages': '1', 'big-trades: pages': '2' },
    all: { 'ticks: pages': '1', 'big-trades: pages': '2' },
  }),
};
const LISTS = Object.fromEntries(
  Object.keys(THIS_HOUSE.lists).map((path) => [path, IDS]),
) as unknown as House['lists'];

/** The fixture with some files changed (text) or removed (null). */
function house(files: Readonly<Record<string, string | null>> = {}, lists = LISTS): House {
  const all: Readonly<Record<string, string | null>> = { ...FILES, ...files };
  return { lists, read: (path) => all[path] ?? null };
}

test('every indicator of the catalogue has everything, and nothing belongs to none', () => {
  const missing = missingPlaces(INDICATORS, THIS_HOUSE);
  assert.ok(missing.length === 0, missing.join('\n'));
});

test('a whole house lacks nothing', () => {
  assert.deepEqual(missingPlaces(MADE, house()), []);
});

test('an indicator that is not in a list is reported with its id and the file of the list', () => {
  for (const path of Object.keys(LISTS)) {
    for (const id of IDS) {
      const lists = { ...LISTS, [path]: IDS.filter((other) => other !== id) };
      const [line, ...more] = missingPlaces(MADE, house({}, lists));
      assert.deepEqual(more, []);
      assert.ok(
        line!.startsWith(`${id}: `) && line!.endsWith(` in ${path}: write an entry`),
        line!,
      );
    }
  }
});

test('an entry of no indicator is reported, in each list', () => {
  for (const path of Object.keys(LISTS)) {
    const lists = { ...LISTS, [path]: [...IDS, 'gone'] };
    assert.deepEqual(missingPlaces(MADE, house({}, lists)), [
      `gone: ${path} has an entry, and the catalogue has no such indicator`,
    ]);
  }
});

test('an indicator that is not in a file is reported with its id, the file and the command that writes it', () => {
  const without = (path: string) => {
    const text = FILES[path]!;
    if (path === 'contract/catalogue.json') return JSON.stringify({ indicators: [MADE[0]] });
    return text.replaceAll('big-trades', 'other');
  };
  const commands: Readonly<Record<string, string>> = {
    'contract/catalogue.json': 'npm run interface',
    'contract/study-digests.json': 'npm run interface',
    'packages/protocol/src/indicators.ts': 'npm run interface',
    'docs/indicators/README.md': 'npm run docs',
    'docs/semantics.md': 'npm run docs',
    'tests/golden-day/digests.json': 'node tests/golden-day/write.ts --new',
  };
  for (const [path, command] of Object.entries(commands)) {
    const [line, ...more] = missingPlaces(MADE, house({ [path]: without(path) }));
    assert.deepEqual(more, [], path);
    assert.match(line!, /^big-trades: /);
    assert.ok(line!.endsWith(` is missing in ${path}: run ${command}`), line!);
  }
});

test('a file of its own that does not exist is reported with the command that writes it', () => {
  const commands: Readonly<Record<string, string>> = {
    'contract/vectors/big-trades.v3.jsonl': 'npm run vectors -- big-trades',
    'docs/charts/big-trades.svg': 'npm run charts',
    'docs/charts/big-trades-small.svg': 'npm run charts',
    'docs/indicators/big-trades.md': 'npm run docs',
    'packages/portal/recording/indicators/big-trades.gz': 'npm run recordings',
  };
  for (const [path, command] of Object.entries(commands)) {
    const [line, ...more] = missingPlaces(MADE, house({ [path]: null }));
    assert.deepEqual(more, [], path);
    assert.match(line!, /^big-trades: /);
    assert.ok(line!.endsWith(` is missing in ${path}: run ${command}`), line!);
  }
});

test('definition, digests and vectors of an earlier version are not those of this one', () => {
  const raised = [MADE[0]!, { id: 'big-trades', version: 4 }];
  const lines = missingPlaces(raised, house());
  assert.deepEqual(
    lines.map((line) => / in (\S+): /.exec(line)![1]),
    [
      'contract/vectors/big-trades.v4.jsonl',
      'contract/catalogue.json',
      'contract/study-digests.json',
    ],
  );
});

test('one that is nowhere is reported for every place, the lists first', () => {
  const lines = missingPlaces([...MADE, { id: 'new', version: 1 }], house());
  assert.equal(lines.length, Object.keys(LISTS).length + 11);
  for (const line of lines) assert.match(line, /^new: .+ is missing in \S+: \S/);
  // The gate also checks every place in the real repository.
  const real = missingPlaces([...INDICATORS, { id: 'new', version: 1 }], THIS_HOUSE);
  assert.deepEqual(
    real.filter((line) => line.startsWith('new: ')),
    lines,
  );
});
