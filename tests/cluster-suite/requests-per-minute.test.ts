/** The request rate over three nodes: parallel requests pass no more than one node would allow. */

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import type { ClusterNode } from './cluster-node.ts';
import { ClusterRig } from './cluster-rig.ts';
import { makeSharedAccounts } from './shared-accounts.ts';

const ASKERS_EACH = 8;

interface Outcome {
  readonly status: number;
  readonly limit: number;
  readonly remaining: number;
}

suite('requests per minute', { skip: natsServerMissing }, () => {
  let rig: ClusterRig;
  let keys: readonly string[] = [];

  before(async () => {
    const nodes = { first: 'ingest,serve', second: 'serve', third: 'serve' } as const;
    rig = await ClusterRig.make({ nodes, nats: { count: 1 }, replicas: 1 });
    await rig.startNodes();
    keys = await makeSharedAccounts(rig.database, ['burst']);
  });

  after(async () => await rig?.[Symbol.asyncDispose]());

  test('a burst at all doors gets the limit and what came back meanwhile, and everybody else 429', async () => {
    const startMs = performance.now();
    const outcomes = await Promise.all(rig.serving.map((node) => burst(node, keys[0]!)));
    const minutes = (performance.now() - startMs) / 60_000;
    const all = outcomes.flat();
    const { limit } = all[0]!;
    const passed = all.filter(({ status }) => status === 200).length;
    const refused = all.filter(({ status }) => status === 429);
    assert.equal(passed + refused.length, all.length, 'nothing else was answered');
    assert.ok(refused.length > 0);
    for (const { remaining } of refused) assert.equal(remaining, 0);
    const atMost = limit + Math.ceil(minutes * limit);
    assert.ok(passed <= atMost, `${passed} passed, and the limit is ${limit}: at most ${atMost}`);
    // A node loses requests that it reserved and did not use within two seconds.
    const atLeast = 0.9 * limit;
    assert.ok(passed >= atLeast, `${passed} passed, and the limit is ${limit}`);
  });

  /** Runs until each of its callers was rejected three times. */
  async function burst(node: ClusterNode, key: string): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    const askers = Array.from({ length: ASKERS_EACH }, async () => {
      for (let refusals = 0; refusals < 3; ) {
        const outcome = await ask(node, key);
        outcomes.push(outcome);
        if (outcome.status === 429) refusals += 1;
      }
    });
    await Promise.all(askers);
    return outcomes;
  }

  async function ask(node: ClusterNode, key: string): Promise<Outcome> {
    const answer = await node.get('/v1/instruments', key);
    await answer.arrayBuffer();
    const header = (name: string) => Number(answer.headers.get(name));
    const [limit, remaining] = [header('ratelimit-limit'), header('ratelimit-remaining')];
    return { status: answer.status, limit, remaining };
  }
});
