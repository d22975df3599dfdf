/**
 * Which indicators all live nodes compute in the same way. Cursors name no computation: while two computations of one
 * indicator run, a client that moves between nodes could mix them. So no client resumes that indicator meanwhile, and
 * once the nodes agree on one computation, older cursors end (rule DET-23). The agreement is stored with the floors
 * in the book of the tape, so a dispute stays known even if the node that ended it was stopped.
 */

import {
  type Computations,
  changedIndicators,
  type StreamEpochs,
  type TapeEnd,
  withComputations,
} from './epoch-floors.ts';

/** Joins the names where nodes do not agree: no single computation is called so. */
const AND = ' | ';
/** Follows the one remaining name, until the nodes with another computation have read it. */
const SETTLING = 'settling';

/** By indicator: the one computation of the nodes that have it, or a name that stands for several. */
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

/** The indicators that one node computes differently from the agreement: their cursors are worthless there. */
export function disputedIndicators(own: Computations, agreed: Computations): readonly string[] {
  return changedIndicators(agreed, own);
}

/** The indicators that one node computes in a way that the others have given up: it may issue no cursors of them. */
export function givenUpIndicators(own: Computations, agreed: Computations): readonly string[] {
  return changedIndicators(agreed, own).filter((id) => !agreed[id]!.split(AND).includes(own[id]!));
}

/**
 * The epochs with the present agreement of the nodes, while the tape reaches to these ends. All nodes read the book at
 * the same position, because it stands among the records of the tape. A dispute ends in two books:
 *
 * 1. The first names the new agreed computation as settling. After it, a node with another computation issues no more
 *    cursors, though it may not know yet that the others have given it up. No client resumes yet.
 * 2. The second has a floor beyond everything stored before the first: all cursors from before become worthless.
 *
 * The appending node calls this until it returns the same epochs.
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
