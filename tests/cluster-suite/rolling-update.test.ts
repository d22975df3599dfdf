/**
 * A rolling update with two real programs, of which the newer computes `delta` differently. While
 * both run, every resume of `delta` resets, no customer holds objects of both, and other streams
 * continue. An older node that only PostgreSQL has lost must end its `delta` streams too.
 */

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openPostgres } from '@tapeloom/server/platform/postgres/postgres';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import { CuttingLine } from '../../simulation/network/cutting-line.ts';
import { SERVICE } from '../tapeloom-program.ts';
import { ClusterNode } from './cluster-node.ts';
import { ClusterRig } from './cluster-rig.ts';
import { HoppingStream } from './hopping-stream.ts';
import { makeSharedAccounts } from './shared-accounts.ts';

const NEWER = ['--import', new URL('./newer-delta.ts', import.meta.url).href, ...SERVICE];
const LOOK_MS = 50;

suite('a rolling update', { skip: natsServerMissing }, () => {
  let rig: ClusterRig;
  let line: CuttingLine;
  /** Serves, with a line to PostgreSQL that can be cut. */
  let front: ClusterNode;
  /** Appends to the tape, and serves. */
  let back: ClusterNode;
  let changing: HoppingStream;
  let steady: HoppingStream;
  /** Stays connected to the front. */
  let waiting: HoppingStream;

  before(async () => {
    rig = await ClusterRig.make({
      nodes: { back: 'ingest,serve' },
      nats: { count: 1 },
      replicas: 1,
      env: { TAPELOOM_SIM_SCALE: '0.5' },
    });
    // After a start of PostgreSQL all nodes count as alive for 90 s: let it have started long ago.
    await query(`create or replace function tapeloom_started_at() returns bigint language sql stable
      as 'select 0::bigint'`);
    line = await CuttingLine.open(rig.postgres.port);
    back = rig.node('back');
    const added = await rig.addNode('front', 'serve');
    const url = rig.database.replace(`:${rig.postgres.port}/`, `:${line.port}/`);
    front = at(added, { env: { ...added.setting.env, TAPELOOM_POSTGRES_URL: url } });
    await rig.startNodes();
    const keys = await makeSharedAccounts(rig.database, ['changing', 'steady', 'waiting']);
    changing = new HoppingStream(keys[0]!, 'delta');
    steady = new HoppingStream(keys[1]!, 'bars');
    waiting = new HoppingStream(keys[2]!, 'delta');
  });

  after(async () => {
    await Promise.all([changing, steady, waiting].map((stream) => stream?.close()));
    await rig?.[Symbol.asyncDispose]();
    await line?.[Symbol.asyncDispose]();
  });

  test('nodes of one version hand streams on, and while there are two every resume of that indicator begins afresh [DET-23]', async () => {
    for (const node of [front, back, front]) {
      assert.equal(await changing.hop(node), null);
      assert.equal(await steady.hop(node), null);
    }
    await waiting.hop(front);
    assert.equal(await back.stop(), 0, back.isRunning ? back.service.errors : '');
    back = at(back, { program: NEWER });
    await back.start();
    for (const [node, version] of [
      [back, 'newer'],
      [front, 'older'],
      [back, 'newer'],
    ] as const) {
      assert.equal(await changing.hop(node), 'engine_changed');
      assert.equal(changing.version, version);
      assert.equal(await steady.hop(node), null);
      assert.equal(changing.version, version);
    }
    // A stream that stays on its node continues.
    await waiting.goesOn();
    assert.equal(waiting.version, 'older');
  });

  test('a node that the others have given up ends that indicator alone, before it shows more of the tape [DET-23]', async () => {
    await steady.hop(front);
    line.cut();
    await query('update nodes set renewed_at = 0 where name = $1', ['front']);
    assert.equal(await waiting.ended(), 'SOURCE_DOWN');
    await steady.goesOn();
    // Cursors issued before that are not accepted by other nodes.
    assert.equal(await waiting.hop(back), 'engine_changed');
    assert.equal(waiting.version, 'newer');
    // Cursors issued from now on are.
    await settled(waiting, back);
    line.mend();
  });

  test('when it is heard of again there are two once more, and none is left when it has gone [DET-23]', async () => {
    await until(async () => (await front.internal('/health/ready')).status === 200);
    // While the front is known, no node resumes cursors of `delta`.
    await until(async () => (await waiting.hop(back)) === 'engine_changed');
    assert.equal(await steady.hop(front), null);
    assert.equal(await front.stop(), 0);
    await settled(waiting, back);
    // A node that has never seen the older version still rejects its cursors.
    const fresh = await rig.addNode('fresh', 'serve');
    const joined = at(fresh, { program: NEWER });
    await joined.start();
    assert.equal(await changing.hop(joined), 'engine_changed');
    assert.equal(await waiting.hop(joined), null);
    assert.equal(await steady.hop(joined), null);
  });

  /** Replaces a node by the same one with another setting. */
  function at(node: ClusterNode, change: Partial<ClusterNode['setting']>): ClusterNode {
    const changed = new ClusterNode({ ...node.setting, ...change });
    rig.nodes.set(node.name, changed);
    return changed;
  }

  async function query(text: string, values: readonly unknown[] = []): Promise<void> {
    await using postgres = openPostgres({ url: rig.database, connectionsMax: 1 });
    await postgres.query(text, values);
  }

  /** Resolves when a resume continues: the cursor lies beyond the floor. */
  async function settled(stream: HoppingStream, node: ClusterNode): Promise<void> {
    await until(async () => {
      await stream.goesOn();
      return (await stream.hop(node)) === null;
    });
  }
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(LOOK_MS);
}
