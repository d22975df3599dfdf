/**
 * What the chart workspace does with a session, on a real service: the client library reads and streams through the
 * session's routes as it does with a key, and layouts that were acknowledged survive a kill.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type HistoryEntry, TapeloomClient } from '@tapeloom/client';
import { killServices, NO_PAST, RunningService, WAIT_LIMIT_MS } from './running-service.ts';
import { tapeloom, tapeloomJson } from './tapeloom-command.ts';

const EMAIL = 'charts@example.com';
/** Trades come soon after the start. */
const BUSY = { ...NO_PAST, TAPELOOM_SIM_SCALE: '0.5' };
const LOOK_MS = 50;
const DAY_MS = 86_400_000;
const midnightMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
/** Five minutes of yesterday, which a service has from its first moment on. */
const RANGE = {
  instrument: 'BTC.c.0',
  indicator: 'bars',
  from: new Date(midnightMs - DAY_MS / 2),
  to: new Date(midnightMs - DAY_MS / 2 + 300_000),
  snapshot: true,
  limit: 20,
} as const;

interface Layout {
  readonly id: string;
  readonly state: number;
  readonly layout?: object;
}

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-charts-'));
const data = join(directory, 'data');
let service: RunningService;
let cookie = '';

before(async () => {
  service = new RunningService({ data, env: BUSY });
  await service.ready();
  const accounts = await tapeloomJson<readonly { id: string }[]>(data, 'account', 'list');
  const owned = await tapeloom(data, 'account', 'email', accounts[0]!.id, EMAIL);
  assert.equal(owned.code, 0, owned.stderr);
  cookie = await signIn();
});
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

const origin = () => new URL(service.address('portal')).origin;

/** As a browser sends it from our own page. */
function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, cookie, origin: origin() };
  return fetch(`${origin()}${path}`, { ...init, headers });
}

async function send<T>(method: string, path: string, body?: object): Promise<[number, T]> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await ask(path, { method, headers, ...text });
  return [answer.status, (await answer.json()) as T];
}

async function signIn(): Promise<string> {
  const [status] = await send('POST', '/v1/portal/sign-in', { email: EMAIL });
  assert.equal(status, 202);
  const untilMs = performance.now() + WAIT_LIMIT_MS;
  for (;;) {
    const mailbox = await (await fetch(service.address('mails'))).text();
    const token = /\/sign-in#(svc_link_\w+)/.exec(mailbox)?.[1];
    if (token !== undefined) {
      const answer = await ask('/v1/portal/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
      assert.equal(answer.status, 200);
      return answer.headers.getSetCookie()[0]!.split(';')[0]!;
    }
    assert.ok(performance.now() < untilMs, 'the link came');
    await pause(LOOK_MS);
  }
}

/** The page's client: no key, the session's routes, and tokens of the session for streams. */
function sessionClient(): TapeloomClient {
  return new TapeloomClient({
    url: origin(),
    token: async () => {
      const [status, made] = await send<{ token: string }>('POST', '/v1/portal/stream-tokens');
      assert.equal(status, 201);
      return made.token;
    },
    fetch: (input, init) => {
      const { pathname, search } = new URL(String(input));
      const path = pathname.replace('/v1/', '/v1/portal/try/');
      const headers = Object.fromEntries(new Headers(init?.headers));
      return ask(`${path}${search}`, { ...init, headers });
    },
  });
}

async function entriesOf(client: TapeloomClient): Promise<readonly HistoryEntry<'bars'>[]> {
  const entries: HistoryEntry<'bars'>[] = [];
  for await (const entry of client.history(RANGE)) entries.push(entry);
  return entries;
}

test('the client library reads history, estimates, sessions, usage and instruments with a session, as with a key', async () => {
  await using bySession = sessionClient();
  await using byKey = new TapeloomClient({ url: origin(), key: service.keys.live });
  const entries = await entriesOf(bySession);
  assert.ok(entries.length > RANGE.limit, `${entries.length} entries are several pages`);
  assert.deepEqual(entries, await entriesOf(byKey));
  const { snapshot: _snapshot, limit: _limit, ...range } = RANGE;
  const estimate = await bySession.estimate(range);
  assert.equal(estimate.computeUnits, (await byKey.estimate(range)).computeUnits);
  const { instrument, from } = RANGE;
  const sessions = await bySession.sessions({ instrument, from });
  assert.ok(sessions.sessions.length > 7);
  assert.deepEqual(sessions, await byKey.sessions({ instrument, from }));
  assert.equal((await bySession.usage()).plan, 'live_history');
  const named = (await bySession.instruments()).map(({ symbol }) => symbol);
  assert.deepEqual(
    named,
    (await byKey.instruments()).map(({ symbol }) => symbol),
  );
  const { computeUnits } = estimate;
  const [, portal] = await send<{ byPortal: { computeUnits: number } }>('GET', '/v1/portal/usage');
  assert.equal(portal.byPortal.computeUnits, computeUnits);
});

test('a stream of the session gives a state and goes on', async () => {
  await using client = sessionClient();
  const subscription = client.subscribe({
    instrument: 'BTC.c.0',
    indicator: 'bars',
    params: { bar: 'tick', size: 1 },
  });
  await subscription.ready;
  for await (const event of subscription) if (event.t === 'upsert') break;
});

test('a layout that was acknowledged is there after a kill, and a save of an old state is refused', async () => {
  const layouts = '/v1/portal/layouts';
  const [created, made] = await send<Layout>('POST', layouts, { name: 'Day', layout: { a: 1 } });
  assert.equal(created, 201);
  const path = `${layouts}/${made.id}`;
  const [saved, after] = await send<Layout>('PUT', path, { state: 1, layout: { a: 2 } });
  assert.deepEqual([saved, after.state], [200, 2]);
  await service.stop('SIGKILL');
  const { port } = new URL(service.address('portal'));
  service = new RunningService({ data, env: { ...BUSY, TAPELOOM_PORT: port } });
  await service.ready();
  const [found, layout] = await send<Layout>('GET', path);
  assert.deepEqual([found, layout.state, layout.layout], [200, 2, { a: 2 }]);
  const [refused, problem] = await send<{ code: string; state: number }>('PUT', path, {
    state: 1,
    layout: { a: 3 },
  });
  assert.deepEqual([refused, problem.code, problem.state], [409, 'CONFLICT', 2]);
  assert.equal((await send('DELETE', path))[0], 200);
  assert.equal((await send('GET', path))[0], 404);
  assert.equal((await send('POST', `${path}/undelete`))[0], 200);
  assert.equal((await send<Layout>('GET', path))[1].state, 2);
});
