/** A whole import of one file into its own data directory, which is deleted at process exit. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { openFeed } from '@tapeloom/server/feeds/open-feed';
import { DatasetImport } from '@tapeloom/server/imports/dataset-import';
import { readInstruments } from '@tapeloom/server/markets/instruments/read-instruments';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { memorySource } from '../../packages/server/testing/feeds/memory-source.ts';

const ROOT = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
process.once('exit', () => rmSync(ROOT, { recursive: true }));

const NOW = epochNs(utcDay(20_260_401), 0);
const [DATASET] = readInstruments(
  JSON.stringify({
    datasets: {
      BENCH: {
        products: {
          ES: {
            extends: 'ES',
            contracts: [{ symbol: 'ESH6', expiry: '2026-03-20T13:30:00Z', names: ['BTCUSDT'] }],
          },
        },
      },
    },
  }),
).datasets;

/** Returns the number of imported trades. */
export async function importWhole(bytes: Uint8Array, path: string): Promise<number> {
  const directory = mkdtempSync(join(ROOT, 'data-'));
  const importing = await DatasetImport.begin({
    disk: new NodeDisk(),
    tapeRoot: directory,
    stagingDirectory: `${directory}/staging`,
    dataset: DATASET!,
    now: NOW,
    isDryRun: false,
  });
  const { trades } = await importing.add({
    path,
    feed: await openFeed(memorySource(bytes), path, {}),
    contract: null,
    covers: null,
    hasTickRule: false,
    mayReplace: false,
    equalsAtEdges: null,
    requireUnchanged: () => Promise.resolve(),
    onProgress: () => {},
  });
  return trades;
}
