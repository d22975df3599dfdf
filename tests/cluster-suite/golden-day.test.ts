/**
 * The golden day from a cluster of three real NATS servers, once undisturbed and once while nodes
 * and servers are lost. Every node ends with exactly the day's trades at their positions, for which
 * `tests/golden-day.test.ts` checks the digests.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import { NatsServers } from '../../packages/server/testing/tape/nats-servers.ts';
import { makeTape } from '../../packages/server/testing/tape/nats-tape-rig.ts';
import { goldenTrades, SCALES } from '../golden-day/golden-tape.ts';
import { WAIT_LIMIT_MS, within } from '../running-service.ts';
import { GoldenFeed, GoldenNode } from './golden-nodes.ts';

const LOOK_MS = 20;

suite('the golden day of a cluster', { skip: natsServerMissing }, () => {
  const trades = goldenTrades(SCALES.small);
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-golden-'));
  const started: GoldenNode[] = [];
  let servers: NatsServers;
  before(async () => {
    servers = await NatsServers.start({ count: 3 });
  });
  after(async () => {
    await Promise.all(started.map((node) => node.drop()));
    await servers[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  test('every node has the trades of the golden day', async () => {
    const { feed, nodes } = await begin('calm');
    feed.until = trades.length;
    await same(feed, nodes);
  });

  test('with nodes and servers lost on the way every node has them too', async () => {
    const { feed, nodes } = await begin('rough');
    const losses = [
      (leader: GoldenNode) => leader.drop(),
      () => servers.kill(0),
      (leader: GoldenNode) => leader.leave(),
      () => servers.kill(1),
      (leader: GoldenNode) => leader.drop(),
    ];
    for (const [index, lose] of losses.entries()) {
      feed.until = Math.floor((trades.length * (index + 1)) / (losses.length + 1));
      await until('some more is fed', () => feed.fed >= feed.until);
      const leading = () => nodes.find(({ isLeading }) => isLeading);
      await until('somebody appends', () => leading() !== undefined);
      const leader = leading()!;
      // The leader is in the middle of these trades when it is lost.
      feed.until = trades.length;
      await lose(leader);
      feed.until = feed.fed;
      await servers.startAll();
      if (leader.sequence === 0) await leader.start();
    }
    feed.until = trades.length;
    await same(feed, nodes);
  });

  async function begin(dataset: string) {
    await makeTape(servers, dataset);
    const feed = new GoldenFeed(trades);
    const nodes = ['a', 'b', 'c'].map((name) => {
      const tapeRoot = join(directory, dataset, name);
      return new GoldenNode({ name, servers, dataset, tapeRoot, feed });
    });
    started.push(...nodes);
    for (const node of nodes) await node.start();
    return { feed, nodes };
  }

  /** Waits until all nodes have all trades, and compares them. */
  async function same(feed: GoldenFeed, nodes: readonly GoldenNode[]) {
    await until('all is fed', () => feed.fed === trades.length);
    await until('all have it', () => {
      const leader = nodes.find(({ isLeading }) => isLeading);
      return leader !== undefined && nodes.every(({ sequence }) => sequence === leader.sequence);
    });
    await until('all days are fetched', () => nodes.every(({ daysToCome }) => daysToCome === 0));
    const told = await Promise.all(nodes.map((node) => node.trades()));
    for (const [index, each] of told.entries()) {
      // A diff of so many rows takes minutes and all memory, so only the first difference is shown.
      const at = trades.findIndex((trade, row) => !isDeepStrictEqual(each[row], trade));
      const first = { at, has: each.slice(at, at + 3), wants: trades.slice(at, at + 3) };
      if (at !== -1) assert.fail(`node ${index} of ${each.length} trades differs: ${show(first)}`);
      assert.equal(each.length, trades.length);
    }
    for (const node of nodes) assert.equal(node.down, null);
    await Promise.all(nodes.map((node) => node.drop()));
  }
});

function show(it: unknown): string {
  return inspect(it, { depth: 3, breakLength: Infinity });
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const waiting = async () => {
    while (!isSo()) await pause(LOOK_MS);
  };
  await within(WAIT_LIMIT_MS, what, waiting());
}
