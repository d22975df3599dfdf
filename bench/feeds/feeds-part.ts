/** One part of the benchmark of feeds: rows of its table, notes below it, and its member of the JSON. */

export interface FeedsPart {
  readonly rows: readonly (readonly [what: string, measured: string, beside: string])[];
  readonly notes: readonly string[];
  readonly json: unknown;
}

export type RunFeedsPart = () => Promise<FeedsPart>;

export function verdict(target: string, isMet: boolean, found: string): string {
  return `Target: ${target}: ${isMet ? 'met' : 'missed'} (${found}).`;
}
