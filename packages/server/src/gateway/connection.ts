/**
 * One customer's connection as a machine without I/O: `step` takes what happened and returns what to do.
 *
 * 1. `judging`: the `Authorization` header, or the token of an `auth`, is being looked at.
 * 2. `unproven`: there was no header; the first message must be a valid `auth`, within 5 s.
 * 3. `admitting`: the caller is known and may stream; its account's connections are being counted.
 * 4. `open`: messages are answered one by one, in their order. What a subscription counts as is taken
 *    before it starts and given back when it ends.
 * 5. `closed`: a close was ordered; nothing is answered any more.
 *
 * Messages that arrive while something is being looked at or counted wait. A message that cannot be
 * understood is answered and costs nothing else; a subscription that fails ends alone. Faults of the
 * connection as a whole are close codes, never `error` messages.
 *
 * A roll has two parts. First every subscription whose alias means another contract leaves the old one
 * and gives back its configuration; when all connections have done so, each takes what it needs on the
 * new contract. So a configuration that moves is never refused for its own sake.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { SubscribeMessage } from '@tapeloom/protocol/client-messages';
import { CloseCode, CloseReason } from '@tapeloom/protocol/close-codes';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { Authentication } from '../accounts/authenticator.ts';
import type { Caller } from '../accounts/caller.ts';
import { type ErrorReply, invalid, parseAuthToken, parseClientMessage } from './client-message.ts';
import type {
  ConnectionAction,
  ConnectionEvent,
  LeaseRefusal,
  TextEvent,
} from './connection-events.ts';
import type { ResolveStream, StreamRequest } from './stream-request.ts';

/** Messages that may wait: one burst of a client that does not wait for answers. */
export const WAITING_MESSAGES_MAX = 100;
const AUTH_WITHIN_MS = 5_000;

type Actions = readonly ConnectionAction[];

const NOTHING: Actions = [];

interface Subscription {
  /** Its own on this connection, also when a name is used again. */
  readonly number: number;
  request: StreamRequest;
  isAttached: boolean;
  /** It has left its contract and waits for all others to do so. */
  isRolling: boolean;
}

export class Connection {
  readonly #resolve: ResolveStream;
  readonly #subscriptions = new Map<string, Subscription>();
  #phase: 'judging' | 'unproven' | 'admitting' | 'open' | 'closed' = 'judging';
  #waiting: TextEvent[] = [];
  #caller: Caller | null = null;
  /** What a key's address restriction is held against; null where it does not apply. */
  #address: string | null = null;
  #lastNumber = 0;
  /** The subscription that the message being answered has asked for, while it is counted. */
  #counted: number | null = null;

  constructor(resolve: ResolveStream) {
    this.#resolve = resolve;
  }

  /** Null until the key or token was recognised. */
  get caller(): Caller | null {
    return this.#caller;
  }

  step(event: ConnectionEvent): Actions {
    if (this.#phase === 'closed') return NOTHING;
    switch (event.t) {
      case 'opened':
        return this.#opened(event.authorization, event.address);
      case 'judged':
        return this.#judged(event.authentication);
      case 'auth-overdue':
        return this.#phase === 'unproven'
          ? this.#refuseAuth('No auth message within 5 s')
          : NOTHING;
      case 'admitted':
        return this.#admitted(event.isGranted);
      case 'text':
        return this.#text(event);
      case 'binary':
        return this.#close(CloseCode.binaryRefused, 'Binary messages are refused');
      case 'leased':
        return this.#leased(event.number, event.refused);
      case 'attached':
        return this.#attached(event);
      case 'status':
        return this.#subscriptions.has(event.sub) ? [sendStatus(event)] : NOTHING;
      case 'ended':
        return this.#ended(event.sub, event.reply);
      case 'heartbeat':
        return this.#heartbeat(event.ts, event.cursors);
      case 'tape-day':
        return this.#roll(event);
      case 'roll-on':
        return this.#rollOn();
      case 'key-ended':
        return this.#close(CloseCode.forbidden, CloseReason.keyRevoked);
      case 'rights-changed':
        return this.#rightsChanged(event.caller);
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

  #opened(authorization: string | undefined, address: string): Actions {
    if (authorization !== undefined) {
      this.#address = address;
      return [{ t: 'judge', authorization }];
    }
    this.#phase = 'unproven';
    return [{ t: 'await-auth', withinMs: AUTH_WITHIN_MS }];
  }

  #judged(authentication: Authentication): Actions {
    if (authentication.verdict !== 'accepted') return this.#refuseAuth('Invalid API key or token');
    const { caller } = authentication;
    const { entitlements } = caller;
    // A token may be used from anywhere: its key's addresses were held against the token's request.
    const isPlaceAllowed = this.#address === null || entitlements.allowsAddress(this.#address);
    if (caller.isSuspended || !entitlements.hasScope('stream') || !isPlaceAllowed) {
      return this.#forbid();
    }
    this.#caller = caller;
    this.#phase = 'admitting';
    return [{ t: 'admit', caller }];
  }

  #admitted(isGranted: boolean): Actions {
    if (!isGranted) return this.#close(CloseCode.tooManyConnections, 'Too many connections');
    this.#phase = 'open';
    return this.#replay();
  }

  #text(event: TextEvent): Actions {
    if (this.#phase === 'unproven') return this.#proof(event.text);
    if (this.#phase !== 'open' || this.#counted !== null) return this.#wait(event);
    const parsed = parseClientMessage(event.text);
    if (!parsed.ok) return [sendError(parsed.reply)];
    const { message } = parsed;
    switch (message.t) {
      case 'auth':
        return NOTHING;
      case 'ping':
        return [send({ t: 'pong', ...idOf(message), ts: event.now.toString() })];
      case 'subscribe':
        return this.#subscribe(message, event);
      case 'unsubscribe':
        return this.#unsubscribe(message.sub);
      default:
        return message satisfies never;
    }
  }

  #proof(text: string): Actions {
    const token = parseAuthToken(text);
    if (token === null) return this.#refuseAuth('Invalid auth message');
    this.#phase = 'judging';
    return [{ t: 'consume-token', token }];
  }

  #wait(event: TextEvent): Actions {
    if (this.#waiting.length >= WAITING_MESSAGES_MAX) {
      return this.#close(CloseCode.tooManyMessages, 'Too many messages');
    }
    this.#waiting.push(event);
    return NOTHING;
  }

  #replay(): Actions {
    const events = this.#waiting;
    this.#waiting = [];
    return events.length > 0 ? [{ t: 'replay', events }] : NOTHING;
  }

  #subscribe(message: SubscribeMessage, { now, tapeTime }: TextEvent): Actions {
    const { sub } = message;
    if (this.#subscriptions.has(sub)) {
      const fault = { path: '/sub', message: 'Is already in use on this connection.' };
      return [sendError({ sub, ...invalid([fault]) })];
    }
    const { entitlements } = this.#caller!;
    const day = dayOf((tapeTime - entitlements.delayNs) as EpochNs);
    const request = this.#resolve(message, { day, now, entitlements });
    if ('code' in request) return [sendError({ sub, ...request })];
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    this.#subscriptions.set(sub, { number, request, isAttached: false, isRolling: false });
    this.#counted = number;
    return [this.#lease(number, request)];
  }

  #lease(number: number, { configuration }: StreamRequest): ConnectionAction {
    return { t: 'lease', number, configuration, limits: this.#caller!.entitlements.limits };
  }

  #leased(number: number, refused: LeaseRefusal | null): Actions {
    const actions: ConnectionAction[] = [];
    for (const [sub, subscription] of this.#subscriptions) {
      if (subscription.number !== number) continue;
      if (refused !== null) {
        this.#subscriptions.delete(sub);
        actions.push(sendError({ sub, ...this.#refusal(refused) }));
      } else if (!subscription.isRolling) {
        actions.push({ t: 'subscribe', sub, request: subscription.request });
      }
    }
    if (this.#counted !== number) return actions;
    this.#counted = null;
    return [...actions, ...this.#replay()];
  }

  #refusal(refused: LeaseRefusal): Omit<ErrorReply, 'sub'> {
    const { maxSubscriptions, maxCustomConfigs } = this.#caller!.entitlements.limits;
    const most = (count: number, what: string) =>
      `The account may have ${count} ${what}${count === 1 ? '' : 's'} at a time, over all its keys.`;
    switch (refused) {
      case 'subscription':
        return { code: 'QUOTA_EXCEEDED', message: most(maxSubscriptions, 'subscription') };
      case 'configuration':
        return { code: 'QUOTA_EXCEEDED', message: most(maxCustomConfigs, 'custom configuration') };
      case 'fault':
        return { code: 'INTERNAL', message: 'The subscription could not be counted; try again.' };
      default:
        return refused satisfies never;
    }
  }

  #unsubscribe(sub: string): Actions {
    const subscription = this.#subscriptions.get(sub);
    if (subscription !== undefined) return this.#end(sub, subscription);
    const fault = { path: '/sub', message: 'Is not a subscription of this connection.' };
    return [sendError({ sub, ...invalid([fault]) })];
  }

  #end(sub: string, { number }: Subscription): Actions {
    this.#subscriptions.delete(sub);
    return [
      { t: 'unsubscribe', sub },
      { t: 'release', number, what: 'all' },
    ];
  }

  #attached(event: Extract<ConnectionEvent, { t: 'attached' }>): Actions {
    const subscription = this.#subscriptions.get(event.sub);
    if (subscription === undefined) return NOTHING;
    subscription.isAttached = true;
    const { message, spec, tickSizeNanos } = subscription.request;
    return [
      send({
        t: 'subscribed',
        sub: event.sub,
        topic: event.topic,
        instrument: message.instrument,
        contract: spec.contract,
        tickSizeNanos,
      }),
      sendStatus(event),
    ];
  }

  #ended(sub: string, reply: Omit<ErrorReply, 'sub'>): Actions {
    const subscription = this.#subscriptions.get(sub);
    if (subscription === undefined) return NOTHING;
    return [...this.#end(sub, subscription), sendError({ sub, ...reply })];
  }

  #heartbeat(ts: string, cursors: ReadonlyMap<string, string>): Actions {
    if (this.#phase !== 'open') return NOTHING;
    if (cursors.size === 0) return [send({ t: 'hb', ts })];
    return Array.from(cursors, ([sub, cursor]) => send({ t: 'hb', sub, cursor, ts }));
  }

  /** Rights are judged again with the day's meaning of every name, whether it rolls or not. */
  #roll({ day, delaySeconds, now }: Extract<ConnectionEvent, { t: 'tape-day' }>): Actions {
    const actions: ConnectionAction[] = [];
    for (const [sub, subscription] of this.#subscriptions) {
      const { message, spec } = subscription.request;
      if (spec.delaySeconds !== delaySeconds) continue;
      const { entitlements } = this.#caller!;
      const next = this.#resolve(message, { day, now, entitlements });
      if ('code' in next) {
        actions.push(...this.#ended(sub, next));
      } else if (next.spec.contract !== spec.contract) {
        actions.push({ t: 'unsubscribe', sub });
        if (subscription.isAttached) actions.push(send({ t: 'reset', sub, reason: 'roll' }));
        const { number } = subscription;
        actions.push({ t: 'release', number, what: 'configuration' });
        subscription.request = next;
        subscription.isAttached = false;
        subscription.isRolling = true;
      }
    }
    return actions;
  }

  #rollOn(): Actions {
    const actions: ConnectionAction[] = [];
    for (const subscription of this.#subscriptions.values()) {
      if (!subscription.isRolling) continue;
      subscription.isRolling = false;
      actions.push(this.#lease(subscription.number, subscription.request));
    }
    return actions;
  }

  /** What is open goes on; what comes next has the new rights. */
  #rightsChanged(caller: Caller | null): Actions {
    if (this.#caller === null) return NOTHING;
    if (caller === null) return this.#close(CloseCode.forbidden, CloseReason.keyRevoked);
    if (caller.isSuspended) return this.#forbid();
    this.#caller = caller;
    return NOTHING;
  }

  #refuseAuth(reason: string): Actions {
    return this.#close(CloseCode.unauthorized, reason);
  }

  #forbid(): Actions {
    return this.#close(CloseCode.forbidden, CloseReason.forbidden);
  }

  #close(code: CloseCode, reason: string): Actions {
    this.#phase = 'closed';
    this.#waiting = [];
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
