/**
 * The instruments of ids that were met lately, so that most trades find theirs without a search. Ids mean something for a
 * day and until the file says otherwise: then all of it is forgotten.
 */

/** Ids are found again by their lowest bits. */
const IDS = 1_024;
const FORGOTTEN = -1;

export class RecentInstruments {
  /** An id and its instrument's place, at `slotOf` the id; the place is negative for instruments that are not wanted. */
  readonly pairs = new Int32Array(2 * IDS).fill(FORGOTTEN);

  /** The place of the id's instrument, wanted or not; null where it is not known. */
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

/** The place of an instrument that is not wanted, as it is kept, and back. */
function unwanted(place: number): number {
  return FORGOTTEN - 1 - place;
}
