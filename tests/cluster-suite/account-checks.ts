/**
 * Account rules of a cluster, tested at all nodes in parallel: never an eleventh key, one use of a
 * token, no connection over the limit, equal usage, and a revocation that every node enforces.
 */

import assert from 'node:assert/strict';
import { PLAN_LIMITS } from '@tapeloom/core/entitlement/plan';
import { type StreamMessage, WAIT_LIMIT_MS, within } from '../running-service.ts';
import type { ClusterNode } from './cluster-node.ts';

const CONNECTIONS_MAX = 5;
const VALID_KEYS_MAX = 10;
const KEY_ATTEMPTS_EACH = 5;

interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly state: string;
}

/** Uses a token at every node in parallel: exactly one connection is admitted. */
export async function oneUseOfToken(nodes: readonly ClusterNode[], key: string): Promise<void> {
  const issued = await nodes[0]!.send('POST', '/v1/stream-tokens', key);
  assert.equal(issued.status, 201, await issued.clone().text());
  const { token } = (await issued.json()) as { token: string };
  const browsers = [...nodes, ...nodes].map((node) => node.connect(null));
  const ends = await Promise.all(
    browsers.map(async (browser) => {
      await browser.send({ t: 'auth', token });
      await browser.send({ t: 'ping' });
      return await Promise.race([
        browser.closed.then(({ code }) => code),
        browser.first(({ t }) => t === 'pong').then(() => 'open' as const),
      ]);
    }),
  );
  await Promise.all(browsers.map((browser) => browser.close()));
  assert.deepEqual(
    ends.toSorted(),
    [...Array.from({ length: browsers.length - 1 }, () => 4001), 'open'],
    'one of all doors lets a token in, once',
  );
}

/** Opens connections at every node in parallel: exactly the account's limit is admitted. */
export async function connectionsHold(nodes: readonly ClusterNode[], key: string): Promise<void> {
  const tried = nodes.flatMap((node) =>
    Array.from({ length: CONNECTIONS_MAX }, () => node.connect(key)),
  );
  const ends = await Promise.all(
    tried.map(async (connection) => {
      await connection.send({ t: 'ping' }).catch(() => undefined);
      return await Promise.race([
        connection.closed.then(({ code }) => code),
        connection.first(({ t }) => t === 'pong').then(() => 'open' as const),
      ]);
    }),
  );
  await Promise.all(tried.map((connection) => connection.close()));
  const open = ends.filter((end) => end === 'open').length;
  assert.equal(open, CONNECTIONS_MAX, `connections over all doors: ${ends.join(' ')}`);
  assert.ok(
    ends.every((end) => end === 'open' || end === 4029),
    ends.join(' '),
  );
}

/** Subscribes at every node in parallel: exactly the account's limit is accepted. */
export async function subscriptionsHold(nodes: readonly ClusterNode[], key: string): Promise<void> {
  const { maxSubscriptions } = PLAN_LIMITS.live_history;
  const each = Math.ceil(maxSubscriptions / nodes.length) + 5;
  const connections = nodes.map((node) => node.connect(key));
  const accepted = await Promise.all(
    connections.map(async (connection) => {
      const names = Array.from({ length: each }, (_, index) => `s${index}`);
      for (const sub of names) {
        await connection.send({ t: 'subscribe', sub, instrument: 'BTC.c.0', indicator: 'bars' });
      }
      const answers: StreamMessage[] = [];
      for (const name of names) {
        const isAnswer = ({ t, sub }: StreamMessage) =>
          sub === name && (t === 'subscribed' || t === 'error');
        answers.push(await connection.first(isAnswer));
      }
      const refused = answers.filter(({ t }) => t === 'error');
      for (const { code } of refused) assert.equal(code, 'QUOTA_EXCEEDED');
      return each - refused.length;
    }),
  );
  await Promise.all(connections.map((connection) => connection.close()));
  const sum = accepted.reduce((all, count) => all + count, 0);
  assert.equal(sum, maxSubscriptions, `subscriptions over all doors: ${accepted.join(' ')}`);
}

/** Creates keys at every node in parallel: ten are valid, and every node lists the same. */
export async function keysHold(nodes: readonly ClusterNode[], manager: string): Promise<void> {
  const made: KeyView[] = [];
  await Promise.all(
    nodes.map(async (node) => {
      for (let attempt = 0; attempt < KEY_ATTEMPTS_EACH; attempt += 1) {
        const body = { name: `${node.name}-${attempt}`, environment: 'live', scopes: ['stream'] };
        const answer = await node.send('POST', '/v1/keys', manager, body);
        const told = (await answer.json()) as KeyView & { readonly code?: string };
        if (answer.status === 201) made.push(told);
        else assert.equal(told.code, 'QUOTA_EXCEEDED', JSON.stringify(told));
      }
    }),
  );
  const lists = await Promise.all(nodes.map((node) => validKeys(node, manager)));
  for (const list of lists) assert.deepEqual(list, lists[0], 'all doors list the same keys');
  assert.equal(lists[0]!.length, VALID_KEYS_MAX);
  for (const { id } of made) assert.ok(lists[0]!.includes(id), 'what was acknowledged is there');
  for (const [index, { id }] of made.entries()) {
    const gone = await nodes[index % nodes.length]!.send('DELETE', `/v1/keys/${id}`, manager);
    assert.equal(gone.status, 200);
  }
}

async function validKeys(node: ClusterNode, manager: string): Promise<readonly string[]> {
  const { keys } = (await (await node.get('/v1/keys', manager)).json()) as { keys: KeyView[] };
  const valid = keys.filter(({ state }) => state === 'active' || state === 'expiring');
  return valid.map(({ id }) => id).sort();
}

/** Revokes a key at one node; returns the milliseconds until all nodes close its connections. */
export async function revocationHeard(
  nodes: readonly ClusterNode[],
  manager: string,
): Promise<number> {
  const [first] = nodes;
  const body = { name: 'doomed', environment: 'live', scopes: ['stream'] };
  const { id, key } = (await (
    await first!.send('POST', '/v1/keys', manager, body)
  ).json()) as KeyView;
  const open = await Promise.all(
    nodes.map(async (node) => {
      const connection = node.connect(key);
      await connection.send({ t: 'ping' });
      await connection.first(({ t }) => t === 'pong');
      return connection;
    }),
  );
  const startMs = performance.now();
  assert.equal((await first!.send('DELETE', `/v1/keys/${id}`, manager)).status, 200);
  const closings = Promise.all(open.map(({ closed }) => closed));
  const ends = await within(WAIT_LIMIT_MS, 'a revocation at all doors', closings);
  const ms = performance.now() - startMs;
  for (const { code } of ends) assert.equal(code, 4003);
  for (const node of nodes) assert.equal((await node.get('/v1/usage', key)).status, 401);
  return ms;
}

/** Checks that every node reports the same used units, and returns them. */
export async function usedUnits(nodes: readonly ClusterNode[], key: string): Promise<number> {
  const told = await Promise.all(
    nodes.map(async (node) => {
      const answer = await node.get('/v1/usage', key);
      assert.equal(answer.status, 200, await answer.clone().text());
      const { used } = (await answer.json()) as { used: { computeUnits: number } };
      return used.computeUnits;
    }),
  );
  for (const units of told) assert.equal(units, told[0], `used at all doors: ${told.join(', ')}`);
  return told[0]!;
}
