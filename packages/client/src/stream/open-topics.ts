/**
 * The subscriptions of a connection: not yet requested, accepted, or suspended after an error. One that has run before
 * is requested again, with backoff, after a temporary error. A full quota counts as temporary while the server may
 * still count the lost connection.
 */

import type { ClientMessage } from '@tapeloom/protocol/client-messages';
import type { ErrorMessage } from '@tapeloom/protocol/server-messages';
import { backoffMs, STREAM_BACKOFF } from '../backoff.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import type { ConnectionAction, StreamedTopic } from './connection-events.ts';

const PASSING_CODES: readonly string[] = ['RATE_LIMITED', 'CAPACITY', 'SOURCE_DOWN', 'INTERNAL'];
/** The shortest wait before a subscription is requested again. */
const RETRY_MS_MIN = 1_000;
/** How long the server may count a connection that was lost without a close. */
const GHOST_MS_MAX = 120_000;

interface OpenTopic extends StreamedTopic {
  readonly sub: string;
  /** `lasting`: requested on this connection, and accepted. */
  phase: 'unsent' | 'asked' | 'lasting' | 'refused';
  hasRun: boolean;
  refusals: number;
  retryAt: number;
}

export class OpenTopics {
  readonly #topics = new Map<string, OpenTopic>();
  readonly #unsent = new Set<OpenTopic>();
  readonly #refused = new Set<OpenTopic>();
  readonly #leaving: string[] = [];
  readonly #random: () => number;
  #reopenedAt = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  get isEmpty(): boolean {
    return this.#topics.size === 0;
  }

  get all(): Iterable<OpenTopic> {
    return this.#topics.values();
  }

  get(sub: string): StreamedTopic | undefined {
    return this.#topics.get(sub);
  }

  add(sub: string, topic: StreamedTopic): void {
    const open: OpenTopic = {
      ...topic,
      sub,
      phase: 'unsent',
      hasRun: false,
      refusals: 0,
      retryAt: 0,
    };
    this.#topics.set(sub, open);
    this.#unsent.add(open);
  }

  drop(sub: string): void {
    const topic = this.#topics.get(sub);
    if (topic === undefined) return;
    this.#remove(topic);
    if (topic.phase === 'asked' || topic.phase === 'lasting') this.#leaving.push(sub);
  }

  clear(): void {
    this.#topics.clear();
    this.#unsent.clear();
    this.#refused.clear();
    this.#leaving.length = 0;
  }

  /** A new connection has no subscriptions: all are requested again. */
  reopen(now: number): void {
    this.#reopenedAt = now;
    this.#leaving.length = 0;
    this.#refused.clear();
    for (const topic of this.#topics.values()) {
      topic.phase = 'unsent';
      this.#unsent.add(topic);
    }
  }

  get hasUnsent(): boolean {
    return this.#leaving.length > 0 || this.#unsent.size > 0;
  }

  /** The next message; there must be one. Unsubscribes go first, since they free slots. */
  nextUnsent(): ClientMessage {
    const leaving = this.#leaving.shift();
    if (leaving !== undefined) return { t: 'unsubscribe', sub: leaving };
    const [topic] = this.#unsent as Iterable<OpenTopic> as [OpenTopic];
    this.#unsent.delete(topic);
    topic.phase = 'asked';
    return { t: 'subscribe', sub: topic.sub, ...topic.request, from: topic.state.from };
  }

  begun(sub: string): void {
    const topic = this.#topics.get(sub)!;
    topic.phase = 'lasting';
    topic.hasRun = true;
    topic.refusals = 0;
  }

  /** When the next suspended subscription is due; infinity if there is none. */
  get retryAt(): number {
    let at = Number.POSITIVE_INFINITY;
    if (this.#refused.size === 0) return at;
    for (const { retryAt } of this.#refused) at = Math.min(at, retryAt);
    return at;
  }

  retry(now: number): void {
    if (this.#refused.size === 0) return;
    for (const topic of this.#refused) {
      if (topic.retryAt > now) continue;
      this.#refused.delete(topic);
      topic.phase = 'unsent';
      this.#unsent.add(topic);
    }
  }

  /** The reaction to an `error`; null if the subscription no longer exists. */
  refused({ sub, code, message, errors = [] }: ErrorMessage, now: number): ConnectionAction | null {
    if (sub === undefined) {
      const text = `The server did not understand a message of this client: ${message}`;
      return { t: 'warn', warning: { code: 'BAD_MESSAGE', message: text } };
    }
    const topic = this.#topics.get(sub);
    if (topic === undefined) return null;
    if (!this.#mayPass(topic, code, now)) {
      this.#remove(topic);
      return { t: 'end', sub, error: new TapeloomError(code, message, { errors }) };
    }
    topic.phase = 'refused';
    const backoff = { atLeastMs: RETRY_MS_MIN, random: this.#random };
    topic.retryAt = now + backoffMs(STREAM_BACKOFF, topic.refusals, backoff);
    topic.refusals += 1;
    this.#refused.add(topic);
    const { instrument, indicator } = topic.request;
    const text = `${indicator} of ${instrument} is interrupted (${code}: ${message}); the client subscribes again.`;
    return { t: 'warn', warning: { code: 'SUBSCRIPTION_RETRIED', message: text } };
  }

  #mayPass({ hasRun, phase }: OpenTopic, code: string, now: number): boolean {
    if (!hasRun) return false;
    if (PASSING_CODES.includes(code)) return true;
    const mayBeGhost = phase !== 'lasting' && now - this.#reopenedAt < GHOST_MS_MAX;
    return code === 'QUOTA_EXCEEDED' && mayBeGhost;
  }

  #remove(topic: OpenTopic): void {
    this.#topics.delete(topic.sub);
    this.#unsent.delete(topic);
    this.#refused.delete(topic);
  }
}
