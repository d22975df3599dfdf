/** Binds a tape to seed and scale: other settings would continue with another market in the middle of a day. */

import type { Disk } from '../../platform/disk/disk.ts';
import { claimTape } from '../source-claim.ts';
import { SIM_DATASET } from './sim-universe.ts';
import type { SimOptions } from './trades/sim-market.ts';

const ADVICE =
  'Set TAPELOOM_SIM_SEED and TAPELOOM_SIM_SCALE as before, or choose another data directory.';

export async function claimSimTape(disk: Disk, tapeRoot: string, sim: SimOptions): Promise<void> {
  await claimTape(disk, tapeRoot, SIM_DATASET, { source: 'sim', ...sim }, ADVICE);
}
