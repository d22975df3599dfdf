/** Messages between the hostile run and the process that plays the crowd beside its customers. */

/** The crowd to play: well-behaved customers, or attackers. */
export type CrowdOrder =
  | {
      readonly t: 'others';
      readonly port: number;
      /** Keys of accounts with five connections each. */
      readonly keys: readonly string[];
      readonly connections: number;
    }
  | {
      readonly t: 'attackers';
      readonly port: number;
      readonly seed: number;
      readonly sandboxKeys: readonly string[];
      readonly historyKeys: readonly string[];
      /** The range of the exports and pages. */
      readonly from: string;
      readonly to: string;
    };

export type ToCrowd = CrowdOrder | { readonly t: 'leave' };

export interface CrowdReport {
  /** Events with readable names, counted. */
  readonly counts: Readonly<Record<string, number>>;
  /** The most connections open at once. */
  readonly heldMax: number;
  readonly cpuSeconds: number;
}

export type FromCrowd =
  /** Sent when all others are connected, or when the attackers have started. */
  { readonly t: 'there' } | { readonly t: 'left'; readonly report: CrowdReport };

export class Tally {
  readonly #counts = new Map<string, number>();

  add(what: string, times = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

export function nameOf(error: unknown): string {
  const { code, message } = error as Error & { readonly code?: string };
  return code ?? message;
}
