import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ClusterRefusedError } from '@tapeloom/server/operations/cluster/cluster-servers';
import { openPostgres } from '@tapeloom/server/platform/postgres/postgres';
import { PostgresServer } from '../../../server/testing/platform/postgres-server.ts';
import { natsServerMissing } from '../../../server/testing/tape/find-nats-server.ts';
import { NatsServers } from '../../../server/testing/tape/nats-servers.ts';
import { RecordedIo } from '../../testing/recorded-io.ts';
import { type CommandBody, UsageError } from '../command.ts';
import { clusterDrainCommand } from './cluster-drain.ts';
import { clusterInitCommand } from './cluster-init.ts';
import { clusterRoomCommand } from './cluster-room.ts';
import { clusterStatusCommand } from './cluster-status.ts';

const skip = natsServerMissing;
let postgres: PostgresServer;
let nats: NatsServers;
let env: Readonly<Record<string, string>>;

before(async () => {
  if (skip !== false) return;
  [postgres, nats] = await Promise.all([PostgresServer.start(), NatsServers.start({ count: 3 })]);
  env = {
    TAPELOOM_POSTGRES_URL: await postgres.database(),
    TAPELOOM_NATS_URL: nats.urls.join(),
    TAPELOOM_NATS_MONITOR: nats.monitors.join(),
    TAPELOOM_DATA: '/nowhere',
  };
});

after(async () => {
  await postgres?.[Symbol.asyncDispose]();
  await nats?.[Symbol.asyncDispose]();
});

async function run(command: CommandBody, args: readonly string[], more: object = {}) {
  const io = new RecordedIo({ env: { ...env, ...more }, isTerminal: false });
  const code = await command.run(args, io);
  return { code, out: io.out, err: io.err };
}

async function faultsOf(more: object, args: readonly string[] = []): Promise<readonly string[]> {
  try {
    await run(clusterInitCommand, args, more);
  } catch (error) {
    assert.ok(error instanceof ClusterRefusedError, String(error));
    return error.faults;
  }
  return assert.fail('a cluster was made');
}

test('init refuses servers that could lose the tape, and makes nothing', { skip }, async () => {
  const unread = await faultsOf({ TAPELOOM_NATS_MONITOR: '' });
  assert.equal(unread.length, 3);
  assert.match(unread[0]!, /^it is unknown how nats:.* syncs: .*TAPELOOM_NATS_MONITOR.*assured$/);
  const [few] = await faultsOf({ TAPELOOM_NATS_URL: nats.urls[0]! });
  assert.match(few!, /^TAPELOOM_NATS_URL names 1 of the 3 servers that 3 replicas need/);
  const [away] = await faultsOf({
    TAPELOOM_NATS_URL: `${env.TAPELOOM_NATS_URL},nats://127.0.0.1:1`,
  });
  assert.equal(
    away,
    'TAPELOOM_NATS_URL: nats://127.0.0.1:1 does not respond: connect ECONNREFUSED 127.0.0.1:1',
  );
  const url = 'postgresql://nobody:hunter2@127.0.0.1:1/none';
  const [closed] = await faultsOf({ TAPELOOM_POSTGRES_URL: url });
  assert.match(closed!, /^TAPELOOM_POSTGRES_URL: PostgreSQL cannot be reached as nobody at 127/);
  assert.ok(!closed!.includes('hunter2'));
  assert.match((await run(clusterStatusCommand, [])).out, /there is no cluster yet/);
});

test('servers that do not sync, or take too little, are refused by name', { skip }, async () => {
  await using weak = await NatsServers.start({ isSynced: false, payloadBytesMax: 1_048_576 });
  const more = {
    TAPELOOM_NATS_URL: weak.urls.join(),
    TAPELOOM_NATS_MONITOR: weak.monitors.join(),
  };
  const faults = await faultsOf(more, ['--replicas', '1']);
  assert.equal(faults.length, 2);
  assert.match(faults[0]!, /accepts messages of up to 1048576 bytes: max_payload must be 4194304/);
  assert.match(faults[1]!, /acknowledges before it has synced: set "sync_interval: always"/);
});

test('a cluster is made once, and never over another', { skip }, async () => {
  const made = await run(clusterInitCommand, []);
  assert.match(made.out, /^The cluster cluster_[0-9a-f]{24} was created for SIM: 3 NATS servers/);
  const again = await run(clusterInitCommand, ['--json']);
  const { id, isNew } = JSON.parse(again.out) as { id: string; isNew: boolean };
  assert.equal(isNew, false);
  assert.ok(made.out.includes(id));
  const other = await postgres.database();
  const [foreign] = await faultsOf({ TAPELOOM_POSTGRES_URL: other });
  assert.match(
    foreign!,
    new RegExp(`^NATS already has TAPE_SIM, of ${id}, but PostgreSQL belongs to`),
  );
  const { code, out } = await run(clusterStatusCommand, []);
  assert.equal(code, 1);
  assert.match(out, /^! no node runs$/m);
  assert.match(out, /^TAPE_SIM .* 3 replicas$/m);
  assert.equal(out.match(/2\.10\.\d+ +always/g)?.length, 3);
});

test('what a run before has left undone is done, and a tape that is gone is not begun anew', {
  skip,
}, async () => {
  await using alone = await NatsServers.start({});
  const url = await postgres.database();
  const more = {
    TAPELOOM_POSTGRES_URL: url,
    TAPELOOM_NATS_URL: alone.urls.join(),
    TAPELOOM_NATS_MONITOR: alone.monitors.join(),
  };
  const room = ['--replicas', '1', '--stream-bytes', '64MiB', '--object-bytes', '64MiB', '--json'];
  const first = JSON.parse((await run(clusterInitCommand, room, more)).out);
  await using database = openPostgres({ url, connectionsMax: 1 });
  // As if the first run had ended before its last step.
  await database.query('update cluster set made_at = 0');
  const second = JSON.parse((await run(clusterInitCommand, room, more)).out);
  assert.deepEqual([second.id, second.isNew], [first.id, true]);
  await using empty = await NatsServers.start({});
  const [lost] = await faultsOf(
    {
      ...more,
      TAPELOOM_NATS_URL: empty.urls.join(),
      TAPELOOM_NATS_MONITOR: empty.monitors.join(),
    },
    room,
  );
  assert.match(lost!, /the tape is lost\. No new tape was created/);
  const { out } = await run(clusterStatusCommand, [], more);
  assert.match(out, /^! TAPE_SIM has one replica: it is lost if that machine is lost$/m);
  const assured = { ...more, TAPELOOM_NATS_MONITOR: '', TAPELOOM_NATS_SYNC: 'assured' };
  assert.match(
    (await run(clusterStatusCommand, [], assured)).out,
    /^! the syncing of NATS is not checked/m,
  );
});

test('room is given, never taken, and says what it read', { skip }, async () => {
  await assert.rejects(run(clusterRoomCommand, ['much']), /<size> must be .*; got "much"/);
  await assert.rejects(run(clusterRoomCommand, ['1MiB']), /already holds up to \d+ bytes/);
});

test('a node that is not there cannot be drained', { skip }, async () => {
  const { code, err } = await run(clusterDrainCommand, ['serve-1']);
  assert.equal(code, 4);
  assert.equal(err, 'no node serve-1 is alive; no node is\n');
});

test('without a cluster in the configuration its commands say what to set', async () => {
  const nothing = { TAPELOOM_POSTGRES_URL: undefined, TAPELOOM_NATS_URL: undefined };
  await assert.rejects(
    run(clusterStatusCommand, [], { ...nothing, TAPELOOM_NATS_MONITOR: undefined }),
    (error) => error instanceof UsageError && /TAPELOOM_POSTGRES_URL and/.test(error.message),
  );
  await assert.rejects(
    run(clusterInitCommand, ['--replicas', '2']),
    /--replicas must be .*; got "2"/,
  );
});
