/** Something that is to go: announced first, and there for half a year at least. Days are written YYYY-MM-DD. */
export interface Deprecation {
  /** The day on which it was announced. */
  readonly since: string;
  /** The first day on which it may be gone. */
  readonly until: string;
}
