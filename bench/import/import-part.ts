/** What a part of `npm run bench -- import` hands back. */

export interface ImportResult {
  /** What is measured, its speed, what it is compared with, its speed, the share, the target, whether it is met. */
  readonly rows: readonly (readonly (string | number)[])[];
  readonly notes: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}

export type ImportPart = () => Promise<ImportResult>;
