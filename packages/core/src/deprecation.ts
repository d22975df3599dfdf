/** An announced removal, at least half a year ahead. Days are YYYY-MM-DD. */
export interface Deprecation {
  /** The day of the announcement. */
  readonly since: string;
  /** The first day on which it may be removed. */
  readonly until: string;
}
