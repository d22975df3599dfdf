/** Why days of a tape cannot be changed on one machine: others have the same, or are about to. */

import type { Disk } from '@tapeloom/server/platform/disk/disk';
import { assertAlone, clusterOf } from '@tapeloom/server/tape/shared/shared-directory';
import { ForeignDirectoryError } from '@tapeloom/server/tape/shared/shared-errors';

/** A sentence for the operator, with what to do instead; null where the machine is alone. */
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
