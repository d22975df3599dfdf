/** Adds cases of new topics to the golden day; never changes a recorded case. */

import type { Digests } from './golden-digest.ts';

export type WithNewCases =
  | {
      readonly digests: Digests;
      /** The names of the added cases. */
      readonly added: readonly string[];
    }
  /** The names of recorded cases that changed or are missing. */
  | { readonly changed: readonly string[] };

export function withNewCases(written: Digests, found: Digests): WithNewCases {
  const changed = Object.keys(written).filter((name) => found[name] !== written[name]);
  if (changed.length > 0) return { changed };
  return { digests: found, added: Object.keys(found).filter((name) => !(name in written)) };
}
