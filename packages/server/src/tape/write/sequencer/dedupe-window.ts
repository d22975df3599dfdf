/**
 * The feed numbers of a contract on the tape: the highest, and one bit for each of the 4,096 numbers up to it. A number
 * is `NEW` once only. The state depends only on the numbers added, so replaying a log restores it.
 */

const WINDOW_IDS = 4_096;
const WINDOW_MASK = WINDOW_IDS - 1;
/** Bytes of the window's bits in a log's opening record. */
export const WINDOW_BYTES = WINDOW_IDS / 8;

export const NEW = 0;
export const SEEN = 1;
export const TOO_OLD = 2;

export class DedupeWindow {
  /** The highest number seen, -1 for none. */
  highest = -1;
  /** The highest number's slot in `bits`, tracked because the remainder of a large double is slow. */
  #highestSlot = WINDOW_MASK;
  readonly bits = new Uint32Array(WINDOW_IDS / 32);

  static restore(highest: number, bits: Uint8Array): DedupeWindow {
    const window = new DedupeWindow();
    window.highest = highest;
    window.#highestSlot = highest < 0 ? WINDOW_MASK : highest % WINDOW_IDS;
    new Uint8Array(window.bits.buffer).set(bits);
    return window;
  }

  /** Returns `NEW`, `SEEN` or `TOO_OLD`; `id` is a non-negative integer. */
  judge(id: number): number {
    if (id > this.highest) return NEW;
    const back = this.highest - id;
    if (back >= WINDOW_IDS) return TOO_OLD;
    const slot = (this.#highestSlot - back) & WINDOW_MASK;
    return (this.bits[slot >>> 5]! >>> (slot & 31)) & 1;
  }

  /** Adds a number that was judged `NEW`. */
  add(id: number): void {
    const ahead = id - this.highest;
    let slot = (this.#highestSlot + ahead) & WINDOW_MASK;
    if (ahead > 0) {
      if (ahead > WINDOW_IDS) {
        this.bits.fill(0);
        slot = id % WINDOW_IDS;
      } else if (ahead > 1) {
        for (let skipped = 1; skipped < ahead; skipped++) this.#clear(this.#highestSlot + skipped);
      }
      this.highest = id;
      this.#highestSlot = slot;
    }
    this.bits[slot >>> 5]! |= 1 << (slot & 31);
  }

  /** Adds `count` numbers from `first` on, where `first` is above the highest. */
  addRun(first: number, count: number): void {
    this.add(first);
    const bits = this.bits;
    let slot = this.#highestSlot;
    for (let added = 1; added < count; added++) {
      slot = (slot + 1) & WINDOW_MASK;
      bits[slot >>> 5]! |= 1 << (slot & 31);
    }
    this.#highestSlot = slot;
    this.highest = first + count - 1;
  }

  #clear(slot: number): void {
    const at = slot & WINDOW_MASK;
    this.bits[at >>> 5]! &= ~(1 << (at & 31));
  }
}
