/** Messages between the engine's worker thread and its handle, besides the topics' own. */

import type { MessagePort } from 'node:worker_threads';
import type { ThreadShape } from '../platform/threads/thread.ts';
import type { TradingSessions } from '../runs/session-tables.ts';
import type { EngineCommand, EngineMessage, TopicSpec } from '../topics/engine-link.ts';

export interface EngineWorkerData {
  /** The ports of the growing tapes, by dataset. */
  readonly tapePorts: ReadonlyMap<string, MessagePort>;
  readonly tapeRoot: string;
  readonly imported: readonly string[];
  readonly sessions: TradingSessions;
}

export type EngineOrder =
  | EngineCommand
  | { readonly t: 'sessions'; readonly sessions: TradingSessions }
  | { readonly t: 'acknowledge'; readonly bytes: number };

export type EngineNews =
  | EngineMessage
  | { readonly t: 'fault'; readonly spec: TopicSpec; readonly error: unknown };

export interface EngineShape extends ThreadShape {
  readonly calls: Record<never, never>;
  readonly orders: EngineOrder;
  readonly news: EngineNews;
  readonly refusal: never;
}
