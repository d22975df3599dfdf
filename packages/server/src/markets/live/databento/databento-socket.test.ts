import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { ManualClock } from '../../../../../../simulation/clock/manual-clock.ts';
import { seededRandom } from '../../../../../../simulation/clock/seeded-random.ts';
import type { SimTrade } from '../../../../testing/live/dialect.ts';
import {
  DATABENTO_SETTINGS,
  databentoDialect,
} from '../../../../testing/live/dialects/databento-dialect.ts';
import { DatabentoServer } from '../../../../testing/live/dialects/databento-server.ts';
import { contractsOf, START_MS } from '../../../../testing/live/feed-run.ts';
import { MemoryIntake } from '../../../../testing/live/memory-intake.ts';
import { VenueBudget } from '../connection/venue-budget.ts';
import { LiveSource } from '../live-source.ts';
import { webNetwork } from '../network.ts';
import { databentoKind } from './databento-kind.ts';

/** More steps than a sound machine needs; their clock reaches no time limit of a connection. */
const STEPS_MAX = 1_500;
const STEP_MS = 5;

async function stage(t: TestContext) {
  const clock = new ManualClock(BigInt(START_MS) * MS_NS_BIG);
  const nowMs = () => Number(clock.now() / MS_NS_BIG);
  const server = new DatabentoServer(nowMs, { pieceBytes: 7 });
  t.after(() => server[Symbol.asyncDispose]());
  const stream = await server.listen();
  const addresses = { ...DATABENTO_SETTINGS.addresses, stream };
  const venue = databentoKind.open({ ...DATABENTO_SETTINGS, addresses });
  const tape = new MemoryIntake();
  const source = new LiveSource({
    venue,
    contracts: contractsOf(databentoDialect()),
    intake: {
      lastId: (symbol) => tape.lastId(symbol),
      position: (key) => tape.position(key),
      get promise() {
        return tape.promise;
      },
      get gaps() {
        return tape.gaps;
      },
      offer: async (batches, promise, notes = []) => tape.take({ batches, promise, notes }),
    },
    budget: new VenueBudget(venue.limits),
    random: seededRandom(4),
    clock,
    monotonicNs: () => clock.now(),
    network: webNetwork,
  });
  const stopping = new AbortController();
  const run = source.run(stopping.signal);
  t.after(() => {
    stopping.abort();
    return run;
  });
  const until = async (isReached: () => boolean) => {
    for (let step = 0; !isReached(); step += 1) {
      assert.ok(step < STEPS_MAX, `in vain; the last connection: ${source.status.lastEnd}`);
      clock.advance(STEP_MS);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  return { server, tape, source, nowMs, until };
}

test('over a real socket: trades, a cut in their middle, and the rest, each once and in order', async (t) => {
  const { server, tape, source, nowMs, until } = await stage(t);
  let id = 0;
  const trade = (venueSymbol: string, count: number) => {
    const rows: SimTrade[] = [];
    for (let row = 0; row < count; row += 1) {
      id += 1;
      rows.push({ id, ms: nowMs(), price: `${5_000 + id}.25`, size: `${id}`, isBuy: id % 3 > 0 });
    }
    server.trade(venueSymbol, ...rows);
  };
  const sizes = (symbol: string) => (tape.trades.get(symbol) ?? []).map(({ size }) => size);
  await until(() => source.status.state === 'live');
  trade('ESZ6', 5);
  trade('NQZ6', 1);
  await until(() => sizes('ESZ6').length === 5 && sizes('NQZ6').length === 1);
  server.cut();
  trade('ESZ6', 2);
  await until(() => source.status.reconnects === 1 && source.status.state === 'live');
  trade('ESZ6', 1);
  await until(() => sizes('ESZ6').length === 8);
  assert.deepEqual([sizes('ESZ6'), sizes('NQZ6')], [[1, 2, 3, 4, 5, 7, 8, 9], [6]]);
  const last = tape.trades.get('ESZ6')!.at(-1)!;
  assert.deepEqual([last.price, last.side], [(5_009.25 / 0.25) | 0, -1]);
  assert.match(source.status.lastEnd!, /^127\.0\.0\.1:\d+: closed by the venue: .*ECONNRESET/);
  assert.deepEqual(server.faults, []);
  assert.deepEqual(
    tape.allGaps.filter(({ reason }) => reason !== 'start'),
    [],
  );
});
