/** What passes between the engine's worker thread and its handle, beside the topics' own messages. */

import type { MessagePort } from 'node:worker_threads';
import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { EngineCommand, EngineMessage, TopicSpec } from '../topics/engine-link.ts';

/** The session edges the engine computes with. */
export interface EngineSessions {
  /** Name of the calendar of each contract, by symbol. */
  readonly calendars: Readonly<Record<string, string>>;
  readonly books: readonly SessionBook[];
}

export interface EngineWorkerData {
  readonly tapePort: MessagePort;
  readonly tapeRoot: string;
  readonly dataset: string;
  readonly sessions: EngineSessions;
}

export type ToEngineWorker =
  | EngineCommand
  | { readonly t: 'sessions'; readonly sessions: EngineSessions }
  | { readonly t: 'acknowledge'; readonly bytes: number };

export type FromEngineWorker =
  | EngineMessage
  | { readonly t: 'fault'; readonly spec: TopicSpec; readonly error: unknown };
