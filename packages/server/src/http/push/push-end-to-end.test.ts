/** A writer of the client library against the endpoint, the source and a tape on a simulated disk. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { PushWriter } from '@tapeloom/client/node';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { PushReceipt } from '@tapeloom/protocol/push';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { openSimTape, tapeRows } from '../../../testing/tape/tape-on-sim-disk.ts';
import { PushSource } from '../../markets/push/push-source.ts';
import { PushRoutes } from './push-routes.ts';

const OPEN = epochNs(utcDay(20_260_105), 36_000_000_000_000);
const TRADES = 20_000;
const contracts = [
  { symbol: 'ESZ6', tickSizeNanos: 250_000_000, lotSizeNanos: 1_000_000_000 } as Contract,
];

test('a writer whose requests are cut delivers every trade once, and resumes from the position', async () => {
  const clock = new ManualClock(OPEN + 3_600_000_000_000n);
  await using tape = await openSimTape(new SimDisk().boot(), { now: clock.now() });
  const source = new PushSource({
    market: {
      dataset: 'SIM',
      listing: () => ({ book: {} as InstrumentBook, contracts, streamedOn: () => contracts }),
    },
    intake: tape.intake,
    clock,
    monotonicNs: () => clock.now(),
    feed: { graceMs: 250, gapAfterMs: 15 * 60_000 },
    hoursOf: () => null,
    onOffTick: (contract) => assert.fail(contract),
  });
  const stopping = new AbortController();
  const run = source.run(stopping.signal);
  const routes = new PushRoutes({
    desk: {
      datasets: () => ['SIM'],
      leaderOf: () => ({ t: 'here' }),
      push: (_, request) => source.push(request),
      position: async () => source.position(),
    },
    secret: { accepts: async () => true },
    clock,
    monotonicNs: () => clock.now(),
    onFault: (error) => assert.fail(String(error)),
  });
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    // Each third request loses its answer, after the service has taken it.
    if (requests % 3 === 0) response.writeHead = () => response.destroy() as never;
    routes.handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receipts: PushReceipt[] = [];
  const options = {
    urls: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret: 'any',
    batchTrades: 1_000,
    onReceipt: (receipt: PushReceipt) => receipts.push(receipt),
  };
  for (const end of [TRADES / 2, TRADES]) {
    const writer = new PushWriter(options);
    const [position] = (await writer.position()).contracts;
    for (let id = (position?.lastId ?? -1) + 1; id < end; id += 1) {
      const price = `${5_000 + (id % 9) / 4}`;
      const ts = OPEN + BigInt(id) * 1_000_000n;
      await writer.write({ contract: 'ESZ6', id, ts, price, size: 1, side: 'sell' });
    }
    await writer.close();
  }
  stopping.abort();
  await run;
  server.closeAllConnections();
  server.close();
  assert.ok(receipts.some(({ repeated }) => repeated));
  for (const { counts } of receipts) assert.equal(counts!.accepted, counts!.trades);
  const rows = await tapeRows(tape.tape, 'ESZ6');
  assert.deepEqual(
    rows.map(([, rank, ts, price]) => [rank, ts, price]),
    Array.from({ length: TRADES }, (_, id) => [
      id + 1,
      36_000_000_000_000 + id * 1_000_000,
      20_000 + (id % 9),
    ]),
  );
});
