import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ClusterServersRig } from '../../../testing/tape/cluster-servers-rig.ts';
import { feedScript, SCRIPT_SYMBOLS } from '../../../testing/tape/feed-script.ts';
import { natsServerMissing } from '../../../testing/tape/find-nats-server.ts';
import { allTapeRows } from '../../../testing/tape/tape-on-sim-disk.ts';
import { accountsPath } from '../../accounts/store/sqlite/accounts-path.ts';
import { openSqliteDatabase } from '../../accounts/store/sqlite/sqlite-database.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { DirectoryLockedError, lockDirectory } from '../../platform/disk/directory-lock.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { createClock } from '../../platform/system-clock.ts';
import { assertAlone } from '../../tape/shared/shared-directory.ts';
import { ForeignDirectoryError } from '../../tape/shared/shared-errors.ts';
import { sharedDirectory } from '../../tape/tape-paths.ts';
import { type OpenTape, openTape } from '../../tape/write/open-tape.ts';
import { ClusterRefusedError, openClusterPostgres } from './cluster-servers.ts';
import { type MovePlace, moveBack, moveIn } from './move-data.ts';

const disk = new NodeDisk();
const clock = createClock({ kind: 'system' });
const OFFERS = { perDay: 20, before: 50, after: 6 };

/** The whole content of a tape, for comparison. */
async function contents({ tape, manifest, report }: OpenTape) {
  const days = [...manifest.days].flatMap(([symbol, sealed]) =>
    [...sealed].map(([day, digest]) => `${symbol} ${day} ${digest}`),
  );
  const open = report.logs.map(({ day, trades }) => ({ day, trades }));
  return { days: days.sort(), open, promise: report.promise, rows: await allTapeRows(tape) };
}

describe('a machine that was alone moves into a cluster and back', {
  skip: natsServerMissing,
}, () => {
  let rig: ClusterServersRig;
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tapeloom-move-'));
    rig = await ClusterServersRig.start();
  });
  after(async () => {
    await rig[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  function openAlone(data: string, dataset: string): Promise<OpenTape> {
    return openTape({
      ...{ disk, dataset, tapeRoot: join(data, 'tape'), now: () => clock.now() },
      listed: () => SCRIPT_SYMBOLS,
      onFailure: (error) => assert.fail(error),
    });
  }

  async function read(data: string, dataset: string) {
    await using tape = await openAlone(data, dataset);
    return await contents(tape);
  }

  /** A single machine: sealed days, an open one with a restart in the middle, an account, a secret, floors. */
  async function alone(directoryName: string, name = directoryName, seed = 5) {
    const data = join(directory, directoryName);
    await mkdir(data);
    let atRestart: OpenTape['report']['logs'] = [];
    const script = feedScript(seed, { batchRowsMax: 6, offersPerDay: OFFERS.perDay });
    for (const count of [OFFERS.before, OFFERS.after]) {
      await using tape = await openAlone(data, name);
      atRestart = tape.report.logs;
      for (let offered = 0; offered < count; offered++) {
        const { batches, promise } = script.next().value;
        await tape.intake.offer(batches, promise);
      }
      await tape.intake.sealed();
    }
    await writeFile(join(data, 'export-secret'), randomBytes(32));
    await writeFile(join(data, 'stream-epochs.json'), '{"floors":"of a test"}');
    await using accounts = openSqliteDatabase(accountsPath(data));
    await accounts.migrate();
    const account = { id: 'acc_1', name: 'one', created_at: 1n, suspended_at: null, revision: 0 };
    await accounts.kysely.insertInto('accounts').values(account).execute();
    const had = await read(data, name);
    assert(had.days.length >= 2 * SCRIPT_SYMBOLS.length, `${had.days}`);
    assert.deepEqual([had.open.length, atRestart.length], [1, 1]);
    assert.equal(had.open[0]!.day, atRestart[0]!.day);
    assert(atRestart[0]!.trades > 0 && had.open[0]!.trades > atRestart[0]!.trades);
    return { data, had };
  }

  function place(data: string, cluster: ClusterConfig, dataset: string): MovePlace {
    const listed = () => () => SCRIPT_SYMBOLS;
    return { data, cluster, datasets: [dataset], listed, onProgress: () => {} };
  }

  function refusedAs(kind: new (...args: never[]) => Error, pattern: RegExp) {
    return (error: unknown) => {
      assert(error instanceof kind, String(error));
      assert.match(error.message, pattern);
      return true;
    };
  }

  test('the same trades, digests and accounts on both sides and back again', async () => {
    const name = 'whole';
    const { data, had } = await alone(name);
    const cluster = await rig.cluster();
    await rig.init(cluster, name);
    {
      using _service = lockDirectory(data);
      await assert.rejects(moveIn(place(data, cluster, name)), DirectoryLockedError);
    }
    await using postgres = await openClusterPostgres(cluster, 1);
    await postgres.query(
      `insert into nodes (id, run, name, roles, program, computations, started_at, renewed_at,
         drains, report)
       values ('node_1', 'r', 'first', 'ingest', '1', '{}', tapeloom_now(), tapeloom_now(), false, '{}')`,
    );
    const alive = refusedAs(ClusterRefusedError, /nodes of the cluster run: first/);
    await assert.rejects(moveIn(place(data, cluster, name)), alive);
    await postgres.query('delete from nodes');

    const moved = await moveIn(place(data, cluster, name));
    const proofs = moved.tape.days.map(({ symbol, day, digest }) => `${symbol} ${day} ${digest}`);
    assert.deepEqual(proofs.sort(), had.days);
    assert.deepEqual(moved.tape.open, had.open[0]);
    const root = join(data, 'tape');
    const marked = refusedAs(
      ForeignDirectoryError,
      new RegExp(`belongs to the cluster ${moved.clusterId}`),
    );
    await assert.rejects(assertAlone(disk, root, name), marked);
    const twice = refusedAs(ClusterRefusedError, /belongs to this cluster already/);
    await assert.rejects(moveIn(place(data, cluster, name)), twice);

    // Into a new directory, and into the one that became a node's.
    for (const target of [join(directory, 'back'), data]) {
      const back = await moveBack(place(target, cluster, name));
      assert.deepEqual(back.accounts, moved.accounts);
      assert.deepEqual(back.tape.open, had.open[0]);
      await assertAlone(disk, join(target, 'tape'), name);
      assert.deepEqual(await read(target, name), had);
      for (const file of ['export-secret', 'stream-epochs.json']) {
        assert.deepEqual(readFileSync(join(target, file)), readFileSync(join(data, file)));
      }
    }
  });

  test('a move that is broken off anywhere goes on', async () => {
    const name = 'broken';
    const { data, had } = await alone(name);
    const cluster = await rig.cluster();
    await rig.init(cluster, name);
    for (const [part, at] of [
      ['days', 2],
      ['records', 1],
      ['records', 4],
    ] as const) {
      const broken = moveIn({
        ...place(data, cluster, name),
        commitRowsMax: 1,
        onProgress: (what, done) => {
          if (what === part && done === at) throw new Error('the cable is out');
        },
      });
      await assert.rejects(broken, /the cable is out/);
      await assertAlone(disk, join(data, 'tape'), name);
      assert.deepEqual(await read(data, name), had);
    }
    // Split as by a version before c7a63a6c: one record per commit.
    const otherwise = refusedAs(
      ClusterRefusedError,
      /split into different records from 1 on: the move was started by another version of this program/,
    );
    await assert.rejects(moveIn(place(data, cluster, name)), otherwise);
    assert.deepEqual(await read(data, name), had);
    const another = refusedAs(ClusterRefusedError, /the open day in the stream is of another dire/);
    const elsewhere = await alone('elsewhere', name, 6);
    await assert.rejects(moveIn(place(elsewhere.data, cluster, name)), another);
    const cut = { ...place(data, cluster, name), commitRowsMax: 1 };
    await moveIn(cut);
    // Between the last two steps: all is in the stream, but the directory does not record that yet.
    rmSync(join(sharedDirectory(join(data, 'tape'), name), 'cluster.json'));
    const half = refusedAs(ForeignDirectoryError, /was being moved into a cluster/);
    await assert.rejects(assertAlone(disk, join(data, 'tape'), name), half);
    await moveIn(cut);
    const target = join(directory, 'broken-back');
    await moveBack(place(target, cluster, name));
    assert.deepEqual(await read(target, name), had);
  });

  test('all live datasets of a machine move in turn, and a second run goes on with what is left', async () => {
    const [name, second] = ['one-of-two', 'two-of-two'];
    const { data, had } = await alone(name);
    const script = feedScript(7, { batchRowsMax: 6, offersPerDay: OFFERS.perDay });
    {
      await using tape = await openAlone(data, second);
      for (let offered = 0; offered < OFFERS.before; offered++) {
        const { batches, promise } = script.next().value;
        await tape.intake.offer(batches, promise);
      }
      await tape.intake.sealed();
    }
    const hadSecond = await read(data, second);
    const floors = [
      { contract: 'A', indicator: null, cursor: '20261117.5.0', reason: 'source_gap' },
    ];
    const epochs = { version: 2, computations: { bars: '1' }, floors };
    await writeFile(join(data, 'stream-epochs.json'), JSON.stringify(epochs));
    const cluster = await rig.cluster();
    await rig.init(cluster, name, second);
    const both = { ...place(data, cluster, name), datasets: [name, second] };
    let moved = 0;
    const onProgress: MovePlace['onProgress'] = (what, done, total) => {
      if (what === 'records' && done === total) moved += 1;
      if (moved === 1 && what === 'days' && done === 2) throw new Error('the cable is out');
    };
    await assert.rejects(moveIn({ ...both, onProgress }), /the cable is out/);
    const left = await moveIn(both);
    assert.deepEqual(
      left.datasets.map(({ dataset }) => dataset),
      [second],
    );
    await assert.rejects(moveIn(both), refusedAs(ClusterRefusedError, /nothing to move/));
    const target = join(directory, 'both-back');
    const back = await moveBack({ ...both, data: target });
    assert.deepEqual(
      back.datasets.map(({ dataset }) => dataset),
      [name, second],
    );
    assert.deepEqual([await read(target, name), await read(target, second)], [had, hadSecond]);
    assert.deepEqual(JSON.parse(readFileSync(join(target, 'stream-epochs.json'), 'utf8')), epochs);
  });
});
