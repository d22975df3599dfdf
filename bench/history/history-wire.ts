/** Messages between the history benchmarks and their process. */

export interface ServerUsage {
  /** Processor time so far of all threads together. */
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** The peak since the last response. */
  readonly rssPeakBytes: number;
}

export type FromHistoryServer =
  | {
      readonly t: 'ready';
      /** The port of the service. */
      readonly port: number;
      /** The port of a server of the same framework that sends one file. */
      readonly filePort: number;
    }
  | ({ readonly t: 'usage' } & ServerUsage);

/** The response to each is the usage. */
export type ToHistoryServer =
  | { readonly t: 'usage' }
  /** The file that the other server sends from now on. */
  | { readonly t: 'file'; readonly path: string };
