/** Binds the tape of a dataset to the source that began it: another one would continue it with other trades. */

import { type Disk, readFileWhole, replaceFile } from '../platform/disk/disk.ts';
import { sourcePath } from '../tape/tape-paths.ts';
import { TapeClaimedError } from './market.ts';

/** What identifies the source. `source` is its kind; the other settings must stay the same too. */
export type SourceClaim = Readonly<Record<string, unknown>> & { readonly source: string };

/** Rejects with a `TapeClaimedError`, which ends with `advice`. */
export async function claimTape(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  claim: SourceClaim,
  advice: string,
): Promise<void> {
  const wanted = `${JSON.stringify(claim)}\n`;
  const found = await claimOf(disk, tapeRoot, dataset);
  if (found === wanted) return;
  if (found === null) {
    await disk.makeDirectory(`${tapeRoot}/${dataset}`);
    await replaceFile(disk, sourcePath(tapeRoot, dataset), new TextEncoder().encode(wanted));
    return;
  }
  throw new TapeClaimedError(
    `the tape of ${dataset} in ${tapeRoot} was begun with ${found.trim()}, this start wants ${wanted.trim()}. ${advice}`,
  );
}

/** Whether a source of one of these kinds began the tape. */
export async function isBegunBy(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  sources: readonly string[],
): Promise<boolean> {
  const found = await claimOf(disk, tapeRoot, dataset);
  return found !== null && sources.includes((JSON.parse(found) as SourceClaim).source);
}

async function claimOf(disk: Disk, tapeRoot: string, dataset: string): Promise<string | null> {
  const bytes = await readFileWhole(disk, sourcePath(tapeRoot, dataset));
  return bytes === null ? null : new TextDecoder().decode(bytes);
}
