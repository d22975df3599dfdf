/** Whether a tape is shared with a cluster, so that one machine may not change its days. */

import type { Disk } from '@tapeloom/server/platform/disk/disk';
import { assertAlone, clusterOf } from '@tapeloom/server/tape/shared/shared-directory';
import { ForeignDirectoryError } from '@tapeloom/server/tape/shared/shared-errors';

/** A sentence with what to do instead; null when the tape is not shared. */
export async function whyShared(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  instead: string,
): Promise<string | null> {
  const cluster = await clusterOf(disk, tapeRoot, dataset);
  if (cluster !== null) {
    return `${tapeRoot}/${dataset} is of the cluster ${cluster}, whose nodes all have the same days: ${instead}.`;
  }
  try {
    await assertAlone(disk, tapeRoot, dataset);
    return null;
  } catch (error) {
    if (!(error instanceof ForeignDirectoryError)) throw error;
    return `${error.message}.`;
  }
}
