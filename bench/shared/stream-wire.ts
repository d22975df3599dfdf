/** Messages between a benchmark and the process with the whole stream under a driven source. */

import type { Params } from '@tapeloom/core/studies/indicator';

/** Trades of one contract, evenly spread, offered as they come due. */
export interface Drive {
  readonly tradesPerSecond: number;
  readonly seconds: number;
}

export interface EdgesWanted {
  readonly indicator: string;
  readonly params: Params;
}

export type ToStreamServer =
  | { readonly t: 'drive'; readonly drive: Drive }
  /** When every message of these topics was published since the first drive began. */
  | { readonly t: 'edges'; readonly topics: readonly EdgesWanted[] }
  | BarePlay
  | { readonly t: 'usage' };

/** Bare writes in the thread that serves connections. */
export interface BarePlay {
  readonly t: 'bare';
  readonly rows: readonly BareRow[];
  /** The sockets are dealt out to the topics in turn. */
  readonly topics: number;
}

/** One flush: its messages in one write to each socket of a topic. */
export interface BareRow {
  readonly afterMs: number;
  readonly topic: number;
  readonly messages: number;
  /** Bytes of each message, its frame included. */
  readonly bytes: number;
}

export interface BareTimes {
  /** The number of the first row; the messages of a row carry its number as cursor. */
  readonly first: number;
  /** When each row was due, or when its late timer fired. */
  readonly begunMs: Float64Array;
  /** How long its writes took. */
  readonly tookMs: Float64Array;
}

export type FromStreamServer =
  | {
      readonly t: 'ready';
      readonly port: number;
      readonly barePort: number;
      readonly keys: readonly string[];
      /** The contract that trades. */
      readonly symbol: string;
    }
  | { readonly t: 'driven'; readonly trades: number }
  | { readonly t: 'edges'; readonly record: DriveRecord }
  | { readonly t: 'bare'; readonly times: BareTimes }
  | {
      readonly t: 'usage';
      /** Processor time of all threads, and of the thread that serves connections. */
      readonly cpuMs: number;
      readonly mainCpuMs: number;
      readonly residentBytes: number;
      /** Closed connections so far, by code. */
      readonly closes: Readonly<Record<string, number>>;
    };

/** All times are milliseconds of the machine's monotonic clock, which all processes share. */
export interface DriveRecord {
  /** By rank, starting with 1: when the trade was made, and when it was on disk. */
  readonly madeMs: Float64Array;
  readonly acceptedMs: Float64Array;
  /** By topic, in the order of the request: how the message with each cursor was published. */
  readonly edges: readonly (readonly PublishedAt[])[];
}

export interface PublishedAt {
  readonly cursor: string;
  /** The edge of its flush. */
  readonly edgeMs: number;
  /**
   * When the first trade or watermark (`promise`) beyond the edge, which closes it, was on disk.
   */
  readonly closedMs: number;
}

/** Messages to and from the thread with the tape. */
export type ToDrivenIngest =
  | { readonly t: 'follow'; readonly port: import('node:worker_threads').MessagePort }
  | Exclude<ToStreamServer, { readonly t: 'usage' | 'bare' }>;

/** Milliseconds of the machine's monotonic clock. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
