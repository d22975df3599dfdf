/**
 * Which indicators all nodes alive compute in the same way. Cursors name no computation: while two of one indicator are at
 * work, a client that goes from one node to another could mix them, so nobody resumes that indicator; and where all have come
 * to one computation, older cursors end (determinism 23).
 *
 * What the nodes agree on is kept with the floors: a dispute that everybody has forgotten, because the program of the node
 * that ended it was stopped, is still known to have been one.
 */

import {
  type Computations,
  changedIndicators,
  type StreamEpochs,
  type TapeEnd,
  withComputations,
} from './epoch-floors.ts';

/** Between the names where nodes do not agree: no single computation is called so. */
const AND = ' | ';

/**
 * By indicator, the computation of all these nodes, or a name that stands for several. Of an indicator that not all have,
 * those decide that have it.
 */
export function agreedComputations(nodes: Iterable<Computations>): Computations {
  const names = new Map<string, Set<string>>();
  for (const computations of nodes) {
    for (const [indicator, name] of Object.entries(computations)) {
      names.getOrInsertComputed(indicator, () => new Set()).add(name);
    }
  }
  return Object.fromEntries(
    Array.from(names, ([indicator, of]) => [indicator, [...of].sort().join(AND)]),
  );
}

/** The indicators that one node computes differently from what is agreed: cursors of them are worth nothing there. */
export function disputedIndicators(own: Computations, agreed: Computations): readonly string[] {
  return changedIndicators(agreed, own);
}

/**
 * The epochs with what the nodes agree on now, while the tape reaches to these ends. Where they have come to one computation,
 * and it is not the one that was kept, everything that was issued before is worthless. The same epochs when nothing is new.
 */
export function withAgreed(
  before: StreamEpochs,
  agreed: Computations,
  ends: ReadonlyMap<string, TapeEnd>,
): StreamEpochs {
  const isSame = Object.entries(agreed).every(([id, name]) => before.computations[id] === name);
  if (isSame) return before;
  const changed = changedIndicators(before.computations, agreed);
  const settled = changed.filter((id) => !agreed[id]!.includes(AND));
  return withComputations(before, agreed, settled, ends);
}
