/** What the REST benchmark and the process under it tell each other. */

export type FromRestServer =
  | {
      readonly t: 'ready';
      readonly port: number;
      readonly barePort: number;
      /** One of each account. */
      readonly keys: readonly string[];
    }
  /** Processor time of the process so far, all its threads together. */
  | { readonly t: 'cpu'; readonly cpuMs: number };

/** Each is answered with the processor time. */
export type ToRestServer =
  | { readonly t: 'cpu' }
  | { readonly t: 'bare-answer'; readonly path: string; readonly body: string };
