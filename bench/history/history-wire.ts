/** What benchmarks of history and the process under them tell each other. */

export interface ServerUsage {
  /** Processor time so far of all threads together. */
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** The most since it was last asked for. */
  readonly rssPeakBytes: number;
}

export type FromHistoryServer =
  | {
      readonly t: 'ready';
      /** Of the service. */
      readonly port: number;
      /** Of a server of the same framework that sends one file. */
      readonly filePort: number;
    }
  | ({ readonly t: 'usage' } & ServerUsage);

/** Each is answered with the usage. */
export type ToHistoryServer =
  | { readonly t: 'usage' }
  /** From now on the other server sends this file. */
  | { readonly t: 'file'; readonly path: string };
