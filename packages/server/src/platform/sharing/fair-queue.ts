/**
 * Queues items for each holder, first in, first out. The next holder is chosen independently of how many items it has
 * waiting: round robin, or by an order that the caller gives, such as least used first.
 */

interface Queued<Item> {
  readonly item: Item;
  /** Later items have higher numbers. */
  readonly at: number;
}

const always = () => true;

export class FairQueue<Item, Holder = string> implements Iterable<Item> {
  /** Contains no empty rows. For round robin, the first row is next. */
  readonly #rows = new Map<Holder, Queued<Item>[]>();
  #size = 0;
  #lastAt = 0;

  get size(): number {
    return this.#size;
  }

  has(holder: Holder): boolean {
    return this.#rows.has(holder);
  }

  /** `first`: before the holder's other items. */
  add(holder: Holder, item: Item, place: 'first' | 'last' = 'last'): void {
    this.#lastAt += 1;
    this.#size += 1;
    const row = this.#rows.getOrInsertComputed(holder, () => []);
    if (place === 'first') row.unshift({ item, at: this.#lastAt });
    else row.push({ item, at: this.#lastAt });
  }

  /** False if the item is not in the queue. */
  delete(holder: Holder, item: Item): boolean {
    const row = this.#rows.get(holder);
    const index = row?.findIndex((queued) => queued.item === item) ?? -1;
    if (row === undefined || index < 0) return false;
    row.splice(index, 1);
    this.#size -= 1;
    if (row.length === 0) this.#rows.delete(holder);
    return true;
  }

  /** Round robin: takes the first item of the holder that was served, or came, longest ago. Null if empty. */
  takeInTurn(): Item | null {
    const [turn] = this.#rows;
    if (turn === undefined) return null;
    const [holder, row] = turn;
    const { item } = row.shift()!;
    this.#size -= 1;
    this.#rows.delete(holder);
    if (row.length > 0) this.#rows.set(holder, row);
    return item;
  }

  /**
   * The first startable item of the holder that precedes all others; among equal holders, the one whose item waits
   * longest. The item stays in the queue. Null if none may start.
   */
  next(
    isBefore: (one: Holder, other: Holder) => boolean,
    mayStart: (item: Item) => boolean = always,
  ): Item | null {
    let first: Queued<Item> | null = null;
    let firstHolder: Holder | null = null;
    for (const [holder, row] of this.#rows) {
      const queued = row.find(({ item }) => mayStart(item));
      if (queued === undefined) continue;
      const isNext =
        first === null ||
        isBefore(holder, firstHolder!) ||
        (queued.at < first.at && !isBefore(firstHolder!, holder));
      if (!isNext) continue;
      first = queued;
      firstHolder = holder;
    }
    return first?.item ?? null;
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (const row of this.#rows.values()) for (const { item } of row) yield item;
  }
}
