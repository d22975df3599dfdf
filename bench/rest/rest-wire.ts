/** Messages between the REST benchmark and its process. */

export type FromRestServer =
  | {
      readonly t: 'ready';
      readonly port: number;
      readonly barePort: number;
      /** One key per account. */
      readonly keys: readonly string[];
    }
  /** Processor time so far of all threads together, and of the serving thread. */
  | { readonly t: 'cpu'; readonly allMs: number; readonly mainMs: number };

/** The response to each is the processor time. */
export type ToRestServer =
  | { readonly t: 'cpu' }
  | { readonly t: 'bare-answer'; readonly path: string; readonly body: string };
