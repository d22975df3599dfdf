/**
 * A damaged sealed day on one node: the node publishes nothing that needs the day, fetches it
 * again, and continues exactly as the other node.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import { WAIT_LIMIT_MS } from '../running-service.ts';
import { ClusterRig } from './cluster-rig.ts';
import { HoppingStream } from './hopping-stream.ts';
import { makeSharedAccounts } from './shared-accounts.ts';

const LOOK_MS = 200;

suite('a damaged day of a cluster', { skip: natsServerMissing }, () => {
  let rig: ClusterRig;
  let stream: HoppingStream;

  before(async () => {
    rig = await ClusterRig.make({
      nodes: { first: 'ingest,serve' },
      nats: { count: 1 },
      replicas: 1,
      env: { TAPELOOM_SIM_SCALE: '0.5' },
    });
    await rig.addNode('second', 'serve');
    await rig.startNodes();
    const [key] = await makeSharedAccounts(rig.database, ['deep']);
    stream = new HoppingStream(key!, 'session-levels');
  });

  after(async () => {
    await stream?.close();
    await rig?.[Symbol.asyncDispose]();
  });

  test('it is fetched again, and a stream that looks back on it goes on from node to node [DET-23]', async () => {
    const [first, second] = [rig.node('first'), rig.node('second')];
    for (const node of [first, second, first]) await stream.hop(node);
    assert.equal(await second.stop(), 0);
    const { data } = second.setting;
    // The files of every contract that the stream's alias may mean today.
    const sound = new Map(
      globSync('tape/*/days/BTC*/*.arrow', { cwd: data }).map((file) => {
        const path = join(data, file);
        return [path, readFileSync(path)] as const;
      }),
    );
    for (const [path, bytes] of sound) {
      const rotten = Buffer.from(bytes);
      rotten.fill(0xa5, bytes.length >> 1, (bytes.length >> 1) + 4);
      writeFileSync(path, rotten);
    }
    rmSync(join(data, 'cache'), { recursive: true, force: true });
    await second.start();
    const resets: (string | null)[] = [];
    const untilMs = performance.now() + WAIT_LIMIT_MS;
    // Two hops without a reset, one in each direction.
    while (resets.length < 4 || resets.slice(-2).some((reset) => reset !== null)) {
      assert.ok(performance.now() < untilMs, `it begins afresh for ever: ${resets.join()}`);
      for (const node of [second, first]) {
        resets.push(await stream.hop(node));
        await stream.goesOn();
      }
      await pause(LOOK_MS);
    }
    assert.ok(
      resets.every((reset) => reset === null || reset === 'source_gap'),
      resets.join(),
    );
    assert.ok(
      sound.entries().some(([path, bytes]) => readFileSync(path).equals(bytes)),
      'the day that the stream reads was fetched again',
    );
    const metrics = await (await second.internal('/metrics')).text();
    assert.match(metrics, /^tapeloom_days_damaged 1$/m);
  });
});
