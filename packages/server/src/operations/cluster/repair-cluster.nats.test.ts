import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ClusterServersRig } from '../../../testing/tape/cluster-servers-rig.ts';
import { natsServerMissing } from '../../../testing/tape/find-nats-server.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { NothingLostError } from '../../tape/shared/log/repair-stream.ts';
import { prepareDirectory } from '../../tape/shared/shared-directory.ts';
import { ClusterRefusedError, openClusterPostgres } from './cluster-servers.ts';
import { ClusterRepair } from './repair-cluster.ts';

test('where nothing is lost and a node waits all the same, a repair is refused and names it', {
  skip: natsServerMissing,
}, async () => {
  await using rig = await ClusterServersRig.start();
  const cluster = await rig.cluster();
  const { id } = await rig.init(cluster, 'waits');
  const data = await mkdtemp(join(tmpdir(), 'tapeloom-repair-'));
  try {
    await prepareDirectory(new NodeDisk(), join(data, 'tape'), 'waits', id);
    const plan = () => ClusterRepair.planned(cluster, 'waits', [data]);
    await assert.rejects(plan(), NothingLostError);
    await using postgres = await openClusterPostgres(cluster, 1);
    await postgres.query(
      `insert into nodes (id, run, name, roles, program, computations, started_at, renewed_at, drains, report)
       values ('node_1', 'x', 'first', 'ingest', '1', '{}', tapeloom_now(), tapeloom_now(), false, $1)`,
      [JSON.stringify({ tape: { role: 'shrunk', sequence: 1, end: 1 } })],
    );
    await assert.rejects(plan(), (error) => {
      assert.ok(error instanceof ClusterRefusedError, String(error));
      assert.match(error.message, /lost nothing, but these nodes are waiting: first\./);
      return true;
    });
  } finally {
    await rm(data, { recursive: true });
  }
});
