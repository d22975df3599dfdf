/** What the REST benchmark and the process under it tell each other. */

export type FromRestServer =
  | {
      readonly t: 'ready';
      readonly port: number;
      readonly barePort: number;
      /** One of each account. */
      readonly keys: readonly string[];
    }
  /** Processor time so far of all threads together, and of the one that serves. */
  | { readonly t: 'cpu'; readonly allMs: number; readonly mainMs: number };

/** Each is answered with the processor time. */
export type ToRestServer =
  | { readonly t: 'cpu' }
  | { readonly t: 'bare-answer'; readonly path: string; readonly body: string };
