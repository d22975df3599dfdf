import assert from 'node:assert/strict';
import { test } from 'node:test';
import { natsServerMissing } from '../../../testing/tape/find-nats-server.ts';
import { NatsServers } from '../../../testing/tape/nats-servers.ts';
import { addressOf, makeTape, openTape } from '../../../testing/tape/nats-tape-rig.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { ClusterRefusedError } from './cluster-servers.ts';
import { giveRoom } from './give-room.ts';

const ROOM = 1_048_576;

test('a full stream gets more room, is appended to again, and its servers are compared afterwards', {
  skip: natsServerMissing,
}, async () => {
  await using servers = await NatsServers.start({ count: 3 });
  await makeTape(servers, 'full', { streamBytesMax: ROOM, objectBytesMax: ROOM });
  await using tape = await openTape(servers, 'full');
  const body = new Uint8Array(100_000);
  let last = 0;
  const append = async () => {
    const said = await tape.stream.publish({ subject: 'record', writer: 'a.1', body }, last);
    if (said.outcome === 'stored') last = said.sequence;
    return said.outcome;
  };
  while ((await append()) !== 'refused');
  const nats = { ...addressOf(servers.urls), monitors: servers.monitors, isSyncAssured: false };
  const place = { url: '', passwordFile: null, caFile: null };
  const roles = { ingest: true, serve: true };
  const cluster: ClusterConfig = { roles, node: 'x', internalUrl: null, postgres: place, nats };
  let appended = 0;
  const wait = async () => {
    if ((await append()) === 'stored') appended += 1;
  };
  const given = await giveRoom(cluster, 'full', { bytesMax: 4 * ROOM, of: 'stream' }, wait);
  assert.equal(given.now, 4 * ROOM);
  assert.equal(given.isChecked, true);
  assert.ok(appended > 0);
  // In some of these raises 2.10.27 leaves a replica behind; then it is named, with a remedy.
  const { stream } = await tape.replicas();
  const missing = [stream!.leaderMissing, ...stream!.followers.map(({ missing }) => missing)];
  const isLeftBehind = missing.some((count) => count !== 0);
  assert.equal(given.concerns.length > 0, isLeftBehind, `${given.concerns}, ${missing}`);
  for (const concern of given.concerns) assert.match(concern, /anew.*remove what is below/);
  await assert.rejects(
    giveRoom(cluster, 'full', { bytesMax: ROOM, of: 'stream' }, wait),
    (error) => error instanceof ClusterRefusedError && /choose a larger size/.test(error.message),
  );
  const objects = await giveRoom(cluster, 'full', { bytesMax: 2 * ROOM, of: 'objects' }, wait);
  assert.deepEqual([objects.before, objects.now], [ROOM, 2 * ROOM]);
});
