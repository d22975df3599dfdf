/** Rebuilds the tape of a cluster whose NATS servers lost everything, from a node's directory. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import { ClusterServersRig } from '../../../testing/tape/cluster-servers-rig.ts';
import { feedScript, SCRIPT_SYMBOLS } from '../../../testing/tape/feed-script.ts';
import { natsServerMissing } from '../../../testing/tape/find-nats-server.ts';
import { addressOf } from '../../../testing/tape/nats-tape-rig.ts';
import { allTapeRows } from '../../../testing/tape/tape-on-sim-disk.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { createClock } from '../../platform/system-clock.ts';
import { zstdAside } from '../../platform/zstd-aside.ts';
import { ForeignDirectoryError } from '../../tape/shared/shared-errors.ts';
import { SharedTape } from '../../tape/shared/shared-tape.ts';
import type { LeadTerm } from '../../tape/shared/shared-tape-options.ts';
import { connectNats } from '../../tape/stream/nats/nats-connection.ts';
import { parseEpochs } from '../../topics/epoch-floors.ts';
import { ClusterRefusedError, openClusterPostgres } from './cluster-servers.ts';
import { openClusterTape } from './open-cluster-tape.ts';
import { type RebuildPlan, rebuildCluster } from './rebuild-cluster.ts';

const DATASET = 'lost';
const ROOM = { replicas: 1, streamBytesMax: 268_435_456, objectBytesMax: 268_435_456 };
const LOOK_MS = 20;
const clock = createClock({ kind: 'system' });

describe('a cluster that has lost its NATS servers', { skip: natsServerMissing }, () => {
  let rig: ClusterServersRig;
  let cluster: ClusterConfig;
  let directory: string;
  const script = feedScript(5, { batchRowsMax: 6, offersPerDay: 20 });
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tapeloom-rebuild-'));
    rig = await ClusterServersRig.start();
    cluster = await rig.cluster();
    await rig.init(cluster, DATASET);
  });
  after(async () => {
    await rig[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  /** Runs a node that appends `offers` batches, or follows to the end, and stops; returns what it has then. */
  async function node(name: string, offers: number | null, dataset = DATASET) {
    const data = join(directory, name);
    await mkdir(data, { recursive: true });
    await using postgres = await openClusterPostgres(cluster, 1);
    await using nats = await openClusterTape(cluster, dataset, postgres);
    const offered = Promise.withResolvers<void>();
    const lead = async ({ intake, signal, setReady, bookChanged }: LeadTerm) => {
      setReady();
      await bookChanged();
      for (let at = 0; at < offers!; at++) {
        const { batches, promise } = script.next().value;
        await intake.offer(batches, promise);
      }
      await intake.sealed();
      offered.resolve();
      while (!signal.aborted) await pause(LOOK_MS);
    };
    const ignore = () => {};
    await using tape = await SharedTape.open({
      ...{ disk: new NodeDisk(), tapeRoot: join(data, 'tape'), dataset, clock },
      ...{ cluster: nats.clusterId, node: name, mayLead: offers !== null, packing: zstdAside },
      ...{ stream: nats.stream, objects: nats.objects, random: () => 0, now: () => clock.now() },
      listed: () => SCRIPT_SYMBOLS,
      handler: {
        ...{ book: ignore, dayFetched: ignore, dayRemoved: ignore, state: ignore },
        ...{ lead, fault: (_what: string, error: unknown) => offered.reject(error) },
      },
    });
    void tape.run().catch(offered.reject);
    await tape.caughtUp;
    if (offers !== null) await offered.promise;
    const missing = () =>
      Object.entries(tape.book.days).some(([symbol, days]) =>
        Object.keys(days).some((day) => tape.manifest.isMissing(symbol, Number(day) as never)),
      );
    const { last } = await nats.stream.ends();
    const isSealing = () => tape.publisher.days.length > 1;
    while (missing() || isSealing() || tape.report.sequence < last) await pause(LOOK_MS);
    const days = [...tape.manifest.days].flatMap(([symbol, sealed]) =>
      [...sealed].map(([day, digest]) => `${symbol} ${day} ${digest}`),
    );
    const { sequence } = tape.report;
    const has = { days: days.sort(), rows: await allTapeRows(tape.tape) };
    return { data, sequence, has, floors: tape.book.floors };
  }

  /** Registers a node without a heartbeat for some minutes. */
  async function heardOf(name: string, sequence: number): Promise<void> {
    const tape = {
      ...{ role: 'following', sequence, end: sequence, leader: null, silentMs: 0 },
      ...{ takeovers: 0, fenced: 0, unknowns: 0, daysToCome: 0, daysAt: 0 },
    };
    await using postgres = await openClusterPostgres(cluster, 1);
    await postgres.query(
      `insert into nodes (id, run, name, roles, program, computations, started_at, renewed_at,
         drains, report)
       values ($1, 'r', $1, 'ingest', '1', '{}', 0, tapeloom_now() - 300000000000, false, $2)`,
      [name, JSON.stringify({ tape })],
    );
    // A freshly started database would treat all nodes it knows as alive.
    await postgres.query(
      `create or replace function tapeloom_started_at() returns bigint language sql stable
        as 'select 0::bigint'`,
    );
  }

  async function loseStreams(...datasets: readonly string[]): Promise<void> {
    const connection = await connectNats(addressOf(rig.nats.urls), 'test');
    const manager = await jetstreamManager(connection);
    for (const name of datasets.flatMap((one) => [`TAPE_${one}`, `OBJ_TAPE_${one}`]))
      await manager.streams.delete(name);
    await connection.close();
  }

  function rebuild(directories: readonly string[], more: Partial<RebuildPlan> = {}) {
    const plan = { cluster, datasets: [DATASET], ...ROOM, directories, isLossAccepted: false };
    return rebuildCluster({
      ...plan,
      listed: () => () => SCRIPT_SYMBOLS,
      onProgress: () => {},
      ...more,
    });
  }

  function refusedAs(pattern: RegExp) {
    return (error: unknown) => {
      assert(error instanceof ClusterRefusedError, String((error as Error).stack));
      assert.match(error.message, pattern);
      return true;
    };
  }

  test('goes on with the tape of the node that has most, and with no other', async () => {
    const first = await node('a', 50);
    const behind = await node('b', null);
    assert.deepEqual(behind.has, first.has);
    assert(first.has.days.length > 0);
    const ahead = await node('a', 6);
    assert(countOf(ahead.has) > countOf(first.has));
    await assert.rejects(rebuild([ahead.data]), refusedAs(/NATS still has .*cluster repair/));

    await loseStreams(DATASET);
    await heardOf('a', ahead.sequence);
    await assert.rejects(
      rebuild([behind.data]),
      refusedAs(
        new RegExp(`^a had message ${ahead.sequence} .*b ends with \\d+\\n.*--accept-loss`),
      ),
    );
    await assert.rejects(
      rebuild([ahead.data, join(directory, 'nowhere')]),
      refusedAs(/nowhere belongs to no cluster, but PostgreSQL to cluster_/),
    );
    await heardOf('c', 1_000_000);
    const both = [behind.data, ahead.data];
    await assert.rejects(rebuild(both), refusedAs(/^c had message 1000000 /));
    for (const [part, at] of [
      ['days', 1],
      ['records', 2],
    ] as const) {
      const onProgress: RebuildPlan['onProgress'] = (what, done) => {
        if (what === part && done === at) throw new Error('the cable is out');
      };
      const broken = rebuild(both, { isLossAccepted: true, onProgress });
      await assert.rejects(broken, /the cable is out/);
    }

    const rebuilt = await rebuild(both, { isLossAccepted: true });
    assert.equal(rebuilt.data, ahead.data);
    const proofs = rebuilt.tape.days.map(({ symbol, day, digest }) => `${symbol} ${day} ${digest}`);
    assert.deepEqual(proofs.sort(), ahead.has.days);
    const joined = await node('d', null);
    assert.deepEqual(joined.has, ahead.has);
    assert.deepEqual((await node('a', null)).has, ahead.has);
    const tomorrow = addDays(dayOf(clock.now()), 1);
    const { floors } = parseEpochs(joined.floors!, [])!;
    assert.deepEqual(floors.map(({ contract }) => contract).sort(), [...SCRIPT_SYMBOLS].sort());
    for (const { cursor } of floors) assert(cursor.includes(String(tomorrow)), cursor);
    await assert.rejects(node('b', null), ForeignDirectoryError);
    await assert.rejects(rebuild([ahead.data]), refusedAs(/NATS still has/));
    // The rebuilt tape accepts new trades.
    const more = await node('a', 3);
    assert(countOf(more.has) > countOf(ahead.has));
  });

  test('every live dataset is rebuilt, from the directory that has most of it', async () => {
    const datasets = [DATASET, 'second', 'never'];
    await rig.init(cluster, ...datasets);
    const first = await node('a', 2);
    await node('e', 3, 'second');
    const behind = await node('a', null, 'second');
    const second = await node('e', 4, 'second');
    await loseStreams(DATASET, 'second');
    await using postgres = await openClusterPostgres(cluster, 1);
    await postgres.query('delete from nodes');
    const directories = [first.data, second.data];
    const kept = refusedAs(/NATS still has TAPE_never/);
    await assert.rejects(rebuild(directories, { datasets }), kept);
    await loseStreams('never');
    const none = refusedAs(/^none of these directories has a tape of never\./);
    await assert.rejects(rebuild(directories, { datasets }), none);
    const rebuilt = await rebuild(directories, { datasets, isLossAccepted: true });
    assert.deepEqual(
      rebuilt.datasets.map(({ dataset, data }) => [dataset, data]),
      [
        [DATASET, first.data],
        ['second', second.data],
      ],
    );
    assert.deepEqual((await node('f', null)).has, first.has);
    const joined = await node('f', null, 'second');
    assert.deepEqual(joined.has, second.has);
    assert(countOf(joined.has) > countOf(behind.has));
    const again = await rig.init(cluster, ...datasets);
    assert.deepEqual(
      again.datasets.map(({ isNew }) => isNew),
      [false, false, true],
    );
  });
});

function countOf({ rows }: { readonly rows: Awaited<ReturnType<typeof allTapeRows>> }): number {
  return Object.values(rows).flat().length;
}
