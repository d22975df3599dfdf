/**
 * Every node's tape is sound, and nodes with the same day of a contract have the same trades,
 * whether a node has sealed, made or fetched the day.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { verifyTape } from '@tapeloom/server/tape/inspect/verify-tape';
import { readManifest } from '@tapeloom/server/tape/tape-manifest';
import type { ClusterNode } from '../../cluster-suite/cluster-node.ts';

/** Returns a sentence for each violation. */
export async function sealedDiffer(nodes: readonly ClusterNode[]): Promise<readonly string[]> {
  const problems: string[] = [];
  const known = new Map<string, { readonly name: string; readonly digest: string }>();
  const disk = new NodeDisk();
  for (const { name, setting } of nodes) {
    const tapeRoot = join(setting.data, 'tape');
    for await (const event of verifyTape(disk, tapeRoot)) {
      if (event.type === 'finding') problems.push(`${name}: ${event.file} ${event.what}`);
    }
    const manifest = await readManifest(disk, tapeRoot, SIM_DATASET);
    assert(manifest !== null, `${name} has no manifest`);
    for (const [symbol, days] of manifest.days) {
      for (const [day, digest] of days) {
        const place = `${symbol} ${day}`;
        const first = known.get(place);
        if (first === undefined) known.set(place, { name, digest });
        else if (first.digest !== digest) {
          problems.push(`${name} has other trades of ${place} than ${first.name}`);
        }
      }
    }
  }
  assert.ok(known.size > 0, 'no node has a sealed day');
  return problems;
}
