/**
 * The one connection of a client as a state machine without I/O: `step` takes an event and returns actions, and
 * `wakeAt` is the time of the next step. Whatever happens to the connection, a subscription keeps its state and resumes
 * from its last cursor.
 */

import { CloseCode } from '@tapeloom/protocol/close-codes';
import type { NoticeMessage, ServerMessage } from '@tapeloom/protocol/server-messages';
import { backoffMs, STREAM_BACKOFF } from '../backoff.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import { LOST, lossText, stopError } from './close-verdict.ts';
import type {
  ConnectionAction,
  ConnectionEvent,
  ConnectionLoss,
  ConnectionState,
} from './connection-events.ts';
import { OpenTopics } from './open-topics.ts';
import { SendAllowance } from './send-allowance.ts';
import { readServerMessage } from './server-message.ts';
import type { Notice } from './update.ts';

/** Without any message for this long the connection counts as lost; a token or a socket has as long to arrive. */
const SILENCE_MS_MAX = 15_000;
/** Well below the silence after which the server closes. */
const PING_MS = 10_000;
/** A connection that lasted this long was good: its loss counts as the first failure. */
const STEADY_MS = 10_000;
/** Wait at least this long after close code 1013. */
const TRY_LATER_MS = 1_000;
/** After close code 4029: the least time between attempts, and the time after which the client stops. */
const REFUSED_APART_MS = 5_000;
const REFUSED_FOR_MS = 120_000;
/** Failures in a row before a warning. */
const FAILURES_TOLD = 3;
/** The client closes with this code because of a fault of the server. */
const ABANDON = 4_000;
const NO_TOKEN = 'no token';
/** A token is one word; this rejects a page of HTML. */
const TOKEN = /^[\x21-\x3b\x3d\x3f-\x7e]{1,4096}$/;

export interface ConnectionOptions {
  readonly random: () => number;
  readonly usesToken: boolean;
  /** For messages. */
  readonly url: string;
}

type Phase = 'idle' | 'asking' | 'connecting' | 'open' | 'waiting' | 'stopped';

/**
 * 1. `idle`: there are no subscriptions.
 * 2. `asking`: a token is requested; `connecting`: the socket opens. Each may take `SILENCE_MS_MAX`.
 * 3. `open`: all subscriptions are requested, as fast as the server allows, and messages are processed.
 * 4. `waiting`: until the next attempt.
 * 5. `stopped`: the server rejected the client for good.
 */
export class Connection {
  readonly #topics: OpenTopics;
  readonly #random: () => number;
  readonly #usesToken: boolean;
  readonly #url: string;
  #phase: Phase = 'idle';
  #attempt = 0;
  #now = 0;
  /** When the phase began. */
  #since = 0;
  #waitUntil = 0;
  /** The server wants no attempt before this time. */
  #earliest = 0;
  #heardAt = 0;
  #sentAt = 0;
  #allowance = new SendAllowance(0);
  #token: string | null = null;
  #failures = 0;
  /** Whether the previous connection ended with 4008. */
  #wasTooSlow = false;
  /** Time of the first 4029 since a connection was accepted. */
  #refusedSince: number | null = null;
  #actions: ConnectionAction[] = [];

  constructor({ random, usesToken, url }: ConnectionOptions) {
    this.#random = random;
    this.#usesToken = usesToken;
    this.#url = url;
    this.#topics = new OpenTopics(random);
  }

  get state(): ConnectionState {
    return this.#phase === 'asking' ? 'connecting' : this.#phase;
  }

  /** When to send a `wake` event; null if nothing is due. */
  get wakeAt(): number | null {
    switch (this.#phase) {
      case 'asking':
      case 'connecting':
        return this.#since + SILENCE_MS_MAX;
      case 'waiting':
        return this.#waitUntil;
      case 'open': {
        const quiet = Math.min(this.#heardAt + SILENCE_MS_MAX, this.#sentAt + PING_MS);
        const again = Math.min(quiet, this.#topics.retryAt);
        return this.#topics.hasUnsent ? Math.min(again, this.#allowance.readyAt) : again;
      }
      default:
        return null;
    }
  }

  step(event: ConnectionEvent, now: number): readonly ConnectionAction[] {
    // A clock that jumps back would stretch every wait.
    if (now > this.#now) this.#now = now;
    this.#actions = [];
    // The most frequent event first.
    if (event.t === 'message') this.#message(event);
    else if (!('attempt' in event) || event.attempt === this.#attempt) this.#take(event);
    if (this.#phase === 'open') this.#sendDue();
    return this.#actions;
  }

  #take(event: Exclude<ConnectionEvent, { t: 'message' }>): void {
    switch (event.t) {
      case 'subscribe':
        this.#topics.add(event.sub, event.topic);
        if (this.#phase === 'idle' || this.#phase === 'stopped') this.#connect();
        return;
      case 'unsubscribe':
        this.#topics.drop(event.sub);
        if (this.#topics.isEmpty) this.#rest('idle');
        return;
      case 'token':
        if (typeof event.token === 'string' && TOKEN.test(event.token)) {
          this.#open(event.token);
          return;
        }
        // If a proxy's error page were sent as the token, the server would reject this client for good.
        this.#tokenFailed(
          new TypeError('The option "token" must give the text of a stream token.'),
        );
        return;
      case 'token-failed':
        this.#tokenFailed(event.cause);
        return;
      case 'opened':
        this.#opened();
        return;
      case 'unopenable':
        this.#stop(
          new TapeloomError(
            'CONFIGURATION',
            'This platform cannot open the stream with these options: browsers need the option "token" in place of "key".',
            { cause: event.cause },
          ),
          null,
        );
        return;
      case 'closed':
        this.#closed(event);
        return;
      case 'wake':
        this.#wake();
        return;
      case 'online':
        this.#online();
        return;
      case 'close':
        this.#topics.clear();
        this.#rest('closed');
        return;
      default:
        event satisfies never;
    }
  }

  #connect(): void {
    this.#attempt += 1;
    this.#enter(this.#usesToken ? 'asking' : 'connecting');
    this.#actions.push({ t: this.#usesToken ? 'ask-token' : 'open', attempt: this.#attempt });
  }

  /** The token is already there, since the server waits only 5 s for it. */
  #open(token: string): void {
    this.#token = token;
    this.#enter('connecting');
    this.#actions.push({ t: 'open', attempt: this.#attempt });
  }

  #tokenFailed(cause: unknown): void {
    const message =
      'The function of the option "token" returned no token; the client calls it again.';
    this.#actions.push({ t: 'warn', warning: { code: 'TOKEN_FAILED', message, cause } });
    this.#backOff({ code: LOST, reason: NO_TOKEN });
  }

  #opened(): void {
    this.#heardAt = this.#now;
    this.#allowance = new SendAllowance(this.#now);
    this.#enter('open');
    if (this.#token !== null) this.#send({ t: 'auth', token: this.#token });
    this.#token = null;
    this.#topics.reopen(this.#now);
  }

  #message({ attempt, data }: Extract<ConnectionEvent, { t: 'message' }>): void {
    if (this.#phase !== 'open' || attempt !== this.#attempt) return;
    this.#heardAt = this.#now;
    const message = readServerMessage(data);
    if (message === 'bad') {
      this.#badMessage(data);
      return;
    }
    // The server closes a rejected connection without a message, so this one is accepted.
    this.#refusedSince = null;
    if (message !== null) this.#hear(message);
  }

  #hear(message: ServerMessage): void {
    switch (message.t) {
      case 'pong':
        for (const { state } of this.#topics.all) state.hearTime(message.ts);
        return;
      case 'notice':
        this.#notice(message);
        return;
      case 'error': {
        const action = this.#topics.refused(message, this.#now);
        if (action !== null) this.#actions.push(action);
        if (this.#topics.isEmpty) this.#rest('idle');
        return;
      }
      default: {
        const { sub } = message;
        const topic = sub === undefined ? undefined : this.#topics.get(sub);
        if (topic === undefined) return;
        if (message.t === 'subscribed') this.#topics.begun(sub!);
        this.#actions.push({ t: 'tell', sub: sub!, update: topic.state.take(message) });
      }
    }
  }

  #notice(message: NoticeMessage): void {
    const effectiveAt = message.effectiveAt === undefined ? null : BigInt(message.effectiveAt);
    const instrument = message.instrument ?? null;
    const update: Notice = { t: 'notice', kind: message.kind, effectiveAt, instrument };
    if (message.kind === 'catalog') {
      const text = "The service's catalogue changes. Run `npx tapeloom-types` to update the types.";
      this.#actions.push({ t: 'warn', warning: { code: 'CATALOG_CHANGED', message: text } });
    }
    for (const { sub, request } of this.#topics.all) {
      const isConcerned = instrument === null || instrument === request.instrument;
      if (isConcerned) this.#actions.push({ t: 'tell', sub, update });
    }
  }

  /** The lost message may have been an update. Only a resume after the last cursor makes sure that none is missing. */
  #badMessage(data: unknown): void {
    const message = 'The server sent a message that cannot be understood; the client reconnects.';
    const cause = typeof data === 'string' ? data.slice(0, 200) : data;
    this.#actions.push({ t: 'warn', warning: { code: 'BAD_MESSAGE', message, cause } });
    this.#abandon('bad message');
  }

  #closed({ code, reason }: ConnectionLoss): void {
    if (this.#phase !== 'connecting' && this.#phase !== 'open') return;
    const loss = { code, reason };
    const error = stopError(code, reason);
    if (error !== null) {
      this.#stop(error, loss);
      return;
    }
    switch (code) {
      case CloseCode.tooManyConnections:
        this.#tooManyConnections(loss);
        return;
      case CloseCode.tooSlow:
        this.#tooSlow(loss);
        return;
      case CloseCode.tryAgainLater:
        this.#backOff(loss, TRY_LATER_MS);
        return;
      default:
        this.#backOff(loss);
        return;
    }
  }

  #tooManyConnections(loss: ConnectionLoss): void {
    this.#refusedSince ??= this.#now;
    if (this.#now - this.#refusedSince >= REFUSED_FOR_MS) {
      const why = 'The account has as many connections as its plan allows';
      this.#stop(new TapeloomError('TOO_MANY_CONNECTIONS', `${why}.`), loss);
      return;
    }
    this.#failures = 0;
    this.#backOff(loss);
  }

  /** Reconnects at once, unless the server repeatedly closes for this reason. */
  #tooSlow(loss: ConnectionLoss): void {
    const wasGood = !this.#wasTooSlow || this.#wasSteady;
    if (!wasGood) {
      this.#backOff(loss);
      return;
    }
    this.#wasTooSlow = true;
    this.#connect();
  }

  #wake(): void {
    if (this.wakeAt === null || this.#now < this.wakeAt) return;
    switch (this.#phase) {
      case 'waiting':
        this.#connect();
        return;
      case 'asking':
        this.#tokenFailed(new Error(`No token came within ${SILENCE_MS_MAX} ms.`));
        return;
      case 'connecting':
        this.#abandon('no connection');
        return;
      case 'open':
        if (this.#now - this.#heardAt >= SILENCE_MS_MAX) this.#abandon('silence');
        return;
      default:
    }
  }

  /** Failures without a network are no fault of the server, so the count of failures starts again. */
  #online(): void {
    if (this.#phase !== 'waiting') return;
    this.#failures = 0;
    this.#waitUntil = Math.min(this.#waitUntil, this.#earliest);
    if (this.#now >= this.#waitUntil) this.#connect();
  }

  #abandon(reason: string): void {
    this.#actions.push({ t: 'drop', code: ABANDON, reason, isGivenUp: true });
    this.#backOff({ code: LOST, reason });
  }

  get #wasSteady(): boolean {
    return this.#phase === 'open' && this.#now - this.#since >= STEADY_MS;
  }

  #backOff(cause: ConnectionLoss, atLeastMs = 0): void {
    if (this.#wasSteady) {
      this.#failures = 0;
      this.#wasTooSlow = false;
    }
    const apartMs = this.#refusedSince === null ? 0 : REFUSED_APART_MS;
    const retryInMs = backoffMs(STREAM_BACKOFF, this.#failures, {
      atLeastMs: Math.max(atLeastMs, apartMs),
      random: this.#random,
    });
    this.#failures += 1;
    // A missing token has its own warning each time.
    if (this.#failures === FAILURES_TOLD && cause.reason !== NO_TOKEN) this.#tellFailures(cause);
    this.#attempt += 1;
    this.#waitUntil = this.#now + retryInMs;
    this.#earliest = this.#now + Math.max(atLeastMs, apartMs);
    this.#enter('waiting', { retryInMs, cause });
  }

  #tellFailures(cause: ConnectionLoss): void {
    const why = lossText(cause) || 'the platform gives no reason; in a browser see its console';
    const message = `The stream at ${this.#url} cannot be reached: ${why}. The client keeps trying.`;
    this.#actions.push({ t: 'warn', warning: { code: 'CONNECTION_FAILED', message, cause } });
  }

  #stop(error: TapeloomError, cause: ConnectionLoss | null): void {
    for (const { sub } of this.#topics.all) this.#actions.push({ t: 'end', sub, error });
    this.#topics.clear();
    this.#forget();
    this.#enter('stopped', { cause });
  }

  /** No subscription is left. */
  #rest(why: 'idle' | 'closed'): void {
    const isGivenUp = this.#phase === 'connecting';
    if (isGivenUp || this.#phase === 'open') {
      this.#actions.push({ t: 'drop', code: CloseCode.normal, reason: why, isGivenUp });
    }
    if (this.#phase === 'idle' || this.#phase === 'stopped') return;
    this.#forget();
    this.#enter('idle');
  }

  #forget(): void {
    this.#attempt += 1;
    this.#token = null;
    this.#failures = 0;
    this.#wasTooSlow = false;
    this.#refusedSince = null;
  }

  #enter(
    phase: Phase,
    more: { readonly retryInMs?: number; readonly cause?: ConnectionLoss | null } = {},
  ): void {
    const before = this.state;
    this.#phase = phase;
    this.#since = this.#now;
    const { state } = this;
    if (state === before) return;
    const change = { state, retryInMs: more.retryInMs ?? null, cause: more.cause ?? null };
    this.#actions.push({ t: 'changed', change });
  }

  /** Sends subscriptions that are due, and a ping after a while without other messages. */
  #sendDue(): void {
    this.#topics.retry(this.#now);
    while (this.#topics.hasUnsent && this.#allowance.take(this.#now)) {
      this.#send(this.#topics.nextUnsent());
    }
    const isDue = this.#now - this.#sentAt >= PING_MS;
    if (isDue && this.#allowance.take(this.#now)) this.#send({ t: 'ping' });
  }

  #send(message: object): void {
    this.#sentAt = this.#now;
    this.#actions.push({ t: 'send', text: JSON.stringify(message) });
  }
}
