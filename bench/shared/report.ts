/** What a benchmark hands back: a table for people, and one JSON object printed as the last line. */

export interface BenchReport {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** Sentences below the table: what was compared with what, and which target was met or missed. */
  readonly notes: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}

/**
 * A file `bench/<name>.bench.ts` exports `run` of this shape; `npm run bench -- <name> [words]` calls it.
 * Where a benchmark has parts, the words choose some of them.
 */
export type Bench = (words: readonly string[]) => Promise<BenchReport>;
