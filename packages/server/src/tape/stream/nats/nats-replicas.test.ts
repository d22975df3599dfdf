import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { addressOf } from '../../../../testing/tape/nats-tape-rig.ts';
import type { KeptState, NatsTapeState } from './nats-admin.ts';
import { countIncomplete, withMissingCounts } from './nats-replicas.ts';
import type { NatsServerState } from './nats-servers-check.ts';

const GROUP = 'S-R3F-abc';
const SERVERS = ['a', 'b', 'c'].map(
  (name): NatsServerState => ({
    url: `nats://${name}`,
    name,
    id: `ID-${name}`,
    fault: null,
    version: '2.10.27',
    payloadBytesMax: 8_388_608,
    isSyncAlways: true,
  }),
);

/** A monitoring endpoint that reports `ends`. */
async function monitor(id: string, ends: () => Readonly<Record<string, number>>) {
  const server = createServer((request, response) => {
    assert.equal(request.url, '/jsz?streams=true');
    const details = Object.entries(ends()).map(([group, last]) => ({
      name: 'TAPE_SIM',
      cluster: { raft_group: group },
      state: { last_seq: last },
    }));
    response.end(
      JSON.stringify({ server_id: id, config: {}, account_details: [{ stream_detail: details }] }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.dispose]: () => void server.close().closeAllConnections(),
  };
}

function tapeUpTo(last: number): NatsTapeState {
  const followers = ['b', 'c'].map((name) => ({
    name,
    isCurrent: true,
    isSilent: false,
    lag: 0,
    missing: null,
  }));
  const stream: KeptState = {
    name: 'TAPE_SIM',
    clusterId: 'x',
    first: 1,
    last,
    bytes: 1,
    bytesMax: 10,
    replicas: 3,
    leader: 'a',
    leaderMissing: null,
    followers,
    group: GROUP,
  };
  return { stream, objects: null, faults: [] };
}

const missingOf = ({ stream }: NatsTapeState) => stream!.followers.map(({ missing }) => missing);

async function monitored(ends: readonly number[]) {
  const stack = new DisposableStack();
  const monitors: string[] = [];
  for (const [index, end] of ends.entries()) {
    const id = SERVERS[index]!.id!;
    monitors.push(stack.use(await monitor(id, () => ({ [GROUP]: end }))).url);
  }
  const address = { ...addressOf(['nats://a']), monitors, isSyncAssured: false };
  return { address, [Symbol.dispose]: () => stack.dispose() };
}

test('all servers are compared with the one that has most, also the one that leads, and two that lack messages', async () => {
  const wait = async () => {};
  for (const [ends, leaderMissing, missing] of [
    [[40, 100, 100], 60, [0, 0]],
    [[40, 100, 41], 60, [0, 59]],
    [[100, 40, 41], 0, [60, 59]],
  ] as const) {
    using served = await monitored(ends);
    const told = await withMissingCounts(served.address, SERVERS, tapeUpTo(ends[0]), wait);
    assert.equal(told.stream!.leaderMissing, leaderMissing);
    assert.deepEqual(missingOf(told), missing);
    const incomplete = ends.filter((end) => end < 100).length;
    assert.equal(await countIncomplete(served.address, tapeUpTo(ends[0]), wait), incomplete);
  }
});

test('a server that takes itself for whole and has not stored all is found out; one that is not monitored is not judged', async () => {
  // A stream of the same name in another account is another stream.
  using whole = await monitor('ID-a', () => ({ [GROUP]: 100, other: 3 }));
  using short = await monitor('ID-b', () => ({ other: 3, [GROUP]: 40 }));
  const address = {
    ...addressOf(['nats://a']),
    monitors: [whole.url, short.url, 'http://127.0.0.1:1'],
    isSyncAssured: false,
  };
  const waited: number[] = [];
  const wait = async (ms: number) => waited.push(ms);
  assert.deepEqual(missingOf(await withMissingCounts(address, SERVERS, tapeUpTo(100), wait)), [
    60,
    null,
  ]);
  assert.deepEqual(waited, [1_000], 'it is looked at again before it is said');
  assert.equal(await countIncomplete(address, tapeUpTo(100), wait), 1);
  assert.equal(await countIncomplete(address, tapeUpTo(40), wait), 1, 'by what another has');
});

test('who is only a moment behind lacks nothing', async () => {
  let end = 90;
  using follower = await monitor('ID-b', () => ({ [GROUP]: end }));
  using other = await monitor('ID-c', () => ({ [GROUP]: 120 }));
  const address = {
    ...addressOf(['nats://a']),
    monitors: [follower.url, other.url],
    isSyncAssured: false,
  };
  const wait = async () => {
    end = 130;
  };
  assert.deepEqual(
    missingOf(await withMissingCounts(address, SERVERS, tapeUpTo(100), wait)),
    [0, 0],
  );
});
