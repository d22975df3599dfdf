/**
 * One customer's connection as a machine without I/O: `step` takes what happened and returns what to do.
 *
 * 1. `opening`: the `Authorization` header is being judged. Messages that arrive meanwhile wait.
 * 2. `unproven`: there was no header; the first message must be a valid `auth`, within 5 s.
 * 3. `open`: messages are answered one by one, in their order.
 * 4. `closed`: a close was ordered; nothing is answered any more.
 *
 * A message that cannot be understood is answered and costs nothing else; a subscription that fails ends
 * alone. Faults of the connection as a whole are close codes, never `error` messages.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { SubscribeMessage } from '@tapeloom/protocol/client-messages';
import { CloseCode, CloseReason } from '@tapeloom/protocol/close-codes';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { Authentication, Principal } from '../accounts/authenticator.ts';
import { type ErrorReply, invalid, parseClientMessage } from './client-message.ts';
import type { ResolveStream, StreamRequest } from './stream-request.ts';

/** Messages kept while the key is being judged: one burst of a client that does not wait. */
export const EARLY_MESSAGES_MAX = 100;
const AUTH_WITHIN_MS = 5_000;

export type ConnectionEvent =
  | { readonly t: 'opened'; readonly authorization: string | undefined }
  | { readonly t: 'judged'; readonly authentication: Authentication }
  | { readonly t: 'auth-overdue' }
  /** A text frame; `ts` is the time of its arrival, `day` the tape's UTC day. */
  | { readonly t: 'text'; readonly text: string; readonly ts: string; readonly day: UtcDay }
  | { readonly t: 'binary' }
  /** The hub took the subscription in. */
  | {
      readonly t: 'attached';
      readonly sub: string;
      readonly topic: string;
      readonly state: StreamState;
      readonly lagMs: number;
    }
  | {
      readonly t: 'status';
      readonly sub: string;
      readonly state: StreamState;
      readonly lagMs: number;
    }
  /** The hub refused the subscription or ended it. */
  | { readonly t: 'ended'; readonly sub: string; readonly reply: Omit<ErrorReply, 'sub'> }
  /** Five seconds have passed; `cursors` has the subscriptions that can be resumed, by name. */
  | {
      readonly t: 'heartbeat';
      readonly ts: string;
      readonly cursors: ReadonlyMap<string, string>;
    }
  /** The tape entered a new UTC day: aliases may mean other contracts now. */
  | { readonly t: 'tape-day'; readonly day: UtcDay }
  | { readonly t: 'overflow' }
  | { readonly t: 'shutdown' };

export type ConnectionAction =
  | { readonly t: 'judge'; readonly authorization: string }
  | { readonly t: 'await-auth'; readonly withinMs: number }
  | { readonly t: 'send'; readonly message: ServerMessage }
  | { readonly t: 'subscribe'; readonly sub: string; readonly request: StreamRequest }
  | { readonly t: 'unsubscribe'; readonly sub: string }
  /** These events waited: step them now, one after the other. */
  | { readonly t: 'replay'; readonly events: readonly ConnectionEvent[] }
  | { readonly t: 'close'; readonly code: CloseCode; readonly reason: string };

type Actions = readonly ConnectionAction[];
type TextEvent = Extract<ConnectionEvent, { t: 'text' }>;

const NOTHING: Actions = [];

export interface ConnectionRules {
  readonly resolve: ResolveStream;
  readonly subscriptionsMax: number;
}

export class Connection {
  readonly #rules: ConnectionRules;
  readonly #subscriptions = new Map<string, StreamRequest>();
  #phase: 'opening' | 'unproven' | 'open' | 'closed' = 'opening';
  #early: TextEvent[] = [];
  #principal: Principal | null = null;

  constructor(rules: ConnectionRules) {
    this.#rules = rules;
  }

  get principal(): Principal | null {
    return this.#principal;
  }

  step(event: ConnectionEvent): Actions {
    if (this.#phase === 'closed') return NOTHING;
    switch (event.t) {
      case 'opened':
        return this.#opened(event.authorization);
      case 'judged':
        return this.#judged(event.authentication);
      case 'auth-overdue':
        return this.#phase === 'unproven'
          ? this.#refuseAuth('No auth message within 5 s')
          : NOTHING;
      case 'text':
        return this.#text(event);
      case 'binary':
        return this.#close(CloseCode.binaryRefused, 'Binary messages are refused');
      case 'attached':
        return this.#attached(event);
      case 'status':
        return this.#subscriptions.has(event.sub) ? [sendStatus(event)] : NOTHING;
      case 'ended':
        return this.#ended(event.sub, event.reply);
      case 'heartbeat':
        return this.#heartbeat(event.ts, event.cursors);
      case 'tape-day':
        return this.#roll(event.day);
      case 'overflow':
        return this.#close(CloseCode.tooSlow, CloseReason.slowConsumer);
      case 'shutdown':
        return [
          send({ t: 'notice', kind: 'reconnect' }),
          ...this.#close(CloseCode.tryAgainLater, 'The server restarts'),
        ];
      default:
        return event satisfies never;
    }
  }

  #opened(authorization: string | undefined): Actions {
    if (authorization !== undefined) return [{ t: 'judge', authorization }];
    this.#phase = 'unproven';
    return [{ t: 'await-auth', withinMs: AUTH_WITHIN_MS }];
  }

  #judged(authentication: Authentication): Actions {
    if (authentication.verdict !== 'accepted') return this.#refuseAuth('Invalid API key');
    this.#principal = authentication.principal;
    this.#phase = 'open';
    const events = this.#early;
    this.#early = [];
    return events.length > 0 ? [{ t: 'replay', events }] : NOTHING;
  }

  #text(event: TextEvent): Actions {
    if (this.#phase === 'opening') {
      if (this.#early.length >= EARLY_MESSAGES_MAX) {
        return this.#close(CloseCode.tooManyMessages, 'Too many messages');
      }
      this.#early.push(event);
      return NOTHING;
    }
    // No stream tokens are issued, so no first message can be a valid `auth`.
    if (this.#phase === 'unproven') return this.#refuseAuth('Invalid auth message');
    const parsed = parseClientMessage(event.text);
    if (!parsed.ok) return [sendError(parsed.reply)];
    const { message } = parsed;
    switch (message.t) {
      case 'auth':
        return NOTHING;
      case 'ping':
        return [send({ t: 'pong', ...idOf(message), ts: event.ts })];
      case 'subscribe':
        return this.#subscribe(message, event.day);
      case 'unsubscribe':
        return this.#unsubscribe(message.sub);
      default:
        return message satisfies never;
    }
  }

  #subscribe(message: SubscribeMessage, day: UtcDay): Actions {
    const { sub } = message;
    if (this.#subscriptions.has(sub)) {
      const fault = { path: '/sub', message: 'Is already in use on this connection.' };
      return [sendError({ sub, ...invalid([fault]) })];
    }
    if (this.#subscriptions.size >= this.#rules.subscriptionsMax) {
      const most = this.#rules.subscriptionsMax;
      const text = `At most ${most} subscriptions may be open at a time.`;
      return [sendError({ sub, code: 'QUOTA_EXCEEDED', message: text })];
    }
    const request = this.#rules.resolve(message, day);
    if ('code' in request) return [sendError({ sub, ...request })];
    this.#subscriptions.set(sub, request);
    return [{ t: 'subscribe', sub, request }];
  }

  #unsubscribe(sub: string): Actions {
    if (this.#subscriptions.delete(sub)) return [{ t: 'unsubscribe', sub }];
    const fault = { path: '/sub', message: 'Is not a subscription of this connection.' };
    return [sendError({ sub, ...invalid([fault]) })];
  }

  #attached(event: Extract<ConnectionEvent, { t: 'attached' }>): Actions {
    const request = this.#subscriptions.get(event.sub);
    if (request === undefined) return NOTHING;
    return [
      send({
        t: 'subscribed',
        sub: event.sub,
        topic: event.topic,
        instrument: request.message.instrument,
        contract: request.spec.contract,
        tickSizeNanos: request.tickSizeNanos,
      }),
      sendStatus(event),
    ];
  }

  #ended(sub: string, reply: Omit<ErrorReply, 'sub'>): Actions {
    if (!this.#subscriptions.delete(sub)) return NOTHING;
    return [{ t: 'unsubscribe', sub }, sendError({ sub, ...reply })];
  }

  #heartbeat(ts: string, cursors: ReadonlyMap<string, string>): Actions {
    if (this.#phase !== 'open') return NOTHING;
    if (cursors.size === 0) return [send({ t: 'hb', ts })];
    return Array.from(cursors, ([sub, cursor]) => send({ t: 'hb', sub, cursor, ts }));
  }

  /** A subscription whose alias means another contract from this day on starts afresh on that one. */
  #roll(day: UtcDay): Actions {
    const actions: ConnectionAction[] = [];
    for (const [sub, request] of this.#subscriptions) {
      const next = this.#rules.resolve(request.message, day);
      if ('code' in next) {
        actions.push(...this.#ended(sub, next));
      } else if (next.spec.contract !== request.spec.contract) {
        this.#subscriptions.set(sub, next);
        actions.push({ t: 'unsubscribe', sub }, send({ t: 'reset', sub, reason: 'roll' }));
        actions.push({ t: 'subscribe', sub, request: next });
      }
    }
    return actions;
  }

  #refuseAuth(reason: string): Actions {
    return this.#close(CloseCode.unauthorized, reason);
  }

  #close(code: CloseCode, reason: string): Actions {
    this.#phase = 'closed';
    this.#early = [];
    this.#subscriptions.clear();
    return [{ t: 'close', code, reason }];
  }
}

function send(message: ServerMessage): ConnectionAction {
  return { t: 'send', message };
}

function sendError(reply: ErrorReply): ConnectionAction {
  return send({ t: 'error', ...reply });
}

function sendStatus(status: { sub: string; state: StreamState; lagMs: number }): ConnectionAction {
  const { sub, state, lagMs } = status;
  return send({ t: 'status', sub, state, lagMs });
}

function idOf({ id }: { readonly id?: string | number }): { id?: string | number } {
  return id === undefined ? {} : { id };
}
