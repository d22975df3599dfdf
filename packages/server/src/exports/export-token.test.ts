import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import type { ParameterDefinition, ParamValue } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import fc from 'fast-check';
import { anyText } from '../../testing/any-text.ts';
import type { HistoryQuery } from '../history/history-query.ts';
import { STUDIES_MAX } from '../history/study-fields.ts';
import { ExportTokens, TOKEN_VALID_NS } from './export-token.ts';

const NOW = 1_794_000_000_000_000_000n as EpochNs;
const QUERY: HistoryQuery = {
  instrument: 'ES.c.0',
  contract: 'ESZ6',
  tickSizeNanos: 250_000_000,
  indicator: 'bars',
  params: { bar: 'tick', size: 5 },
  depth: 500,
  computeUnitsPerTrade: 1,
  mode: 'live',
  hasSnapshot: false,
  format: 'ndjson',
  from: (NOW - 9n) as EpochNs,
  to: NOW,
  untilCursor: null,
  cursor: null,
  limit: 1,
};
const secret = new Uint8Array(32).fill(7);
const BEGUN = { queries: [QUERY], engineFingerprint: 'engine', inputs: 'inputs' };
const computationNamed = (indicator: string) => `${indicator} one`;
const tokens = new ExportTokens({ secret, computationNamed });

test('a token gives back its query to its account, for 24 hours, also in another process', () => {
  const token = tokens.issue(NOW, 'account', BEGUN);
  const restarted = new ExportTokens({ secret, computationNamed });
  const read = (after: bigint) => restarted.read((NOW + after) as EpochNs, 'account', token);
  assert.deepEqual(read(0n), { t: 'good', ...BEGUN });
  assert.deepEqual(read(TOKEN_VALID_NS), { t: 'good', ...BEGUN });
  assert.deepEqual(read(TOKEN_VALID_NS + 1n), { t: 'too-old' });
});

test('it is bound to account, secret and the computation of its indicator, and of no other [SEC-24]', () => {
  const token = tokens.issue(NOW, 'account', BEGUN);
  assert.deepEqual(tokens.read(NOW, 'accoun', token), { t: 'unknown' });
  const others = new ExportTokens({ secret: new Uint8Array(32), computationNamed });
  assert.deepEqual(others.read(NOW, 'account', token), { t: 'unknown' });
  const readAfter = (changed: string) => {
    const named = (id: string) => (id === changed ? `${id} two` : computationNamed(id));
    return new ExportTokens({ secret, computationNamed: named }).read(NOW, 'account', token);
  };
  assert.deepEqual(readAfter('bars'), { t: 'outdated' });
  assert.deepEqual(readAfter('tpo'), { t: 'good', ...BEGUN });
});

/** A value of the parameter with the longest text. */
function longestValue({ values = [], ...about }: ParameterDefinition): ParamValue {
  const { type, minimum, maximum, multipleOf = 1, maxItems = 0 } = about;
  const most = maximum ?? Number.MAX_SAFE_INTEGER;
  const least = minimum ?? -most;
  const perUnit = Math.round(1 / multipleOf);
  if (type === 'integers') {
    const upTo = Array.from({ length: maxItems }, (_, at) => most - at);
    const from = Array.from({ length: maxItems }, (_, at) => least + at);
    return String(upTo).length > String(from).length ? upTo : from;
  }
  const numbers = type === 'boolean' || type === 'string' ? [] : [least, most];
  const beside = type === 'number' ? [Math.round((most - multipleOf) * perUnit) / perUnit] : [];
  const all: readonly ParamValue[] = [
    ...values,
    ...numbers,
    ...beside,
    ...(type === 'boolean' ? [false] : []),
  ];
  return all.toSorted((a, b) => String(b).length - String(a).length)[0]!;
}

test('as many studies as there may be, with the longest parameters, are resumed', () => {
  const ours = new ExportTokens({ secret });
  for (const definition of INDICATORS) {
    const { id: indicator } = definition;
    const longest = definition.parameters.map((one) => [one.name, longestValue(one)] as const);
    const parsed = parseParams(definition, Object.fromEntries(longest));
    assert.ok('params' in parsed, JSON.stringify(parsed));
    const study = { ...QUERY, indicator, params: parsed.params, computeUnitsPerTrade: 1_000 };
    const untilCursor = '20261112.4294967295.4294967295';
    const query = {
      ...study,
      instrument: 'MESZ26.unusual',
      contract: 'MESZ26.unusual',
      untilCursor,
    };
    const queries = Array.from({ length: STUDIES_MAX }, () => query);
    const inputs = queries.map(() => 'x'.repeat(22)).join(' ');
    const begun = { queries, engineFingerprint: 'f'.repeat(64), inputs };
    const token = ours.issue(NOW, 'account', begun);
    assert.deepEqual(
      ours.read(NOW, 'account', token),
      { t: 'good', ...begun },
      `${indicator}: ${token.length}`,
    );
  }
});

test('no other text is a token [SEC-24]', () => {
  const token = tokens.issue(NOW, 'account', BEGUN);
  const changed = fc.oneof(
    fc.string(),
    anyText().map((end) => token + end),
    fc.nat({ max: token.length - 1 }).map((length) => token.slice(0, length)),
    fc
      .tuple(fc.nat({ max: token.length - 1 }), fc.string({ minLength: 1, maxLength: 1 }))
      .map(([at, character]) => token.slice(0, at) + character + token.slice(at + 1)),
  );
  fc.assert(
    fc.property(changed, (text) => {
      const reading = tokens.read(NOW, 'account', text);
      // The last character of a code has bits to spare: `export-tokens.test.ts` covers its other spellings.
      const isSame = text.slice(0, -1) === token.slice(0, -1) && text.length === token.length;
      if (!isSame) assert.deepEqual(reading, { t: 'unknown' });
    }),
    { numRuns: 300 },
  );
});

test('while the secret is changed, tokens of the one before are good, and of those before that not', () => {
  const [first, second, third] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  let secrets = { signing: first, good: [first] };
  const changing = new ExportTokens({ secret: () => secrets, computationNamed });
  const read = (token: string) => changing.read(NOW, 'account', token).t;
  const before = changing.issue(NOW, 'account', BEGUN);
  // A new one is valid everywhere before any node signs with it.
  secrets = { signing: first, good: [second, first] };
  assert.equal(changing.issue(NOW, 'account', BEGUN), before);
  secrets = { signing: second, good: [second, first] };
  const after = changing.issue(NOW, 'account', BEGUN);
  assert.notEqual(after, before);
  assert.deepEqual([read(before), read(after)], ['good', 'good']);
  secrets = { signing: third, good: [third, second] };
  assert.deepEqual([read(before), read(after)], ['unknown', 'good']);
});
