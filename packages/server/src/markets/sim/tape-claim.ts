/** Binds a tape to seed and scale: other settings would continue with another market in the middle of a day. */

import { type Disk, readFileWhole, replaceFile } from '../../platform/disk/disk.ts';
import { TapeClaimedError } from '../market.ts';
import { SIM_DATASET } from './sim-universe.ts';
import type { SimOptions } from './trades/sim-market.ts';

export async function claimTape(disk: Disk, tapeRoot: string, sim: SimOptions): Promise<void> {
  const directory = `${tapeRoot}/${SIM_DATASET}`;
  const path = `${directory}/source.json`;
  const claim = `${JSON.stringify({ source: 'sim', ...sim })}\n`;
  const bytes = await readFileWhole(disk, path);
  if (bytes === null) {
    await disk.makeDirectory(directory);
    await replaceFile(disk, path, new TextEncoder().encode(claim));
    return;
  }
  const found = new TextDecoder().decode(bytes);
  if (found === claim) return;
  throw new TapeClaimedError(
    `the tape in ${tapeRoot} was begun with ${found.trim()}, this start wants ${claim.trim()}. ` +
      'Set TAPELOOM_SIM_SEED and TAPELOOM_SIM_SCALE as before, or choose another data directory.',
  );
}
