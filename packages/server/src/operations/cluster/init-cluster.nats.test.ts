import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { jetstreamManager } from '@nats-io/jetstream';
import { ClusterServersRig } from '../../../testing/tape/cluster-servers-rig.ts';
import { natsServerMissing } from '../../../testing/tape/find-nats-server.ts';
import { addressOf } from '../../../testing/tape/nats-tape-rig.ts';
import { askNatsTape } from '../../tape/stream/nats/nats-admin.ts';
import { connectNats } from '../../tape/stream/nats/nats-connection.ts';
import { ClusterRefusedError, openClusterPostgres } from './cluster-servers.ts';

describe('a cluster is made once', { skip: natsServerMissing }, () => {
  let rig: ClusterServersRig;
  before(async () => {
    rig = await ClusterServersRig.start();
  });
  after(() => rig[Symbol.asyncDispose]());

  /** Which of the two NATS streams remain. */
  async function left(dataset: string, deleted: readonly string[] = []): Promise<string[]> {
    const connection = await connectNats(addressOf(rig.nats.urls), 'test');
    try {
      const manager = await jetstreamManager(connection);
      for (const name of deleted) await manager.streams.delete(name);
      const { stream, objects } = await askNatsTape(connection, dataset);
      return [stream, objects].flatMap((kept) => (kept === null ? [] : [kept.name]));
    } finally {
      await connection.close();
    }
  }

  function refusedAs(pattern: RegExp) {
    return (error: unknown) => {
      assert(error instanceof ClusterRefusedError, String(error));
      assert.match(error.message, pattern);
      return true;
    };
  }

  test('what is there stays, and a tape that was deleted is not begun anew', async () => {
    const cluster = await rig.cluster();
    const made = await rig.init(cluster, 'once');
    assert.equal(made.isNew, true);
    const again = await rig.init(cluster, 'once');
    assert.deepEqual([again.id, again.isNew], [made.id, false]);
    assert.deepEqual(await left('once', ['TAPE_once']), ['OBJ_TAPE_once']);
    for (const still of [['OBJ_TAPE_once'], []]) {
      await assert.rejects(rig.init(cluster, 'once'), refusedAs(/No new tape was created/));
      assert.deepEqual(await left('once'), still);
      if (still.length > 0) await left('once', still);
    }
  });

  test('one that was broken off before it was confirmed is brought to its end, under its id', async () => {
    const cluster = await rig.cluster();
    const { id } = await rig.init(cluster, 'half');
    await using postgres = await openClusterPostgres(cluster, 1);
    await postgres.query('update cluster set made_at = 0');
    assert.deepEqual(await left('half', ['TAPE_half']), ['OBJ_TAPE_half']);
    const made = await rig.init(cluster, 'half');
    assert.deepEqual([made.id, made.isNew], [id, true]);
    assert.equal((await left('half')).length, 2);
  });

  test('a dataset that was added gets its tape; one that is lost is not begun anew beside it', async () => {
    const cluster = await rig.cluster();
    const made = await rig.init(cluster, 'first');
    const both = await rig.init(cluster, 'first', 'second');
    assert.deepEqual([both.id, both.isNew], [made.id, true]);
    assert.deepEqual(
      both.datasets.map(({ dataset, isNew }) => [dataset, isNew]),
      [
        ['first', false],
        ['second', true],
      ],
    );
    assert.equal((await rig.init(cluster, 'first', 'second')).isNew, false);
    await left('second', ['TAPE_second', 'OBJ_TAPE_second']);
    const lost = /NATS has no tape of second: .*No new tape was created/;
    await assert.rejects(rig.init(cluster, 'first', 'second', 'third'), refusedAs(lost));
    // Nothing is created while anything is refused.
    assert.deepEqual(await left('third'), []);
    assert.deepEqual((await left('first')).length, 2);
  });

  test('a cluster of an earlier version, which recorded no datasets, gets a second one', async () => {
    const cluster = await rig.cluster();
    await rig.init(cluster, 'SIM');
    await using postgres = await openClusterPostgres(cluster, 1);
    const forget = () => postgres.query('delete from cluster_tapes');
    await forget();
    assert.equal((await rig.init(cluster, 'added')).isNew, true);
    await forget();
    await left('SIM', ['TAPE_SIM', 'OBJ_TAPE_SIM']);
    await left('added', ['TAPE_added', 'OBJ_TAPE_added']);
    await assert.rejects(rig.init(cluster, 'added'), refusedAs(/No new tape was created/));
  });

  test('the tape of a database that is gone is taken by no other', async () => {
    await rig.init(await rig.cluster(), 'foreign');
    const other = await rig.cluster();
    await assert.rejects(rig.init(other, 'foreign'), refusedAs(/of another cluster\. Nothing was/));
  });
});
