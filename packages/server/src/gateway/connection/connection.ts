/**
 * One client connection as a state machine without I/O: `step` takes an event and returns actions. An unreadable
 * message gets an `error` and costs nothing else. Faults of the whole connection are close codes, never `error`
 * messages.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { SubscribeMessage } from '@tapeloom/protocol/client-messages';
import { CloseCode, CloseReason } from '@tapeloom/protocol/close-codes';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { AuthVerdict } from '../../accounts/auth/auth-throttle.ts';
import type { Caller } from '../../accounts/auth/caller.ts';
import { type ErrorReply, parseAuthToken, parseClientMessage } from '../wire/client-message.ts';
import type {
  ConnectionAction,
  ConnectionEvent,
  LeaseRefusal,
  TextEvent,
} from './connection-events.ts';
import {
  type ConnectionRules,
  ConnectionSubscriptions,
  type SubscriptionHolding,
} from './connection-subscriptions.ts';

/** Messages that may be deferred: one burst of a client that does not wait for answers. */
export const DEFERRED_MESSAGES_MAX = 100;
export const AUTH_WITHIN_MS = 5_000;

type Actions = readonly ConnectionAction[];

const NOTHING: Actions = [];

/**
 * 1. `judging`: the `Authorization` header, or the token of an `auth`, is being checked.
 * 2. `unproven`: there was no header; the first message must be a valid `auth`, within 5 s.
 * 3. `admitting`: the caller is known and may stream; its account's connections are being counted.
 * 4. `open`: messages are answered one by one, in their order.
 * 5. `closed`: a close was ordered; events are ignored.
 *
 * Messages that arrive during a check or a count are deferred.
 */
export class Connection {
  /** Later connections have higher numbers. */
  readonly number: number;
  readonly #subscriptions: ConnectionSubscriptions;
  #phase: 'judging' | 'unproven' | 'admitting' | 'open' | 'closed' = 'judging';
  #deferred: TextEvent[] = [];
  #caller: Caller | null = null;
  /** The address that a key's restriction is checked against; null where none applies. */
  #address: string | null = null;
  /** Number of the subscription that the current message requests, while its leases are counted. */
  #counted: number | null = null;

  constructor(rules: ConnectionRules) {
    this.number = rules.nextNumber();
    this.#subscriptions = new ConnectionSubscriptions(rules);
  }

  /** Null until the key or token was recognised. */
  get caller(): Caller | null {
    return this.#caller;
  }

  get holdings(): readonly SubscriptionHolding[] {
    return this.#subscriptions.holdings;
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
      case 'connects-exceeded': {
        const { retryAfterSeconds } = event;
        const reason = `Too many new connections from your account; try again in ${retryAfterSeconds} s`;
        return this.#close(CloseCode.tryAgainLater, reason);
      }
      case 'admitted':
        return this.#admitted(event.isGranted);
      case 'text':
        return this.#text(event);
      case 'binary':
        return this.#close(CloseCode.binaryRefused, 'Binary messages are refused');
      case 'leased':
        return this.#leased(event.number, event.refused);
      case 'begun':
        return this.#subscriptions.begun(event.sub, event.now);
      case 'ended':
        return this.#subscriptions.ended(event.sub, event.reply);
      case 'heartbeat':
        return this.#heartbeat(event.now, event.cursors);
      case 'tape-day':
      case 'move-on':
      case 'subscriptions-beyond':
      case 'judge-again':
        return this.#caller === null ? NOTHING : this.#judgeAgain(event, this.#caller);
      case 'key-ended':
        return this.#close(CloseCode.forbidden, CloseReason.keyRevoked);
      case 'rights-changed':
        return this.#rightsChanged(event.caller);
      case 'connection-beyond':
        return this.#close(CloseCode.forbidden, CloseReason.entitlementsChanged);
      case 'rate-exceeded':
        return this.#close(CloseCode.tooManyMessages, 'Too many messages');
      case 'silent':
        return this.#close(CloseCode.tooSlow, CloseReason.pingTimeout);
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

  #judged(authentication: AuthVerdict): Actions {
    if (authentication.verdict === 'busy') {
      return this.#close(CloseCode.tryAgainLater, 'Too many keys from your address are waiting');
    }
    if (authentication.verdict !== 'accepted') return this.#refuseAuth('Invalid API key or token');
    const { caller } = authentication;
    const { entitlements } = caller;
    // A token may be used from any address: its key's restriction was checked when the token was requested.
    const isAddressAllowed = this.#address === null || entitlements.allowsAddress(this.#address);
    if (caller.isSuspended || !entitlements.hasScope('stream') || !isAddressAllowed) {
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
    if (this.#phase !== 'open' || this.#counted !== null) return this.#defer(event);
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
        return this.#subscriptions.unsubscribe(message.sub);
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

  #defer(event: TextEvent): Actions {
    if (this.#deferred.length >= DEFERRED_MESSAGES_MAX) {
      return this.#close(CloseCode.tooManyMessages, 'Too many messages');
    }
    this.#deferred.push(event);
    return NOTHING;
  }

  #replay(): Actions {
    const events = this.#deferred;
    this.#deferred = [];
    return events.length > 0 ? [{ t: 'replay', events }] : NOTHING;
  }

  #subscribe(message: SubscribeMessage, event: TextEvent): Actions {
    const asking = this.#subscriptions.subscribe(message, this.#caller!.entitlements, event);
    if (asking.t === 'lease') this.#counted = asking.number;
    return [asking];
  }

  #leased(number: number, refused: LeaseRefusal | null): Actions {
    // Running streams stay. A client without any is asked to reconnect: another node may be able to count.
    if (refused === 'fault' && this.#subscriptions.awaitsOnly(number)) {
      return this.#close(CloseCode.tryAgainLater, 'Try again later');
    }
    const actions = this.#subscriptions.leased(number, refused, this.#caller!.entitlements);
    if (this.#counted !== number) return actions;
    this.#counted = null;
    return [...actions, ...this.#replay()];
  }

  #heartbeat(now: EpochNs, cursors: ReadonlyMap<string, string>): Actions {
    if (this.#phase !== 'open') return NOTHING;
    const ts = now.toString();
    const beats =
      cursors.size === 0
        ? [send({ t: 'hb', ts })]
        : Array.from(cursors, ([sub, cursor]) => send({ t: 'hb', sub, cursor, ts }));
    return [...beats, ...this.#subscriptions.announceRolls(now)];
  }

  #judgeAgain(
    event: Extract<
      ConnectionEvent,
      { t: 'tape-day' | 'move-on' | 'subscriptions-beyond' | 'judge-again' }
    >,
    { entitlements }: Caller,
  ): Actions {
    switch (event.t) {
      case 'tape-day':
        return this.#subscriptions.enterDay(event, entitlements);
      case 'move-on':
        return this.#subscriptions.moveOn(entitlements);
      case 'subscriptions-beyond':
        return this.#subscriptions.endBeyond(event.beyond, entitlements);
      case 'judge-again':
        return this.#subscriptions.judgeAgain(entitlements, event);
      default:
        return event satisfies never;
    }
  }

  /** Later messages get the new rights at once; open subscriptions are judged when all connections have them. */
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
    this.#deferred = [];
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

function idOf({ id }: { readonly id?: string | number }): { id?: string | number } {
  return id === undefined ? {} : { id };
}
