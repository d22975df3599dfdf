/**
 * Which indicators all nodes alive compute in the same way. Cursors name no computation: while two of one indicator are at
 * work, a client that goes from one node to another could mix them, so nobody resumes that indicator; and where all have come
 * to one computation, older cursors end (determinism 23).
 *
 * What the nodes agree on is kept with the floors, in the book of the tape: a dispute that everybody has forgotten, because
 * the program of the node that ended it was stopped, is still known to have been one.
 *
 * The book stands among the records of the tape, so all read it at the same place. A dispute ends in two books. After the
 * first one whoever computes something else issues no more cursors, though it may not know that the others have given it
 * up; nobody resumes yet. The floor of the second one lies beyond everything that was stored before the first.
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
/** Beside the one name that is left, until those who were given up have read so. */
const SETTLING = 'settling';

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

/** The indicators that one node computes in a way the others have given up: it may issue no cursors of them. */
export function givenUpIndicators(own: Computations, agreed: Computations): readonly string[] {
  return changedIndicators(agreed, own).filter((id) => !agreed[id]!.split(AND).includes(own[id]!));
}

/**
 * The epochs with what the nodes agree on now, while the tape reaches to these ends. Where they have come to one computation,
 * and it is not the one that was kept, that is written down first, and once it is stored everything that was issued before
 * becomes worthless: whoever appends asks until nothing is new, and gets the same epochs.
 */
export function withAgreed(
  before: StreamEpochs,
  agreed: Computations,
  ends: ReadonlyMap<string, TapeEnd>,
): StreamEpochs {
  const isSame = Object.entries(agreed).every(([id, name]) => before.computations[id] === name);
  if (isSame) return before;
  const changed = changedIndicators(before.computations, agreed);
  const one = changed.filter((id) => !agreed[id]!.includes(AND));
  const isSettling = (id: string) => before.computations[id] === settling(agreed[id]!);
  const first = one.filter((id) => !isSettling(id));
  const written = Object.fromEntries(first.map((id) => [id, settling(agreed[id]!)]));
  return withComputations(before, { ...agreed, ...written }, one.filter(isSettling), ends);
}

function settling(name: string): string {
  return `${name}${AND}${SETTLING}`;
}
