import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { DATASET, TAPE_ROOT } from '../../../testing/tape/tape-on-sim-disk.ts';
import { logDirectory } from '../tape-paths.ts';
import { assertAlone, MOVED_SUFFIX, nameCluster, prepareDirectory } from './shared-directory.ts';
import { ForeignDirectoryError } from './shared-errors.ts';

function refusedAs(pattern: RegExp) {
  return (error: unknown) => {
    assert(error instanceof ForeignDirectoryError, String(error));
    assert.match(error.message, pattern);
    return true;
  };
}

test('a machine that is alone goes on with nothing that a cluster has, or is about to have', async () => {
  const machine = new SimDisk();
  const disk = machine.boot();
  await assertAlone(disk, TAPE_ROOT, DATASET);
  const log = `${logDirectory(TAPE_ROOT, DATASET)}/20260105.log`;
  machine.put(log, Uint8Array.of(1));
  await assertAlone(disk, TAPE_ROOT, DATASET);
  machine.put(`${log}${MOVED_SUFFIX}`, Uint8Array.of(1));
  const half = refusedAs(/was being moved into a cluster.*Run "tapeloom migrate" again/);
  await assert.rejects(assertAlone(disk, TAPE_ROOT, DATASET), half);
  await nameCluster(disk, TAPE_ROOT, DATASET, 'cluster_1');
  const whole = refusedAs(
    /belongs to the cluster cluster_1, but this process is not a node of a cluster/,
  );
  await assert.rejects(assertAlone(disk, TAPE_ROOT, DATASET), whole);
  const other = refusedAs(/belongs to the cluster cluster_1, but the stream to cluster_2/);
  await assert.rejects(prepareDirectory(disk, TAPE_ROOT, DATASET, 'cluster_2'), other);
});
