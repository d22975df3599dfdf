/** Notes that a source hands over with its trades. */

import type { TapeGap } from '../tape-gap.ts';

/**
 * A gap is durable in the first record of its offer: no trade of the offer is on the tape without it. The others are
 * durable in the last: they say that all trades of the offer are there.
 */
export type TapeNote =
  | { readonly kind: 'gap'; readonly gap: TapeGap }
  /** The source's place in its feed, by a key of its choice. */
  | { readonly kind: 'position'; readonly key: string; readonly text: string }
  | { readonly kind: 'batch'; readonly id: string; readonly digest: string };
