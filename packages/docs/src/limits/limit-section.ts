/** The shape of a table on the limits page. */

/** `beyond`: what happens at the limit. */
export type LimitRow = readonly [what: string, limit: string, beyond: string];

export interface LimitSection {
  readonly title: string;
  /** The text before the table; empty: none. */
  readonly lead: string;
  readonly rows: readonly LimitRow[];
}
