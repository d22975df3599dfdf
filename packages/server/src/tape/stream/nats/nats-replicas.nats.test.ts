import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { natsServerMissing } from '../../../../testing/tape/find-nats-server.ts';
import { NatsServers } from '../../../../testing/tape/nats-servers.ts';
import { addressOf, makeTape, openTape } from '../../../../testing/tape/nats-tape-rig.ts';
import { askNatsTape } from './nats-admin.ts';
import { connectNats } from './nats-connection.ts';
import { withMissingCounts } from './nats-replicas.ts';
import { askNatsServers } from './nats-servers-check.ts';

const MESSAGES = 40;
const WAIT_LIMIT_MS = 60_000;

test('what servers have stored is told of each, and one whose store was removed is filled by the others', {
  skip: natsServerMissing,
}, async () => {
  await using servers = await NatsServers.start({ count: 3 });
  await makeTape(servers, 'holes');
  await using tape = await openTape(servers, 'holes');
  const append = async (from: number) => {
    for (let last = from; last < from + MESSAGES; last += 1) {
      const body = new Uint8Array(100);
      await tape.stream.publish({ subject: 'record', writer: 'a.1', body }, last);
    }
  };
  await append(0);
  assert.deepEqual(await wholeInTheEnd(servers), [0, 0]);
  assert.equal(await tape.incompleteServers(), 0);
  await servers.stop(1);
  await rm(servers.storeOf(1), { recursive: true });
  await append(MESSAGES);
  await servers.startAll();
  assert.deepEqual(await wholeInTheEnd(servers), [0, 0]);
});

/** The missing messages of the followers, once all are present and miss nothing, or after a timeout. */
async function wholeInTheEnd(servers: NatsServers): Promise<readonly (number | null)[]> {
  const address = { ...addressOf(servers.urls), monitors: servers.monitors, isSyncAssured: false };
  const connection = await connectNats(address, 'test');
  const until = performance.now() + WAIT_LIMIT_MS;
  try {
    for (;;) {
      const asked = await askNatsServers(address, 'test');
      const tape = await askNatsTape(connection, 'holes');
      const { stream } = await withMissingCounts(address, asked, tape, () => pause(50));
      const missing = stream!.followers.map((follower) => follower.missing);
      if (missing.every((it) => it === 0) || performance.now() > until) return missing;
      await pause(50);
    }
  } finally {
    await connection.close();
  }
}
