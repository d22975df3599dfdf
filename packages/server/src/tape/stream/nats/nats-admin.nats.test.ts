import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { jetstreamManager } from '@nats-io/jetstream';
import { natsServer, natsServerMissing } from '../../../../testing/tape/find-nats-server.ts';
import { NatsServers } from '../../../../testing/tape/nats-servers.ts';
import {
  addressOf,
  CLUSTER_ID,
  makeTape,
  openTape,
} from '../../../../testing/tape/nats-tape-rig.ts';
import { createClock } from '../../../platform/system-clock.ts';
import { FencedWriter } from '../fenced-writer.ts';
import { askNatsTape, createNatsTape, growNatsTape } from './nats-admin.ts';
import { connectNats } from './nats-connection.ts';
import { askNatsServers, natsServerFaults } from './nats-servers-check.ts';
import { NatsTapeError, openNatsTape } from './open-nats-tape.ts';

const clock = createClock({ kind: 'system' });

function refusedWith(...patterns: readonly RegExp[]) {
  return (error: unknown) => {
    assert(error instanceof NatsTapeError, String(error));
    assert.equal(error.faults.length, patterns.length, error.message);
    for (const [index, pattern] of patterns.entries()) assert.match(error.faults[index]!, pattern);
    return true;
  };
}

describe('what is checked before a tape in NATS is used', { skip: natsServerMissing }, () => {
  let servers: NatsServers;
  before(async () => {
    servers = await NatsServers.start();
  });
  after(() => servers[Symbol.asyncDispose]());

  test('a tape is made once, whole, and says whose it is', async () => {
    await makeTape(servers, 'made', { streamBytesMax: 5_000_000, objectBytesMax: 6_000_000 });
    await using stack = new AsyncDisposableStack();
    const connection = await connectNats(addressOf(servers.urls), 'test');
    stack.defer(() => connection.close());
    const { stream, objects, faults } = await askNatsTape(connection, 'made');
    assert.deepEqual(faults, []);
    assert.deepEqual([stream?.name, stream?.clusterId], ['TAPE_made', CLUSTER_ID]);
    assert.deepEqual([stream?.first, stream?.last, stream?.bytesMax], [1, 0, 5_000_000]);
    assert.deepEqual([objects?.clusterId, objects?.bytesMax], [CLUSTER_ID, 6_000_000]);
    await growNatsTape(connection, 'made', 7_000_000);
    const grown = await askNatsTape(connection, 'made');
    assert.deepEqual([grown.stream?.bytesMax, grown.faults], [7_000_000, []]);
    const plan = { dataset: 'made', replicas: 1, streamBytesMax: 1, objectBytesMax: 1 };
    const other = createNatsTape(connection, { ...plan, clusterId: 'another' });
    await assert.rejects(other, /the stream .* already exists/);
  });

  test('a tape that is not there is not begun by opening it', async () => {
    await assert.rejects(openTape(servers, 'nowhere'), refusedWith(/cluster init/));
    await assert.rejects(openTape(servers, 'nowhere'), refusedWith(/must not be created again/));
  });

  test('a tape that was deleted is told as such', async () => {
    await makeTape(servers, 'deleted');
    const connection = await connectNats(addressOf(servers.urls), 'test');
    const manager = await jetstreamManager(connection);
    await manager.streams.delete('TAPE_deleted');
    await connection.close();
    await assert.rejects(openTape(servers, 'deleted'), refusedWith(/it is lost/));
  });

  test('the tape of another cluster is refused', async () => {
    await makeTape(servers, 'foreign');
    const nats = { ...addressOf(servers.urls), monitors: servers.monitors, isSyncAssured: false };
    const options = { nats, dataset: 'foreign', client: 'test', clusterId: 'mine' };
    await assert.rejects(openNatsTape(options), refusedWith(/another cluster/, /another cluster/));
  });

  test('a stream that forgets, or lets messages go, is refused by name of the setting', async () => {
    await makeTape(servers, 'changed');
    const connection = await connectNats(addressOf(servers.urls), 'test');
    const manager = await jetstreamManager(connection);
    await manager.streams.update('TAPE_changed', {
      max_age: 3_600_000_000_000,
      max_msgs: 1_000,
      subjects: ['tape.changed.>'],
    });
    await connection.close();
    await assert.rejects(
      openTape(servers, 'changed'),
      refusedWith(/max_age must be 0/, /max_msgs/, /tape\.changed\.record/),
    );
  });

  test('two datasets whose names differ in one sign have two tapes', async () => {
    await makeTape(servers, 'a.b');
    await makeTape(servers, 'a_b');
    await using tape = await openTape(servers, 'a.b');
    await tape.stream.publish({ subject: 'claim', writer: 'a.1', body: new Uint8Array() }, 0);
    await using other = await openTape(servers, 'a_b');
    assert.equal((await other.stream.ends()).last, 0);
  });

  test('how a server syncs is read where it is monitored, or vouched for', async () => {
    const address = {
      ...addressOf(servers.urls),
      monitors: servers.monitors,
      isSyncAssured: false,
    };
    const [synced] = await askNatsServers(address, 'test');
    assert.equal(synced?.isSyncAlways, true);
    assert.equal(synced?.version, natsServer().version);
    const unknown = await askNatsServers({ ...address, monitors: [] }, 'test');
    assert.match(natsServerFaults(unknown, false).join(), /TAPELOOM_NATS_MONITOR/);
    assert.deepEqual(natsServerFaults(unknown, true), []);
  });

  test('a server that acknowledges before it syncs, or takes small messages only, is refused', async () => {
    await using bad = await NatsServers.start({ isSynced: false, payloadBytesMax: 1_048_576 });
    await assert.rejects(
      openTape(bad, 'bad'),
      refusedWith(/max_payload must be 4194304/, /sync_interval: always/),
    );
    const nats = { ...addressOf(bad.urls), monitors: bad.monitors, isSyncAssured: true };
    const vouched = natsServerFaults(await askNatsServers(nats, 'test'), true);
    assert.equal(vouched.length, 2, 'what is read counts more than what is vouched for');
  });

  test('an old server is refused', () => {
    const kind = { payloadBytesMax: 8_000_000, isSyncAlways: true };
    const state = { url: 'nats://x', name: 'x', id: 'X', fault: null, ...kind };
    const faultsOf = (version: string) => natsServerFaults([{ ...state, version }], false).length;
    for (const version of ['2.9.10', '2.10.26', '1.99.99', '2.10'])
      assert.equal(faultsOf(version), 1, version);
    for (const version of ['2.10.27', '2.10.28-RC.1', '2.11.0', '3.0.0'])
      assert.equal(faultsOf(version), 0, version);
  });
});

describe('three servers of which one is down', { skip: natsServerMissing }, () => {
  test('are opened, and what is missing is told', async () => {
    await using servers = await NatsServers.start({ count: 3 });
    await makeTape(servers, 'three');
    await servers.kill(1);
    await using tape = await openTape(servers, 'three');
    const connection = await connectNats(addressOf(servers.urls), 'test');
    const nats = { ...addressOf(servers.urls), monitors: servers.monitors, isSyncAssured: false };
    const asked = await askNatsServers(nats, 'test');
    assert.deepEqual(
      asked.map(({ name }) => name),
      ['server-0', null, 'server-2'],
    );
    const { stream } = await askNatsTape(connection, 'three');
    assert.deepEqual([stream?.replicas, stream?.followers.length], [3, 2]);
    assert.notEqual(stream?.leader, 'server-1');
    const writer = new FencedWriter({ stream: tape.stream, clock, writer: 'a.1', last: 0 });
    assert.equal(await writer.append('claim', new Uint8Array()), 1);
    await connection.close();
  });
});
