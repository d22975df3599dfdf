/** Something that happens to a cluster. It ends with everything running and healed again; what must hold meanwhile it looks at itself. */

import type { ClusterStage } from '../cluster-stage.ts';

/** Longer than any wait of the cluster. */
export const SLEEP_MS = 20_000;
export const LOOK_MS = 200;
export const ALL_NATS = [0, 1, 2];

export interface Fault {
  readonly name: string;
  /** Whether it needs lines that can be cut, and disks that can be filled. */
  readonly needsLines?: true;
  /** Whether it is about the end of a day, of which a run has one, at its beginning. */
  readonly isMidnight?: true;
  run(stage: ClusterStage): Promise<void>;
}
