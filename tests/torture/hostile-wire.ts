/** What passes between the hostile run and the process that plays the crowd beside its customers. */

/** Who comes beside the customers: as many that behave well, or those who do everything but that. */
export type CrowdOrder =
  | {
      readonly t: 'others';
      readonly port: number;
      /** Of accounts with five connections each. */
      readonly keys: readonly string[];
      readonly connections: number;
    }
  | {
      readonly t: 'attackers';
      readonly port: number;
      readonly seed: number;
      readonly sandboxKeys: readonly string[];
      readonly historyKeys: readonly string[];
      /** What the exports and pages are asked for. */
      readonly from: string;
      readonly to: string;
    };

export type ToCrowd = CrowdOrder | { readonly t: 'leave' };

export interface CrowdReport {
  /** What happened to it, by a name for people. */
  readonly counts: Readonly<Record<string, number>>;
  /** The most connections that stood at once. */
  readonly heldMax: number;
  readonly cpuSeconds: number;
}

export type FromCrowd =
  /** The others are all there; attackers come as they come. */
  { readonly t: 'there' } | { readonly t: 'left'; readonly report: CrowdReport };

/** How often what happened. */
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
