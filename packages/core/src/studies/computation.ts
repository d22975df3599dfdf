/**
 * The name of the computation that gives an indicator's results: the version of what all indicators share
 * and the indicator's own. Equal names promise equal results for the same tape, sessions and parameters,
 * cursors included; so cursors, kept results and tokens of exports are good as long as the name of their
 * indicator's computation is the same. `contract/study-digests.json` holds us to it (docs/decisions/0017).
 */

import type { IndicatorDefinition } from './indicator.ts';

/**
 * Of what every indicator's results depend on: the runner and its numbering, the flush steps, the order
 * of trades and time, the cutters of bars. Raised by one when that changes the results of all. Which of the
 * forming versions a stream shows, its phase, is no result: every one has its cursor, shown or not.
 */
export const SHARED_VERSION: number = 1;

/**
 * The name of version 1 of every indicator on version 1 of what they share. It was a digest of the sources
 * when names were first written to disk; as long as it stays, what was written then is found and good.
 */
const FIRST_COMPUTATION = '4c1c88bb8ce6559b77613003040dc1c3de601ffb0729388513de17349b4c49c9';

/** Of one indicator; names of different ones are never compared. */
export function computationOf(
  { version }: Pick<IndicatorDefinition, 'version'>,
  sharedVersion = SHARED_VERSION,
): string {
  const isFirst = sharedVersion === 1 && version === 1;
  return isFirst ? FIRST_COMPUTATION : `${sharedVersion}.${version}`;
}
