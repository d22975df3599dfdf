/**
 * Counts how much each holder has of something that many share. A holder has room while it has less than its share, and while
 * something is left of all; the last part is only for holders that have nothing. So a holder that takes a lot is limited first,
 * and a newcomer finds room however many others take all they can.
 */

export interface ShareLimits {
  readonly eachMax: number;
  readonly allMax: number;
  /** The part of all that is only for holders that have nothing. */
  readonly keptForNew?: number;
}

export class Shares {
  readonly #byHolder = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  of(holder: string): number {
    return this.#byHolder.get(holder) ?? 0;
  }

  /** Whether the holder may have any more. */
  hasRoom(holder: string, { eachMax, allMax, keptForNew = 0 }: ShareLimits): boolean {
    const held = this.of(holder);
    return held < eachMax && this.#total < (held > 0 ? allMax - keptForNew : allMax);
  }

  /** Limits are not looked at; less than zero is given back. */
  add(holder: string, amount: number): void {
    const held = this.of(holder) + amount;
    if (held > 0) this.#byHolder.set(holder, held);
    else this.#byHolder.delete(holder);
    this.#total += amount;
  }

  /** The holder that has most; null when nobody has anything. */
  largest(): string | null {
    let largest: string | null = null;
    let most = 0;
    for (const [holder, held] of this.#byHolder) {
      if (held <= most) continue;
      largest = holder;
      most = held;
    }
    return largest;
  }
}
