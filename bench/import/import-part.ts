/** The result of a part of `npm run bench -- import`. */

export interface ImportResult {
  /**
   * What is measured, its speed, the comparison, its speed, the share, the target, and whether it
   * is met.
   */
  readonly rows: readonly (readonly (string | number)[])[];
  readonly notes: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}

export type ImportPart = () => Promise<ImportResult>;
