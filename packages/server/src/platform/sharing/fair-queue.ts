/**
 * Keeps what waits in a row for each holder, in the order in which it came. Who is next is decided between holders, never by
 * how much one of them has waiting: by turns, or by an order that the caller gives, such as least used first.
 */

interface Queued<Item> {
  readonly item: Item;
  /** Items that came later have higher numbers. */
  readonly at: number;
}

const always = () => true;

export class FairQueue<Item, Holder = string> implements Iterable<Item> {
  /** Never empty ones. By turns the first row is next. */
  readonly #rows = new Map<Holder, Queued<Item>[]>();
  #size = 0;
  #lastAt = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether something of this holder waits. */
  has(holder: Holder): boolean {
    return this.#rows.has(holder);
  }

  /** `first`: before all others of its holder. */
  add(holder: Holder, item: Item, place: 'first' | 'last' = 'last'): void {
    this.#lastAt += 1;
    this.#size += 1;
    const row = this.#rows.getOrInsertComputed(holder, () => []);
    if (place === 'first') row.unshift({ item, at: this.#lastAt });
    else row.push({ item, at: this.#lastAt });
  }

  /** False when it does not wait any more. */
  delete(holder: Holder, item: Item): boolean {
    const row = this.#rows.get(holder);
    const index = row?.findIndex((queued) => queued.item === item) ?? -1;
    if (row === undefined || index < 0) return false;
    row.splice(index, 1);
    this.#size -= 1;
    if (row.length === 0) this.#rows.delete(holder);
    return true;
  }

  /** By turns: takes the first item of the holder that was served longest ago, or came first since. Null when nothing waits. */
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
   * The first item that may start, of the holder that is before all others; of holders that are alike the one whose item waits
   * longest. It stays in the queue. Null when none may start.
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

  /** Holder by holder. */
  *[Symbol.iterator](): Iterator<Item> {
    for (const row of this.#rows.values()) for (const { item } of row) yield item;
  }
}
