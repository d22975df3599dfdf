import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Session } from '@tapeloom/core/calendar/session';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { address, type Fields } from '../../../testing/history/history-requests.ts';
import { PortalBrowser } from '../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../testing/rest/rest-service.ts';
import { dayText } from '../../platform/refusal-answer.ts';

interface View {
  readonly date: string;
  readonly open: string;
  readonly close: string;
  readonly regular: { readonly open: string; readonly close: string } | null;
}
interface List {
  readonly instrument: string;
  readonly contract: string;
  readonly dataset: string;
  readonly calendar: string;
  readonly timeZone: string;
  readonly sessions: readonly View[];
}

const WEEK: Fields = { instrument: 'ESZ6', from: '2026-11-09', to: '2026-11-14' };
const INVALID = { status: 400, code: 'INVALID_PARAMETERS' } as const;
const UNKNOWN = { status: 404, code: 'UNKNOWN_INSTRUMENT' } as const;
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' } as const;

let service: RestService;
let key: string;
before(async () => {
  service = await RestService.start();
  key = await service.customer();
});
after(() => service[Symbol.asyncDispose]());

const ask = <T = List>(fields: Fields, of = key, headers: Record<string, string> = {}) =>
  service.get<T>(address('/v1/sessions', fields), { key: of, headers });
const sessionsOf = async (fields: Fields) => (await ask(fields)).body.sessions;

function view({ date, open, close, regular }: Session): View {
  const hours = regular && { open: `${regular.open}`, close: `${regular.close}` };
  return { date: dayText(date), open: `${open}`, close: `${close}`, regular: hours ?? null };
}

test('the sessions are those that studies use, with their regular hours, past and to come', async () => {
  const table = service.market.sessionsOf('ESZ6', 'full');
  const regular = service.market.sessionsOf('ESZ6', 'rth');
  const answer = await ask({ instrument: 'ESZ6', from: '2026-08-01' });
  assert.equal(answer.status, 200, answer.text);
  const { sessions, ...rest } = answer.body;
  const about = { instrument: 'ESZ6', contract: 'ESZ6', dataset: 'SIM' };
  assert.deepEqual(rest, { ...about, calendar: 'cme-equity', timeZone: 'America/Chicago' });
  const expected: View[] = [];
  for (
    let session = table.atOrAfter(epochNs(utcDay(20260801), 0));
    session !== null;
    session = table.atOrAfter(session.close)
  ) {
    expected.push(view(session));
    const hours = regular.atOrAfter(session.open);
    if (session.regular !== undefined) assert.deepEqual(session.regular.open, hours?.open);
  }
  assert.ok(expected.length > 80);
  assert.deepEqual(sessions, expected);
  const now = service.clock.now();
  assert.ok(BigInt(sessions.at(-1)!.open) > now + 30n * 86_400_000_000_000n);
  const thanksgiving = sessions.find(({ date }) => date === '2026-11-26')!;
  assert.equal(thanksgiving.regular, null, 'a short day without regular hours');
});

test('a range has every session that is open at some time of it', async () => {
  const week = await sessionsOf(WEEK);
  const dates = ['2026-11-09', '2026-11-10', '2026-11-11', '2026-11-12', '2026-11-13'];
  assert.deepEqual(
    week.map(({ date }) => date),
    dates,
  );
  const [monday, tuesday] = week as [View, View];
  const range = async (from: bigint, to: bigint) => {
    const found = await sessionsOf({ instrument: 'ESZ6', from: `${from}`, to: `${to}` });
    return found.map(({ date }) => date);
  };
  const [close, open] = [BigInt(monday.close), BigInt(tuesday.open)];
  assert.deepEqual(await range(close - 1n, close), ['2026-11-09']);
  assert.deepEqual(await range(close, open), [], 'the pause between two');
  assert.deepEqual(await range(close, open + 1n), ['2026-11-10']);
  assert.deepEqual(await range(close - 1n, open + 1n), ['2026-11-09', '2026-11-10']);
  const rfc = { from: '2026-11-09T00:00:00Z', to: '2026-11-13T18:00:00-06:00' };
  assert.deepEqual(await sessionsOf({ ...WEEK, ...rfc }), week);
  assert.deepEqual(await sessionsOf({ ...WEEK, from: '1990-01-01', to: '1990-06-01' }), []);
});

test('an alias means the contract that it designates at the start of the range', async () => {
  const { body } = await ask({ ...WEEK, instrument: 'ES.c.0' });
  assert.deepEqual([body.instrument, body.contract], ['ES.c.0', 'ESZ6']);
  assert.deepEqual(body.sessions, await sessionsOf(WEEK));
  const later = await ask({ instrument: 'ES.c.0', from: '2026-12-28', to: '2026-12-30' });
  assert.equal(later.body.contract, 'ESH7');
});

test('a key of any plan, environment and scope may ask; one for other instruments may not', async () => {
  const accountId = await service.account();
  const expected = await sessionsOf(WEEK);
  const rights = [
    { scopes: ['stream'], environment: 'test' },
    { scopes: ['keys'] },
    { instruments: ['ESZ6'] },
    { instruments: ['ES.c.0'] },
  ] as const;
  for (const right of rights) {
    const { secret } = await service.key(accountId, right);
    const answer = await ask(WEEK, secret);
    assert.deepEqual(answer.body.sessions, expected, JSON.stringify(right));
    assert.ok(answer.headers['ratelimit-limit'] !== undefined);
  }
  const { secret } = await service.key(accountId, { instruments: ['ES.c.0'] });
  const refused = checkProblem(await ask({ ...WEEK, instrument: 'CLF7' }, secret), DOCS_URL, {
    ...FORBIDDEN,
  });
  assert.equal(refused.detail, 'The key does not allow the instrument "CLF7".');
  const nobody = await service.get(address('/v1/sessions', WEEK));
  checkProblem(nobody, DOCS_URL, { status: 401, code: 'UNAUTHORIZED' });
});

test('what is wrong with a request is said field by field', async () => {
  const faults: readonly [Fields, readonly string[]][] = [
    [{}, ['/instrument', '/from']],
    [{ ...WEEK, from: 'yesterday', to: 'today' }, ['/from', '/to']],
    [{ ...WEEK, from: '1794238200' }, ['/from']],
    [{ ...WEEK, to: WEEK.from! }, ['/to']],
    [{ ...WEEK, instrument: '' }, ['/instrument']],
    [{ ...WEEK, limit: '3' }, ['/limit']],
  ];
  for (const [fields, paths] of faults) {
    const { errors } = checkProblem(await ask(fields), DOCS_URL, INVALID);
    assert.deepEqual(
      errors?.map(({ path }) => path).sort(),
      paths.toSorted(),
      JSON.stringify(fields),
    );
  }
  const unknown = checkProblem(await ask({ ...WEEK, instrument: 'ESZ66' }), DOCS_URL, UNKNOWN);
  assert.match(unknown.detail, /Did you mean/);
  checkProblem(await ask({ ...WEEK, instrument: '__proto__' }), DOCS_URL, UNKNOWN);
  checkProblem(await ask({ ...WEEK, dataset: 'OTHER' }), DOCS_URL, UNKNOWN);
  assert.deepEqual(await sessionsOf({ ...WEEK, dataset: 'SIM' }), await sessionsOf(WEEK));
});

test('a response has 400 sessions at most; with more it names an end that fits', async () => {
  const first = utcDay(20250101);
  const days = Array.from({ length: 402 }, (_, index) => addDays(first, index));
  const table = createSessionTable(
    days.map((date) => {
      const open = epochNs(date, 0);
      return { date, open, close: (open + 3_600_000_000_000n) as EpochNs };
    }),
  );
  const { market } = service;
  using stack = new DisposableStack();
  const sessionsOfMarket = market.sessionsOf;
  stack.defer(() => {
    market.sessionsOf = sessionsOfMarket;
  });
  market.sessionsOf = () => table;
  const from = dayText(first);
  for (const fields of [{}, { to: dayText(addDays(first, 401)) }]) {
    const refused = await ask({ instrument: 'ESZ6', from, ...fields });
    const { errors } = checkProblem(refused, DOCS_URL, INVALID);
    const [{ path, message }] = errors as [{ path: string; message: string }];
    assert.equal(path, '/to');
    const to = /^must be at most (\d+): the range has more than 400 sessions$/.exec(message)![1]!;
    assert.equal((await sessionsOf({ instrument: 'ESZ6', from, to })).length, 400);
  }
  const to = dayText(addDays(first, 400));
  assert.equal((await sessionsOf({ instrument: 'ESZ6', from, to })).length, 400);
});

test('an answer that the client has already is not sent again', async () => {
  const first = await ask(WEEK);
  const { etag } = first.headers;
  assert.match(etag!, /^"[\w-]{22}"$/);
  assert.equal(first.headers['cache-control'], 'private, no-cache');
  const again = await ask(WEEK, key, { 'if-none-match': etag! });
  assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag]);
  const other = await ask({ ...WEEK, to: '2026-11-12' }, key, { 'if-none-match': etag! });
  assert.equal(other.status, 200);
});

test('a portal session gets the same, on our own pages', async () => {
  const browser = new PortalBrowser(service);
  await browser.signIn('sessions@example.com');
  const headers = { 'sec-fetch-site': 'same-origin' };
  const path = address('/v1/portal/try/sessions', WEEK);
  const answer = await browser.get<List>(path, { headers });
  assert.deepEqual(answer.body, (await ask(WEEK)).body);
  const foreign = await browser.get(path, { headers: { 'sec-fetch-site': 'cross-site' } });
  checkProblem(foreign, DOCS_URL, FORBIDDEN);
  const today = dayText(dayOf(service.clock.now()));
  const wrong = await browser.get(address('/v1/portal/try/sessions', { from: today }), { headers });
  assert.deepEqual(checkProblem(wrong, DOCS_URL, INVALID).errors?.length, 1);
});
