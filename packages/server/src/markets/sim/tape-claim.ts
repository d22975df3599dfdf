/**
 * A tape belongs to the source that began it: another seed or scale would go on with another market in
 * the middle of a day. The claim is written when the tape is new and compared at every later start.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { type Disk, readFileWhole, replaceFile } from '../../platform/disk.ts';
import { SIM_DATASET } from './sim-universe.ts';
import type { SimOptions } from './trades/sim-market.ts';

/** The tape was begun by another source. */
export class TapeClaimedError extends Error {}

/** The tape knows of a later time than the clock. */
export class TapeAheadError extends Error {
  constructor(promise: EpochNs, now: EpochNs) {
    super(
      `the tape reaches to ${timeText(promise)}, but the clock shows ${timeText(now)}. ` +
        "Set the machine's clock, or choose another data directory: this one may belong to a " +
        'service that ran with --speed.',
    );
  }
}

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

function timeText(instant: EpochNs): string {
  return new Date(Number(instant / MS_NS_BIG)).toISOString();
}
