/**
 * A cluster whose trades come from a venue, with days before its start: the node that appends fetches them behind the
 * running stream. It is killed meanwhile; another one goes on, and in the end all nodes have the same days.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, suite, test } from 'node:test';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import { applyInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import type { ClusterStatus } from '@tapeloom/server/operations/cluster/cluster-status';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import type { Sidecar } from '@tapeloom/server/tape/sidecar';
import { okxDialect } from '../../packages/server/testing/live/dialects/okx-dialect.ts';
import { SimVenue } from '../../packages/server/testing/live/sim-venue.ts';
import { VenueServer } from '../../packages/server/testing/live/venue-server.ts';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { ClusterRig } from './cluster-rig.ts';
import { until } from './in-the-end.ts';

const HOUR_MS = 3_600_000;
const HOURS = 72;
const TRADE_EVERY_MS = 60_000;
const NODES = ['first', 'second'];
const { venueSymbol, tick, lot } = okxDialect.contracts[0]!;
const symbol = `${venueSymbol}.okx`;
const clock = createClock({ kind: 'system' });

suite('a cluster with the past of a venue', { skip: natsServerMissing }, () => {
  let server: VenueServer;
  let rig: ClusterRig;

  before(async () => {
    const venue = new SimVenue(seededRandom(34), [venueSymbol], { dialect: okxDialect });
    const now = Date.now();
    for (let ms = now - (HOURS + 2) * HOUR_MS; ms < now; ms += TRADE_EVERY_MS) {
      venue.trade(ms, TRADE_EVERY_MS, 1);
    }
    server = await VenueServer.start({ dialect: okxDialect, venue });
    const nats = { count: 1 } as const;
    rig = await ClusterRig.make({ nodes: {}, replicas: 1, nats, env: { TAPELOOM_SIM: 'off' } });
    for (const name of NODES) {
      const { setting } = await rig.addNode(name, 'ingest,serve');
      const terms = { now: clock.now(), beside: null };
      await applyInstruments(new NodeDisk(), setting.data, instruments(), terms);
    }
    const operator = { TAPELOOM_DATA: rig.node('first').setting.data };
    const { code, stderr } = await rig.commandWith(operator, 'cluster', 'init', '--replicas', '1');
    assert.equal(code, 0, stderr);
  });

  after(async () => {
    await rig?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  function instruments(): string {
    const product = { extends: 'crypto-perpetual', name: venueSymbol, venueSymbol, tick, lot };
    const live = { feed: 'okx', addresses: server.addresses, backfillHours: HOURS };
    return JSON.stringify({ datasets: { OKX: { live, products: { [symbol]: product } } } });
  }

  async function leader(): Promise<string> {
    const operator = { TAPELOOM_DATA: rig.node('first').setting.data };
    const { stdout } = await rig.commandWith(operator, 'cluster', 'status', '--json');
    const { datasets } = JSON.parse(stdout) as ClusterStatus;
    const { appends } = datasets.find(({ dataset }) => dataset === 'OKX')!;
    assert.ok(appends !== null);
    return appends;
  }

  /** What the node has of a day: its digest, trades and gaps. */
  async function dayAt(name: string, day: UtcDay) {
    const directory = `${rig.node(name).setting.data}/tape/OKX/days/${symbol}`;
    const text = await readFile(`${directory}/${day}.json`, 'utf8');
    const { digest, rows, gaps = [] } = JSON.parse(text) as Sidecar;
    return { digest, rows, gaps };
  }

  test('a node that is killed while it fetches past days is followed by one that goes on', async () => {
    await rig.startNodes();
    const begunAt = clock.now();
    let first = '';
    await until(async () => {
      first = await leader();
      const wanted = await rig.node(first).metric('tapeloom_fill_days_wanted');
      assert.ok(wanted > (await rig.node(first).metric('tapeloom_fill_days')));
    });
    await rig.node(first).kill();
    const second = NODES.find((name) => name !== first)!;
    await until(async () => assert.equal(await leader(), second));
    await rig.node(first).start();

    const today = dayOf(begunAt);
    for (const ago of [1, 2, 3]) {
      const day = addDays(today, -ago);
      await until(async () => {
        const all = await Promise.all(NODES.map((name) => dayAt(name, day)));
        assert.deepEqual(all[0], all[1]);
      });
    }
    const midnight = (ago: number) => Number(epochNs(addDays(today, -ago), 0) / 1_000_000n);
    const [from, to] = [midnight(1), midnight(0)];
    const made = server.venue.trades.get(venueSymbol)!;
    const { rows, gaps } = await dayAt(second, addDays(today, -1));
    assert.deepEqual([rows, gaps], [made.filter(({ ms }) => ms >= from && ms < to).length, []]);
    const oldest = await dayAt(second, addDays(today, -3));
    const wantedNs =
      begunAt - BigInt(HOURS * HOUR_MS) * 1_000_000n - epochNs(addDays(today, -3), 0);
    assert.equal(oldest.gaps.length, 1);
    const [gapFrom, gapTo] = oldest.gaps[0]!;
    assert.equal(gapFrom, 0);
    assert.ok(Math.abs(gapTo - Number(wantedNs)) < 120e9, `${gapTo}`);
  });
});
