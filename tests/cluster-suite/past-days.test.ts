/**
 * Past days made while nodes serve: streams that look back on them reset while the days reach the
 * nodes, and resume at any node afterwards. Other streams continue undisturbed.
 */

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import { WAIT_LIMIT_MS } from '../running-service.ts';
import { ClusterNode } from './cluster-node.ts';
import { ClusterRig } from './cluster-rig.ts';
import { HoppingStream } from './hopping-stream.ts';
import { makeSharedAccounts } from './shared-accounts.ts';

const LOOK_MS = 200;

suite('past days of a cluster', { skip: natsServerMissing }, () => {
  let rig: ClusterRig;
  let deep: HoppingStream;
  let shallow: HoppingStream;

  before(async () => {
    rig = await ClusterRig.make({
      nodes: { first: 'ingest,serve' },
      nats: { count: 1 },
      replicas: 1,
      env: { TAPELOOM_SIM_SCALE: '0.5' },
    });
    await rig.addNode('second', 'serve');
    await rig.startNodes();
    const keys = await makeSharedAccounts(rig.database, ['deep', 'shallow']);
    deep = new HoppingStream(keys[0]!, 'session-levels');
    shallow = new HoppingStream(keys[1]!, 'bars');
  });

  after(async () => {
    await Promise.all([deep, shallow].map((stream) => stream?.close()));
    await rig?.[Symbol.asyncDispose]();
  });

  test('what looks back on days that are made begins afresh, then goes on from node to node [DET-23]', async () => {
    const second = rig.node('second');
    for (const node of [rig.node('first'), second]) {
      await deep.hop(node);
      await shallow.hop(node);
    }
    assert.equal(await deep.hop(rig.node('first')), null);
    assert.equal(await rig.node('first').stop(), 0);
    const { setting } = rig.node('first');
    const first = new ClusterNode({ ...setting, env: { ...setting.env, TAPELOOM_SIM_DAYS: '6' } });
    rig.nodes.set('first', first);
    await first.start();
    const untilMs = performance.now() + WAIT_LIMIT_MS;
    const resets: (string | null)[] = [];
    // Two hops without a reset, one in each direction.
    while (resets.length < 3 || resets.slice(-2).some((reset) => reset !== null)) {
      assert.ok(performance.now() < untilMs, `it begins afresh for ever: ${resets.join()}`);
      for (const node of [first, second]) {
        resets.push(await deep.hop(node));
        assert.equal(await shallow.hop(node), null, 'what does not look back goes on');
        await deep.goesOn();
      }
      await pause(LOOK_MS);
    }
    assert.ok(resets.includes('source_gap'), resets.join());
    assert.deepEqual([...new Set(resets)].sort(), [null, 'source_gap'].sort());
  });
});
