import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { RuleKeepingClient } from '../packages/server/testing/stream/rule-keeping-client.ts';
import {
  killServices,
  NO_PAST,
  RunningService,
  type StreamMessage,
  type TestSubscriber,
} from './running-service.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-resume-'));
const data = join(directory, 'data');
/** Trades every few seconds. */
const BUSY = { data, env: NO_PAST, args: ['--speed', '20'] };
const BARS = { instrument: 'BTC.c.0', indicator: 'bars', params: { size: 1 } };
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

/** The messages of a subscription, up to a given one if there is one. */
function ofSub(
  { messages }: TestSubscriber,
  sub: string,
  to: StreamMessage | undefined = messages.at(-1),
): readonly ServerMessage[] {
  const heard = messages.slice(0, messages.indexOf(to!) + 1);
  return heard.filter((message) => message.sub === sub) as readonly unknown[] as ServerMessage[];
}

async function usedUnits(service: RunningService): Promise<number> {
  const response = await service.get('/v1/usage', service.authorized);
  const { used } = (await response.json()) as { used: { computeUnits: number } };
  return used.computeUnits;
}

test('a client resumes across a killed server with nothing missed and nothing twice [SUB-14] [SUB-15]', async () => {
  const first = new RunningService(BUSY);
  await first.ready();
  const before = first.connect();
  await before.send({ t: 'subscribe', sub: 'a', ...BARS });
  await before.first(({ t }) => t === 'upsert');
  await before.first(({ t, final }) => t === 'upsert' && final === true);
  await first.stop('SIGKILL');
  const client = new RuleKeepingClient();
  for (const message of ofSub(before, 'a')) client.hear(message);
  const cursor = client.cursors.at(-1)!;

  const second = new RunningService(BUSY);
  await second.ready();
  const back = second.connect();
  await back.send({ t: 'subscribe', sub: 'a', ...BARS, from: { cursor } });
  await back.first(({ t, final }) => t === 'upsert' && final === true);
  await back.send({ t: 'subscribe', sub: 'b', ...BARS });
  await back.first(({ t, sub }) => t === 'snapshot' && sub === 'b');
  const beat = await back.first(({ t, sub }) => t === 'hb' && sub === 'b');
  const kinds = new Set(ofSub(back, 'a').map(({ t }) => t));
  assert.ok(!kinds.has('snapshot') && !kinds.has('reset'), [...kinds].join(' '));
  // At a heartbeat both subscriptions have the state of one position.
  const fresh = new RuleKeepingClient();
  for (const message of ofSub(back, 'b', beat)) fresh.hear(message);
  for (const message of ofSub(back, 'a', beat)) client.hear(message);
  const known = [...fresh.state].filter(([id]) => client.state.has(id));
  assert.ok(known.length > 0);
  for (const [id, state] of known) assert.equal(client.state.get(id), state, id);
  assert.equal(await usedUnits(second), 0);
  await second.stop('SIGTERM');
});

test('a start yesterday is replayed by a real thread, charged, and becomes live [SUB-20] [COUNT-16]', async () => {
  const service = new RunningService(BUSY);
  await service.ready();
  const one = service.connect();
  const midnight = BigInt(Date.UTC(...utcToday())) * 1_000_000n;
  const time = `${midnight - 3_600_000_000_000n}`;
  await one.send({ t: 'subscribe', sub: 'a', ...BARS, params: {}, from: { time } });
  await one.first(({ t, state }) => t === 'status' && state !== 'warming');
  const kinds = ofSub(one, 'a').map(({ t }) => t);
  assert.deepEqual(kinds.slice(0, 3), ['subscribed', 'status', 'snapshot']);
  const used = await usedUnits(service);
  assert.ok(used > 0, `${used} units`);
  await service.stop('SIGTERM');
});

function utcToday(): readonly [number, number, number] {
  const now = new Date();
  return [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
}
