import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { KeyRights } from '@tapeloom/core/entitlement/key-rights';
import type { Plan } from '@tapeloom/core/entitlement/plan';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { addDays, dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { RIGHT_BOOK, RIGHT_CASES } from '../../testing/accounts/right-cases.ts';
import { type QuestionFault, Refusal } from '../platform/refusal.ts';
import { answerTo } from '../platform/refusal-answer.ts';
import { HISTORY_PARAMETERS, type HistoryOperation } from './history-fields.ts';
import {
  type HistoryContext,
  type HistoryQuery,
  historyQueryText,
  parseHistoryQueryText,
  readHistoryQueries,
} from './history-query.ts';
import { tapeRevision, withRevision } from './tape-revision.ts';

const TODAY = utcDay(20261113);
const HOUR_NS = 3_600_000_000_000;
const NOW = epochNs(TODAY, 14.5 * HOUR_NS);
const DELAY = 600_000_000_000n;

const RIGHTS: KeyRights = {
  environment: 'live',
  scopes: ['history'],
  instruments: null,
  allowedIps: null,
  expiresAt: null,
};

const contract = (symbol: string, expires: number) => ({
  symbol,
  dataset: 'SIM',
  root: 'ES',
  name: symbol,
  exchange: 'XSIM',
  currency: 'USD',
  tickSizeNanos: 250_000_000,
  lotSizeNanos: 1_000_000_000,
  pointValueNanos: 50_000_000_000,
  calendar: 'cme-equity',
  expiresAt: epochNs(utcDay(expires), 14 * HOUR_NS),
});

/** Rolled on Tuesday of this week. */
const BOOK = new InstrumentBook(
  [contract('ESU6', 20261112), contract('ESZ6', 20261218)],
  [
    {
      alias: 'ES.c.0',
      dataset: 'SIM',
      root: 'ES',
      rolls: [
        { from: utcDay(20260901), symbol: 'ESU6' },
        { from: utcDay(20261110), symbol: 'ESZ6' },
      ],
    },
  ],
);

function contextOf(plan: Plan = 'live_history', rights: Partial<KeyRights> = {}): HistoryContext {
  const entitlements = Entitlements.of({ ...RIGHTS, ...rights }, plan);
  return {
    entitlements,
    book: BOOK,
    isStreamed: (symbol) => symbol === 'ESZ6',
    servedDays: new Map(),
    now: NOW,
    visible: entitlements.visibleUntil(NOW),
  };
}

type Raw = Record<string, unknown>;

const PLAIN = { instrument: 'ESZ6', indicator: 'bars', from: '2026-11-12' };

function accepted(
  raw: Raw,
  context = contextOf(),
  operation: HistoryOperation = 'history',
): HistoryQuery {
  const { visible, ...caller } = context;
  return readHistoryQueries(raw, operation, { ...caller, visibleOf: () => visible })[0]!;
}

function ask(...asked: Parameters<typeof accepted>): HistoryQuery | QuestionFault {
  try {
    return accepted(...asked);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return answerTo(error.reason);
  }
}

test('a further page keeps its end where that has been and is not seen here; others end with what is seen', () => {
  const visible = (NOW - 2_000_000_000n) as EpochNs;
  const context = { ...contextOf(), visible };
  const cursor = '20261113.5.1';
  for (const [seconds, isAhead] of [
    [-3, false],
    [-1, true],
    [0, true],
    [1, false],
  ] as const) {
    const to = NOW + BigInt(seconds) * 1_000_000_000n;
    const page = accepted({ ...PLAIN, to: String(to), cursor }, context);
    assert.equal(page.endAhead, isAhead ? to : undefined);
    assert.equal(page.to, to < visible ? to : visible);
    assert.equal(accepted({ ...PLAIN, to: String(to) }, context).endAhead, undefined);
  }
});

function refused(...asked: Parameters<typeof accepted>): QuestionFault {
  const outcome = ask(...asked);
  assert.ok('code' in outcome, 'it was accepted');
  return outcome;
}

/** The pointers of the faults. */
function faults(raw: Raw, context = contextOf(), operation?: HistoryOperation): string[] {
  const { code, errors } = refused(raw, context, operation);
  assert.equal(code, 'INVALID_PARAMETERS');
  return errors!.map(({ path }) => path);
}

test('a plain query reads to the newest that can be seen, by default in mode live and pages of 1,000', () => {
  const query = accepted(PLAIN);
  assert.deepEqual(
    [query.contract, query.from, query.to, query.mode, query.limit, query.hasSnapshot],
    ['ESZ6', epochNs(utcDay(20261112), 0), NOW, 'live', 1_000, false],
  );
  assert.deepEqual([query.cursor, query.untilCursor], [null, null]);
  assert.equal(accepted(PLAIN, contextOf('history')).to, NOW - DELAY);
  const ahead = accepted({ ...PLAIN, to: '2030-01-01' }, contextOf('history'));
  assert.equal(ahead.to, NOW - DELAY);
  assert.equal(accepted({ ...PLAIN, to: '2026-11-13' }).to, epochNs(TODAY, 0));
});

test('everything that is wrong with the fields is told at once, by its pointer', () => {
  assert.deepEqual(faults({}), ['/indicator', '/instrument', '/from']);
  const nonsense = {
    instrument: '',
    indicator: ['bars', 'bars'],
    from: '2026-13-01',
    to: 'tomorrow',
    untilCursor: '20261113.01.1',
    mode: 'fast',
    limit: '1e3',
    cursor: '20261113.1',
    snapshot: 'yes',
    dataset: 'x'.repeat(65),
    gaps: 'some',
    params: '[1]',
    'a/b~c': '1',
  };
  assert.deepEqual(
    new Set(faults(nonsense)),
    new Set([...HISTORY_PARAMETERS.history.map((name) => `/${name}`), '/a~1b~0c']),
  );
  for (const limit of ['0', '-1', '10001', '1.5', '', ' 1', '1e1']) {
    assert.deepEqual(faults({ ...PLAIN, limit }), ['/limit'], limit);
  }
  for (const limit of ['1', '10000']) assert.equal(accepted({ ...PLAIN, limit }).limit, +limit);
  assert.deepEqual(faults({ ...PLAIN, __proto__x: '1', to: '2026-11-13' }), ['/__proto__x']);
});

test('parameters of the indicator are judged below /params, together with the other fields', () => {
  const params = JSON.stringify({ size: 0, colour: 'red' });
  assert.deepEqual(faults({ ...PLAIN, params, limit: '0' }), [
    '/params/colour',
    '/params/size',
    '/limit',
  ]);
  for (const text of ['', '{', 'null', '5', '"{}"', '{"__proto__":1}']) {
    assert.match(faults({ ...PLAIN, params: text })[0]!, /^\/params/, text);
  }
  const huge = JSON.stringify({ x: 'y'.repeat(16_384) });
  assert.deepEqual(faults({ ...PLAIN, params: huge }), ['/params/x']);
  // An unknown indicator has no parameters, but `params` must still be an object.
  assert.equal(refused({ ...PLAIN, indicator: 'no', params }).code, 'UNKNOWN_INDICATOR');
  assert.deepEqual(faults({ ...PLAIN, indicator: 'no', params: '5' }), ['/params']);
});

test('an export takes the same query but for what belongs to pages', () => {
  accepted({ ...PLAIN, mode: 'confirmed', dataset: 'SIM' }, contextOf(), 'export');
  for (const [name, text] of [
    ['limit', '5'],
    ['cursor', '20261112.1.1'],
    ['snapshot', 'true'],
  ] as const) {
    assert.deepEqual(faults({ ...PLAIN, [name]: text }, contextOf(), 'export'), [`/${name}`]);
    accepted({ ...PLAIN, [name]: text }, contextOf(), 'estimate');
  }
});

test('reasons to refuse come in their order: each is hidden by those before it', () => {
  const restricted = contextOf('sandbox', { instruments: ['ESU6'] });
  // From the last reason to the first; one change removes each.
  const cases: readonly [Raw, HistoryContext, string, string | null][] = [
    [{ limit: '0' }, restricted, 'INVALID_PARAMETERS', '/limit'],
    [{ indicator: 'no' }, restricted, 'UNKNOWN_INDICATOR', null],
    [{ instrument: 'ESU6' }, restricted, 'UNKNOWN_INSTRUMENT', null],
    [{}, restricted, 'FORBIDDEN', 'does not allow the instrument'],
    [{}, contextOf('sandbox'), 'FORBIDDEN', 'no history before'],
    [{ from: '2026-11-12', to: '2026-11-11' }, contextOf('sandbox'), 'INVALID_PARAMETERS', '/to'],
  ];
  const bad = { ...PLAIN, indicator: 'no', instrument: 'none', from: '2026-01-01', limit: '0' };
  const fix = (changes: Raw): Raw => {
    const { limit: _bad, ...rest } = { ...bad, indicator: 'bars', instrument: 'ESZ6' };
    return { ...rest, ...changes };
  };
  assert.equal(refused(bad, restricted).code, 'INVALID_PARAMETERS');
  for (const [changes, context, code, about] of cases) {
    const refusal = refused(fix(changes), context);
    assert.equal(refusal.code, code);
    if (about !== null) assert.match(refusal.detail, new RegExp(about));
  }
});

test('a contract that is not streamed needs its dataset, an alias does not', () => {
  const old = { ...PLAIN, instrument: 'ESU6' };
  assert.equal(refused(old).code, 'UNKNOWN_INSTRUMENT');
  assert.equal(accepted({ ...old, dataset: 'SIM' }).contract, 'ESU6');
  assert.equal(refused({ ...old, dataset: 'OTHER' }).code, 'UNKNOWN_INSTRUMENT');
  assert.equal(refused({ ...PLAIN, instrument: 'es.c.0' }).code, 'UNKNOWN_INSTRUMENT');
  assert.match(refused({ ...PLAIN, instrument: 'es.c.0' }).detail, / Did you mean "ES\.c\.0"\?$/);
  assert.match(refused({ ...PLAIN, indicator: 'footprnt' }).detail, / Did you mean "footprint"\?$/);
  // A name that exists under another condition is not mistyped.
  assert.doesNotMatch(refused(old).detail, /Did you mean/);
  const alias = { ...PLAIN, instrument: 'ES.c.0' };
  assert.equal(accepted({ ...alias, from: '2026-11-09T23:59:59.999999999Z' }).contract, 'ESU6');
  assert.equal(accepted({ ...alias, from: '2026-11-10' }).contract, 'ESZ6');
  assert.equal(refused({ ...alias, from: '2026-08-31' }).code, 'UNKNOWN_INSTRUMENT');
});

test('every entry of a key has the verdict of the table, at the time the query starts', () => {
  let judged = 0;
  for (const { entries, name, now, from, isAllowed, title } of RIGHT_CASES) {
    if (from === null || from >= now) continue;
    judged += 1;
    const entitlements = Entitlements.of({ ...RIGHTS, instruments: entries }, 'live_history');
    const market = { book: RIGHT_BOOK, isStreamed: () => true, servedDays: new Map() };
    const context = { entitlements, ...market, now, visible: now };
    const outcome = ask({ instrument: name, indicator: 'bars', from: String(from) }, context);
    if (isAllowed) assert.ok(!('code' in outcome), `${title} ${inspect(outcome)}`);
    else assert.equal('code' in outcome && outcome.code, 'FORBIDDEN', title);
  }
  assert.ok(judged > 50);
});

test('history is as deep as the plan says', () => {
  const first = '2026-11-06';
  assert.equal(
    accepted({ ...PLAIN, from: first }, contextOf('sandbox')).from,
    1_793_923_200n * 10n ** 9n,
  );
  const earlier = { ...PLAIN, from: '2026-11-05T23:59:59.999999999Z' };
  assert.equal(refused(earlier, contextOf('sandbox')).code, 'FORBIDDEN');
  assert.equal(
    refused(earlier, contextOf('live_history', { environment: 'test' })).code,
    'FORBIDDEN',
  );
  accepted({ ...PLAIN, from: '2010-01-01' }, contextOf('history'));
  assert.equal(refused(PLAIN, contextOf('live')).code, 'FORBIDDEN');
});

test('ranges are neither reversed nor empty, and start before what can be seen', () => {
  assert.deepEqual(faults({ ...PLAIN, to: '2026-11-11' }), ['/to']);
  assert.deepEqual(faults({ ...PLAIN, to: PLAIN.from }), ['/to']);
  assert.deepEqual(faults({ ...PLAIN, from: '2026-11-14' }), ['/from']);
  assert.deepEqual(faults({ ...PLAIN, from: String(NOW) }), ['/from']);
  const justSeen = String(NOW - DELAY - 1n);
  const justNot = String(NOW - DELAY);
  accepted({ ...PLAIN, from: justSeen }, contextOf('history'));
  assert.deepEqual(faults({ ...PLAIN, from: justNot }, contextOf('history')), ['/from']);
  assert.deepEqual(faults({ ...PLAIN, to: '2026-11-13', untilCursor: '20261112.1.1' }), [
    '/untilCursor',
  ]);
});

test('cursors belong to the range as far as it can be seen; what lies ahead is left to be waited for', () => {
  accepted({ ...PLAIN, untilCursor: '20261113.7.1' });
  assert.deepEqual(faults({ ...PLAIN, untilCursor: '20261111.7.1' }), ['/untilCursor']);
  accepted({ ...PLAIN, untilCursor: '20261114.0.0' });
  assert.deepEqual(faults({ ...PLAIN, cursor: '20261111.7.1' }), ['/cursor']);
  accepted({ ...PLAIN, cursor: '20261114.7.1' });
  accepted({ ...PLAIN, to: '2026-11-12T12:00:00Z', cursor: '20261114.7.1' });
  assert.deepEqual(faults({ ...PLAIN, to: '2026-11-12T12:00:00Z', cursor: '20261113.0.0' }), [
    '/cursor',
  ]);
});

test('a further page is refused when a day up to its cursor is another than when the page before was made', () => {
  const served = (digests: readonly string[]) => ({
    ...contextOf(),
    servedDays: new Map([
      [
        'ESZ6',
        new Map(digests.map((digest, index) => [utcDay(20261112 + index), { digest }] as const)),
      ],
    ]),
  });
  const before = served(['a', 'b', 'c']);
  const revision = tapeRevision(before.servedDays, 'ESZ6', utcDay(20261112), utcDay(20261113));
  const cursor = withRevision('20261113.7.1', revision);
  assert.equal(accepted({ ...PLAIN, cursor }, before).cursor, '20261113.7.1');
  accepted({ ...PLAIN, cursor }, served(['a', 'b', 'other']));
  for (const digests of [['other', 'b', 'c'], ['a', 'other', 'c'], ['a']]) {
    const { code, detail } = refused({ ...PLAIN, cursor }, served(digests));
    assert.equal(code, 'CURSOR_EXPIRED');
    assert.match(detail, /Start again without `cursor`/);
  }
  assert.equal(refused({ ...PLAIN, cursor }, contextOf()).code, 'CURSOR_EXPIRED');
  // A stream's cursor has no revision.
  const imported = { ...before, isStreamed: () => false };
  accepted({ ...PLAIN, dataset: 'SIM', cursor: '20261113.7.1' }, imported);
  // On a live contract it can be of a page before the first repair.
  const live = { ...before, isStreamed: () => true };
  assert.equal(refused({ ...PLAIN, cursor: '20261113.7.1' }, live).code, 'CURSOR_EXPIRED');
  const elsewhere = new Map([['ESZ6', new Map([[utcDay(20261120), { digest: 'a' }]])]]);
  accepted({ ...PLAIN, cursor: '20261113.7.1' }, { ...live, servedDays: elsewhere });
  assert.deepEqual(faults({ ...PLAIN, cursor: '20261113.7.1~x' }), ['/cursor']);
});

test('a cursor is too old when its day has left the window, though the range began before it', () => {
  const sandbox = contextOf('sandbox');
  const paged = { ...PLAIN, from: '2026-11-02' };
  accepted({ ...paged, cursor: '20261106.5.1' }, sandbox);
  assert.equal(refused({ ...paged, cursor: '20261105.5.1' }, sandbox).code, 'CURSOR_EXPIRED');
  assert.equal(refused(paged, sandbox).code, 'FORBIDDEN');
  assert.equal(refused({ ...paged, cursor: '20261106.5.1' }, contextOf('live')).code, 'FORBIDDEN');
});

test('all ways of asking for the same have one text, which gives the query back [SEC-23]', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...INDICATORS),
      fc.constantFrom('2026-11-12', '2026-11-12T00:00:00Z', '1794441600000000000'),
      fc.boolean(),
      fc.option(fc.constantFrom('20261113.7.1'), { nil: undefined }),
      (indicator, from, isSpelledOut, untilCursor) => {
        const defaults = accepted({ ...PLAIN, indicator: indicator.id }).params;
        const params = Object.fromEntries(Object.entries(defaults).toReversed());
        const query = accepted({
          ...PLAIN,
          indicator: indicator.id,
          from,
          ...(isSpelledOut ? { params: JSON.stringify(params), mode: 'live' } : {}),
          ...(untilCursor === undefined ? {} : { untilCursor }),
        });
        const again = accepted({
          ...PLAIN,
          indicator: indicator.id,
          ...(untilCursor === undefined ? {} : { untilCursor }),
        });
        assert.equal(historyQueryText(query), historyQueryText(again));
        const { hasEnd: _, ...told } = query;
        assert.deepEqual(parseHistoryQueryText(historyQueryText(query), query.limit), told);
      },
    ),
  );
});

test('whatever is asked gets a query or a refusal with a code', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom('ESZ6', 'ES.c.0', 'bars', '2026-11-12', '20261112.1.1', 'true', '{}', '5'),
    fc.json(),
    fc.array(fc.string()),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.oneof(fc.constantFrom(...HISTORY_PARAMETERS.history), fc.string()), texts),
      fc.constantFrom('sandbox', 'live', 'history', 'live_history'),
      (raw, plan) => {
        const context = contextOf(plan as Plan);
        const outcome = ask(raw, context);
        if ('code' in outcome) {
          assert.ok(outcome.detail.length > 0);
          assert.equal(outcome.code === 'INVALID_PARAMETERS', outcome.errors !== undefined);
          return;
        }
        assert.ok(outcome.from < outcome.to && outcome.to <= context.visible);
        assert.ok(dayOf(outcome.from) <= addDays(TODAY, 0));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('the delay is part of every range: nothing later than it is ever asked for [SEC-25]', () => {
  for (const plan of ['sandbox', 'history'] as const) {
    for (const to of [undefined, '2026-11-13T14:30:00Z', '2027-01-01']) {
      const query = accepted({ ...PLAIN, ...(to === undefined ? {} : { to }) }, contextOf(plan));
      assert.equal(query.to, (NOW - DELAY) as EpochNs);
    }
  }
});
