/**
 * The name of the computation behind an indicator's results: the version of what all indicators share, and its own.
 * Equal names guarantee equal results, cursors included, for the same tape, sessions and parameters: cursors, cached
 * results and export tokens stay valid while the name stays. `contract/study-digests.json` verifies it
 * (docs/decisions/0017).
 */

import type { IndicatorDefinition } from './indicator.ts';

/**
 * The version of what all results depend on: the runner and its numbering, the flush steps, the order of trades and
 * time, the bar cutters. It grows by one when a change there alters the results of all. The phase, which selects the
 * forming versions that a stream shows, is not part of the results: every version has its cursor, shown or not.
 */
export const SHARED_VERSION: number = 1;

/**
 * The name when both versions are 1. It is a digest of the sources from the time when names were first stored; keeping
 * it keeps what was stored then valid.
 */
const FIRST_COMPUTATION = '4c1c88bb8ce6559b77613003040dc1c3de601ffb0729388513de17349b4c49c9';

/** The name for one indicator. Names of different indicators are never compared. */
export function computationOf(
  { version }: Pick<IndicatorDefinition, 'version'>,
  sharedVersion = SHARED_VERSION,
): string {
  const isFirst = sharedVersion === 1 && version === 1;
  return isFirst ? FIRST_COMPUTATION : `${sharedVersion}.${version}`;
}
