/** A table of the page of limits. */

export interface LimitRow {
  readonly what: string;
  readonly limit: string;
  /** What happens at it. */
  readonly beyond: string;
}

export interface LimitSection {
  readonly title: string;
  /** Said before the table; empty: nothing. */
  readonly lead: string;
  readonly rows: readonly LimitRow[];
}
