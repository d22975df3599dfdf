/**
 * Many clients of one account at the endpoints of one service: never an eleventh key, a second use
 * of a token, or a subscription or connection over the limit. After a kill everything acknowledged
 * is there, and nothing else blocks the account.
 */

import assert from 'node:assert/strict';
import type { RunningService, StreamMessage, TestSubscriber } from '../running-service.ts';

export const VALID_KEYS_MAX = 10;
const CONNECTIONS_MAX = 5;
const SUBSCRIPTIONS_MAX = 50;
const NEW_KEY = { name: 'race', environment: 'live', scopes: ['stream'] };

interface KeyAnswer {
  readonly id: string;
  readonly key: string;
  readonly state: string;
}

export interface Crowd {
  readonly clients: number;
  readonly requests: number;
}

/** Clients that create keys and revoke their own, all at once; `manager` is a key of the account. */
export async function raceForKeys(
  service: RunningService,
  manager: string,
  { clients, requests }: Crowd,
): Promise<{ readonly valid: ReadonlyMap<string, string>; readonly limited: number }> {
  const valid = new Map<string, string>();
  let limited = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let request = 0; request < requests; request += 1) {
        const answer = await service.send('POST', '/v1/keys', { key: manager, body: NEW_KEY });
        const made = (await answer.json()) as KeyAnswer & { code?: string };
        if (answer.status === 429) limited += 1;
        else if (answer.status === 409) assert.equal(made.code, 'QUOTA_EXCEEDED');
        else assert.equal(answer.status, 201, JSON.stringify(made));
        if (answer.status !== 201) continue;
        valid.set(made.id, made.key);
        // Every second client leaves its last key, so that the limit stays in reach.
        if (request === requests - 1 && client % 2 === 0) continue;
        const gone = await service.send('DELETE', `/v1/keys/${made.id}`, { key: manager });
        if (gone.status === 200) valid.delete(made.id);
        else limited += 1;
        await gone.body?.cancel();
      }
    }),
  );
  return { valid, limited };
}

export async function validKeys(
  service: RunningService,
  manager: string,
): Promise<readonly KeyAnswer[]> {
  const answer = await service.send('GET', '/v1/keys', { key: manager });
  const { keys } = (await answer.json()) as { keys: KeyAnswer[] };
  return keys.filter(({ state }) => state === 'active' || state === 'expiring');
}

/** Many browsers with the same token: exactly one is admitted. */
export async function raceForToken(
  service: RunningService,
  key: string,
  clients: number,
): Promise<void> {
  const issued = await service.send('POST', '/v1/stream-tokens', { key });
  assert.equal(issued.status, 201);
  const { token } = (await issued.json()) as { token: string };
  const browsers = Array.from({ length: clients }, () => service.connect(null));
  const ends = await Promise.all(
    browsers.map(async (browser) => {
      await browser.send({ t: 'auth', token });
      await browser.send({ t: 'ping' });
      return Promise.race([
        browser.closed.then(({ code }) => code),
        browser.first(({ t }) => t === 'pong').then(() => 'open' as const),
      ]);
    }),
  );
  assert.equal(ends.filter((end) => end === 'open').length, 1, `got in: ${ends.join(' ')}`);
  assert.ok(
    ends.every((end) => end === 'open' || end === 4001),
    ends.join(' '),
  );
  await Promise.all(browsers.map((browser) => browser.close()));
}

/** Opens as many connections as the limit allows; one more is rejected. */
export async function openAll(
  service: RunningService,
  key: string,
): Promise<readonly TestSubscriber[]> {
  const open = await Promise.all(
    Array.from({ length: CONNECTIONS_MAX }, async () => {
      const subscriber = service.connect(key);
      await subscriber.send({ t: 'ping' });
      const end = await Promise.race([
        subscriber.first(({ t }) => t === 'pong').then(() => null),
        subscriber.closed,
      ]);
      assert.equal(end, null, `refused with ${end?.code}`);
      return subscriber;
    }),
  );
  assert.equal((await service.connect(key).closed).code, 4029);
  return open;
}

/** Subscribes on all connections of the account, far beyond the limit. */
export async function raceForSubscriptions(
  service: RunningService,
  key: string,
  each: number,
): Promise<void> {
  const open = await openAll(service, key);
  const subs = Array.from({ length: each }, (_, index) => `s${index}`);
  const accepted = await Promise.all(
    open.map(async (subscriber) => {
      for (const sub of subs) {
        await subscriber.send({ t: 'subscribe', sub, instrument: 'BTC.c.0', indicator: 'bars' });
      }
      const answers: StreamMessage[] = [];
      for (const sub of subs) {
        const isAnswered = (it: StreamMessage) => it.sub === sub && isAnswer(it.t);
        answers.push(await subscriber.first(isAnswered));
      }
      for (const answer of answers) {
        if (answer.t === 'error') assert.equal(answer.code, 'QUOTA_EXCEEDED');
      }
      return answers.filter(({ t }) => t === 'subscribed').length;
    }),
  );
  const sum = accepted.reduce((total, count) => total + count, 0);
  assert.equal(sum, Math.min(SUBSCRIPTIONS_MAX, each * CONNECTIONS_MAX));
  await Promise.all(open.map((subscriber) => subscriber.close()));
}

function isAnswer(t: string): boolean {
  return t === 'subscribed' || t === 'error';
}

/** What was acknowledged before a kill. */
export interface Acknowledged {
  readonly created: ReadonlyMap<string, string>;
  /** Revocations that were requested, with or without a response. */
  readonly revocationsSent: ReadonlySet<string>;
  readonly revoked: ReadonlySet<string>;
}

/** Kills the service in the middle of parallel creations and revocations. */
export async function killAmongCreations(
  service: RunningService,
  manager: string,
  { clients, requests }: Crowd,
): Promise<Acknowledged> {
  const created = new Map<string, string>();
  const revocationsSent = new Set<string>();
  const revoked = new Set<string>();
  let answered = 0;
  let isKilled = false;
  const kill = () => {
    if (isKilled) return;
    isKilled = true;
    void service.stop('SIGKILL');
  };
  const client = async () => {
    while (!isKilled) {
      const answer = await service.send('POST', '/v1/keys', { key: manager, body: NEW_KEY });
      const made = (await answer.json()) as KeyAnswer;
      answered += 1;
      if (answered >= requests) kill();
      if (answer.status === 201) created.set(made.id, made.key);
      if (answer.status !== 409) continue;
      const id = [...created.keys()].find((each) => !revocationsSent.has(each));
      if (id === undefined) continue;
      revocationsSent.add(id);
      const gone = await service.send('DELETE', `/v1/keys/${id}`, { key: manager });
      await gone.body?.cancel();
      if (gone.status === 200) revoked.add(id);
    }
  };
  // A request that the kill cut off fails, which is all that its client observes.
  await Promise.all(Array.from({ length: clients }, () => client().catch(() => undefined)));
  await service.ended;
  return { created, revocationsSent, revoked };
}

/** Checks after the restart that everything acknowledged holds. */
export async function assertKept(
  service: RunningService,
  manager: string,
  { created, revocationsSent, revoked }: Acknowledged,
): Promise<void> {
  const valid = await validKeys(service, manager);
  assert.ok(valid.length <= VALID_KEYS_MAX, `${valid.length} valid keys`);
  const validIds = new Set(valid.map(({ id }) => id));
  for (const [id, secret] of created) {
    const answer = await service.send('GET', '/v1/usage', { key: secret });
    await answer.body?.cancel();
    // After thirty wrong keys a minute, an address gets 429 for them.
    if (revoked.has(id)) assert.ok([401, 429].includes(answer.status), 'a revoked key works again');
    else if (!revocationsSent.has(id)) assert.equal(answer.status, 200, 'a key was lost');
    else assert.equal(answer.status === 200, validIds.has(id));
  }
}
