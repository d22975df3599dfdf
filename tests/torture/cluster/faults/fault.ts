/** A fault of a cluster. It checks what must hold meanwhile, and ends when everything runs. */

import type { ClusterStage } from '../cluster-stage.ts';

/** Longer than any timeout of the cluster. */
export const SLEEP_MS = 20_000;
export const LOOK_MS = 200;
export const ALL_NATS = [0, 1, 2];

export interface Fault {
  readonly name: string;
  /** Whether it needs lines that can be cut, and disks that can be filled. */
  readonly needsLines?: true;
  /** Whether it needs the end of a day, which a run has once, at its beginning. */
  readonly isMidnight?: true;
  run(stage: ClusterStage): Promise<void>;
}
