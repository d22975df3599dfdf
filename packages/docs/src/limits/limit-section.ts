/** A table of the page of limits. */

/** Beyond it: what happens at it. */
export type LimitRow = readonly [what: string, limit: string, beyond: string];

export interface LimitSection {
  readonly title: string;
  /** Said before the table; empty: nothing. */
  readonly lead: string;
  readonly rows: readonly LimitRow[];
}
