/** Adds the cases of what is new to the golden day, and never changes one that is written down. */

import type { Digests } from './golden-digest.ts';

export type WithNewCases =
  | {
      readonly digests: Digests;
      /** The names of the cases that are added. */
      readonly added: readonly string[];
    }
  /** The names of written cases that were found changed, or were not found. */
  | { readonly changed: readonly string[] };

export function withNewCases(written: Digests, found: Digests): WithNewCases {
  const changed = Object.keys(written).filter((name) => found[name] !== written[name]);
  if (changed.length > 0) return { changed };
  return { digests: found, added: Object.keys(found).filter((name) => !(name in written)) };
}
