/**
 * Counts each holder's part of a shared resource. A holder may take more while it is below its share and the total is
 * not used up; the last part is only for holders without any. So a holder that takes a lot is limited first, and
 * newcomers find space however many others take all they can.
 */

export interface ShareLimits {
  readonly eachMax: number;
  readonly allMax: number;
  /** The part of the total reserved for holders without any. */
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

  hasRoom(holder: string, { eachMax, allMax, keptForNew = 0 }: ShareLimits): boolean {
    const held = this.of(holder);
    return held < eachMax && this.#total < (held > 0 ? allMax - keptForNew : allMax);
  }

  /** Ignores limits; a negative amount gives back. */
  add(holder: string, amount: number): void {
    const held = this.of(holder) + amount;
    if (held > 0) this.#byHolder.set(holder, held);
    else this.#byHolder.delete(holder);
    this.#total += amount;
  }

  /** The holder with the most; null without holders. */
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
