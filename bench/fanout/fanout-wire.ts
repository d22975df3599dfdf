/** Messages between the fan-out benchmark and the process with the three servers. */

export const FANOUT_TARGETS = ['service', 'bare', 'ws.send'] as const;
export type FanoutTarget = (typeof FANOUT_TARGETS)[number];

/** Plays `turns` flushes of `messagesPerFlush` messages, one a turn, to a server's connections. */
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
  /**
   * Sent when all flushes are prepared and the first one starts; also the response to `cpu`.
   * Reports the processor time so far of the thread that writes to the sockets.
   */
  | { readonly t: 'cpu'; readonly cpuMs: number };
