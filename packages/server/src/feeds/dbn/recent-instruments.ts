/**
 * A cache of the instruments of recent ids, so that most trades need no search. An id is valid for a day, or until the
 * file redefines it: then the whole cache is cleared.
 */

/** Ids are hashed by their lowest bits. */
const IDS = 1_024;
const FORGOTTEN = -1;

export class RecentInstruments {
  /** An id and its instrument's index, at `slotOf` the id; the index is negative for unwanted instruments. */
  readonly pairs = new Int32Array(2 * IDS).fill(FORGOTTEN);

  /** The index of the id's instrument, wanted or not; null if it is not cached. */
  find(id: number): number | null {
    const slot = slotOf(id);
    const place = this.pairs[slot + 1]!;
    if (place === FORGOTTEN || this.pairs[slot] !== (id | 0)) return null;
    return place >= 0 ? place : unwanted(place);
  }

  keep(id: number, place: number, isWanted: boolean): void {
    const slot = slotOf(id);
    this.pairs[slot] = id;
    this.pairs[slot + 1] = isWanted ? place : unwanted(place);
  }

  forget(): void {
    this.pairs.fill(FORGOTTEN);
  }
}

export function slotOf(id: number): number {
  return (id & (IDS - 1)) << 1;
}

/** Encodes the index of an unwanted instrument, and decodes it. */
function unwanted(place: number): number {
  return FORGOTTEN - 1 - place;
}
