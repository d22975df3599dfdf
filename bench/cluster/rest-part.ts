/**
 * Charged requests per second, PostgreSQL beside SQLite. Each history response reserves budget and
 * settles it, and both stores sync every commit that must be durable. The services take turns, each
 * with the same small responses of a sealed day.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAccounts } from '../../tests/account-maker.ts';
import { ClusterRig } from '../../tests/cluster-suite/cluster-rig.ts';
import { makeSharedAccounts } from '../../tests/cluster-suite/shared-accounts.ts';
import { RunningService } from '../../tests/running-service.ts';
import { HttpLoad } from '../rest/http-load.ts';
import { median } from '../shared/machine-load.ts';
import { type RunClusterPart, verdict } from './part.ts';

const SHARE_MIN = 0.5;
const CUSTOMERS = 64;
const ROUNDS = 5;
const ROUND_SECONDS = 2;
const WARM_UP_SECONDS = 4;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MARKET = { TAPELOOM_SIM_SCALE: '0.05', TAPELOOM_SIM_DAYS: '1' };

export const restPart: RunClusterPart = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  const data = join(directory, 'data');
  const names = Array.from({ length: CUSTOMERS }, (_, index) => `customer-${index}`);
  const service = new RunningService({ data, env: MARKET });
  try {
    await service.ready();
    const alonePort = Number(new URL(service.address('REST')).port);
    await using rig = await ClusterRig.make({
      nodes: { node: 'ingest,serve' },
      env: MARKET,
      postgres: { isSynced: true },
    });
    await rig.startNodes();
    const aloneKeys = await makeAccounts(data, names);
    const sharedKeys = await makeSharedAccounts(rig.database, names);
    using alone = await HttpLoad.open(alonePort, aloneKeys.map(requestOf));
    using shared = await HttpLoad.open(rig.node('node').port, sharedKeys.map(requestOf));
    const [aloneRate = 0, sharedRate = 0] = await ratesOf(alone, shared);
    const share = sharedRate / aloneRate;
    return {
      rows: [
        [
          'charged requests a second',
          aloneRate.toFixed(0),
          sharedRate.toFixed(0),
          verdict(share >= SHARE_MIN, `at least ${SHARE_MIN * 100} %`),
        ],
      ],
      notes: [
        `Charged requests: small answers of history of a sealed day, ${CUSTOMERS} customers of as many accounts, one request under way each; ` +
          `median of ${ROUNDS} turns; with PostgreSQL ${(share * 100).toFixed(0)} % of the rate. Both sync.`,
      ],
      json: { rest: { alonePerSecond: aloneRate, clusterPerSecond: sharedRate, share } },
    };
  } finally {
    await service.stop('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
};

async function ratesOf(...loads: readonly HttpLoad[]): Promise<readonly number[]> {
  const rates = loads.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, load] of loads.entries()) {
      const turn = await load.keepBusy(round === 0 ? WARM_UP_SECONDS : ROUND_SECONDS);
      if (round > 0) rates[index]!.push(turn.answered / turn.seconds);
    }
  }
  return rates.map((all) => median(all));
}

/** A request for one hour of yesterday. */
function requestOf(key: string): Buffer {
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const instant = (ms: number) => String(BigInt(ms) * 1_000_000n);
  const words = new URLSearchParams({
    instrument: 'BTC.c.0',
    indicator: 'bars',
    params: JSON.stringify({ size: 3600 }),
    from: instant(midnight - 2 * HOUR_MS),
    to: instant(midnight - HOUR_MS),
  });
  const lines = [
    `GET /v1/history?${words} HTTP/1.1`,
    'Host: bench',
    `Authorization: Bearer ${key}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}
