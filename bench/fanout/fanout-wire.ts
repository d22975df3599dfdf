/** What passes between the fan-out benchmark and the process with the three servers. */

export const FANOUT_TARGETS = ['service', 'bare', 'ws.send'] as const;
export type FanoutTarget = (typeof FANOUT_TARGETS)[number];

/** Plays so many flushes, one a turn, each of so many messages, to all connections of a server. */
export interface FanoutPlay {
  readonly target: FanoutTarget;
  readonly turns: number;
  readonly messagesPerFlush: number;
}

export type ToFanoutServer = ({ readonly t: 'play' } & FanoutPlay) | { readonly t: 'cpu' };

export type FromFanoutServer =
  | {
      readonly t: 'ready';
      readonly ports: Readonly<Record<FanoutTarget, number>>;
      readonly keys: readonly string[];
    }
  /** All is prepared and the first flush goes out now; also the answer to `cpu`. With the processor time
   * that the thread which writes to sockets has had so far. */
  | { readonly t: 'cpu'; readonly cpuMs: number };
