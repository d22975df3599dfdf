/** The result of a benchmark: a table for people, and one JSON object printed as the last line. */

export interface BenchReport {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** Notes below the table: what was compared, and which target was met or missed. */
  readonly notes: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}

/**
 * `bench/<name>/<name>.bench.ts` exports `run` of this shape; `npm run bench -- <name> [words]`
 * calls it. In a benchmark with parts, the words choose parts.
 */
export type Bench = (words: readonly string[]) => Promise<BenchReport>;
