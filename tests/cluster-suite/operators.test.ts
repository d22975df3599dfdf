/**
 * What the operator of a cluster sees and is told while servers go and come: which replica is away, and what a node does that is stopped
 * or started while NATS or PostgreSQL cannot be reached.
 */

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import { PATIENCE_MS } from '../running-service.ts';
import type { ClusterNode } from './cluster-node.ts';
import { ClusterRig } from './cluster-rig.ts';

const LOOK_MS = 100;

interface Status {
  readonly concerns: readonly string[];
  readonly stream: { readonly followers: readonly { readonly name: string }[] } | null;
}

suite('what operators are told', { skip: natsServerMissing }, () => {
  let rig: ClusterRig;
  let node: ClusterNode;

  before(async () => {
    rig = await ClusterRig.make({ nodes: { first: 'ingest,serve' } });
    node = rig.node('first');
    await node.start();
  });
  after(() => rig?.[Symbol.asyncDispose]());

  test('a NATS server that was killed is away by name, and is not when it is back', async () => {
    const before = await settled(({ concerns }) => concerns.length === 0);
    const { name } = before.stream!.followers[0]!;
    const index = Number(name.slice(-1));
    await rig.nats.kill(index);
    const url = rig.nats.urls[index];
    await settled(({ concerns }) => {
      const isMissedBy = (what: string) =>
        concerns.some((it) => it.startsWith(what) && it.endsWith(`: ${name} is away`));
      const isAskedFor = concerns.some((it) => it.startsWith(`TAPELOOM_NATS_URL: ${url} does not`));
      return isMissedBy('TAPE') && isMissedBy('OBJ_TAPE') && isAskedFor;
    });
    await rig.nats.startAll();
    await settled((status) => status.concerns.length === 0);
  });

  test('a node without NATS stops cleanly, says what it waits for, and comes up with it', async () => {
    await Promise.all([0, 1, 2].map((index) => rig.nats.kill(index)));
    const { service } = node;
    assert.equal(await node.stop(), 0, `${service.output}${service.errors}`);
    node.launch();
    await told(node, /the stream in NATS is waited for/);
    await rig.nats.startAll();
    await node.ready();
  });

  test('a node without PostgreSQL stops cleanly, says what it waits for, and comes up with it', async () => {
    await rig.postgres.stop();
    const { service } = node;
    assert.equal(await node.stop(), 0, `${service.output}${service.errors}`);
    node.launch();
    await told(node, /PostgreSQL is waited for, up to 20 s/);
    await rig.postgres.start();
    await node.ready();
  });

  /** Asks until it is so. */
  async function settled(isSo: (status: Status) => boolean): Promise<Status> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const { stdout, stderr, code } = await rig.command('cluster', 'status', '--json');
      assert(stdout !== '', stderr);
      const status = JSON.parse(stdout) as Status;
      assert.equal(code, status.concerns.length === 0 ? 0 : 1);
      if (isSo(status)) return status;
      assert(performance.now() < deadline, `it still says ${status.concerns.join(', ')}`);
      await pause(LOOK_MS);
    }
  }
});

async function told({ service }: ClusterNode, pattern: RegExp): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!pattern.test(service.output + service.errors)) {
    assert(performance.now() < deadline, `${pattern}: ${service.output}${service.errors}`);
    await pause(LOOK_MS);
  }
}
