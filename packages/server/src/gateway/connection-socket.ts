/**
 * The thin shell around a connection's machine: it carries out what the machine orders, on a socket.
 *
 * All that is written in one turn of the event loop leaves in one write, unless it is a lot. Data frames go straight to the
 * raw socket, prepared by us; `ws` reads frames, and writes control frames to the same socket, so the
 * order of both is kept. Little waits on the socket: what a reader that is behind does not take yet
 * stays in the outbox, where versions are skipped, and moves on as the socket drains. The bytes waiting
 * in both never reach their limit: a reader that is too slow is closed, and its socket destroyed a
 * second later whatever the peer does. Snapshots are pulled one at a time and only while little waits,
 * so that a healthy reader is never taken for a slow one.
 */

import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { CloseCode } from '@tapeloom/protocol/close-codes';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { WebSocket } from 'ws';
import type { Authentication, Authenticator, RightsChange } from '../accounts/authenticator.ts';
import type { Caller } from '../accounts/caller.ts';
import type { Leases } from '../accounts/leases.ts';
import type { Clock } from '../platform/clock.ts';
import type { EncodedFrames, Flush, MessageFrame } from '../topics/flush.ts';
import { textFrame } from '../topics/text-frame.ts';
import type { TopicHub } from '../topics/topic-hub.ts';
import type { Connection } from './connection.ts';
import type { ConnectionAction, ConnectionEvent } from './connection-events.ts';
import { ConnectionLeases } from './connection-leases.ts';
import { frameFaultCode } from './frame-fault.ts';
import type { GatewayCounters } from './gateway-metrics.ts';
import { OUTBOX_LIMITS, Outbox } from './outbox.ts';
import type { StreamRequest } from './stream-request.ts';
import { StreamSubscription, type SubscriptionOwner } from './stream-subscription.ts';

/** Held back for one write at most; beyond, the socket gets it at once, so that only what the peer
 * does not take counts as waiting. */
const HELD_BYTES_MAX = 65_536;
const HEARTBEAT_MS = 5_000;

export interface ConnectionServices {
  readonly hub: TopicHub;
  readonly authenticator: Authenticator;
  readonly leases: Leases;
  /** The service's time. */
  readonly clock: Pick<Clock, 'now'>;
  /** Real time, in which clients are waited for and accounts counted. */
  readonly timers: Clock;
  /** A connection was opened with this key, or with a token of it. */
  readonly noteKeyUse: (keyId: string) => void;
  readonly counters: GatewayCounters;
  /** Reports a fault of ours. */
  readonly onFault: (error: unknown) => void;
  /** Calls `socket.release()` at the end of this turn of the event loop. */
  readonly releaseSoon: (connection: ConnectionSocket) => void;
}

export class ConnectionSocket implements SubscriptionOwner {
  readonly #machine: Connection;
  readonly #socket: Duplex;
  readonly #webSocket: WebSocket;
  readonly #services: ConnectionServices;
  readonly #subscriptions = new Map<string, StreamSubscription>();
  readonly #leases: ConnectionLeases;
  /** Timers, and the watch over the key. */
  readonly #resources = new DisposableStack();
  /** Subscriptions whose snapshot is still to be asked for, and the one it was asked for. */
  readonly #toPull = new Set<StreamSubscription>();
  #pulled: StreamSubscription | null = null;
  readonly #outbox = new Outbox();
  #isHeld = false;
  #isOver = false;
  /** The code we close with, null until we do. */
  #closeCode: number | null = null;

  constructor(
    machine: Connection,
    socket: Duplex,
    webSocket: WebSocket,
    services: ConnectionServices,
  ) {
    const { leases, timers, onFault } = services;
    this.#leases = new ConnectionLeases(leases, timers, randomUUID(), onFault);
    this.#machine = machine;
    this.#socket = socket;
    this.#webSocket = webSocket;
    this.#services = services;
  }

  /** Attaches every listener, then opens: no message can slip through before. */
  start(authorization: string | undefined, address: string, gone: () => void): void {
    const { counters, timers } = this.#services;
    counters.connections += 1;
    counters.connectionsTotal += 1;
    this.#webSocket.on('message', (data, isBinary) => {
      counters.messagesReceivedTotal += 1;
      this.step(isBinary ? { t: 'binary' } : this.#textEvent(String(data)));
    });
    // `ws` answers control frames by itself, past the outbox.
    this.#webSocket.on('ping', () => {
      if (this.#socket.writableLength >= OUTBOX_LIMITS.bytesMax) this.step({ t: 'overflow' });
    });
    // Bad frames and broken sockets: `ws` has chosen the close code already.
    this.#webSocket.on('error', (error) => {
      this.#closeCode ??= frameFaultCode(error);
      this.#end();
    });
    this.#webSocket.on('close', (code) => {
      this.#end();
      counters.connections -= 1;
      counters.countClose(this.#closeCode ?? code);
      gone();
    });
    this.#socket.on('drain', () => {
      this.#moveOn();
      this.#pull();
    });
    this.#resources.use(timers.every(HEARTBEAT_MS, () => this.#beat()));
    this.step({ t: 'opened', authorization, address });
  }

  /** Told of every key and account; whether it concerns this connection is seen here. */
  rightsChanged(change: RightsChange): void {
    const { caller } = this.#machine;
    if (caller === null || this.#isOver) return;
    if (change.t === 'key-ended') {
      if (change.keyId === caller.keyId) this.step({ t: 'key-ended' });
    } else if (change.accountId === caller.accountId) this.#refresh(caller.keyId);
  }

  /** Resolves when the account's counts show what this connection has done so far. */
  leasesSettled(): Promise<void> {
    return this.#leases.settled();
  }

  step(event: ConnectionEvent): void {
    for (const action of this.#machine.step(event)) {
      // Sending may have ended the connection: what was to follow must not start anything.
      if (!this.#isOver) this.#run(action);
    }
  }

  /** A flush is one write, shared by all equal subscriptions, or goes message by message when the
   * reader is behind. */
  write(sub: string, mode: StreamMode, flush: Flush): void {
    if (this.#isOver) return;
    const frames = flush.framesFor(sub, mode);
    if (frames === null) return;
    this.#makeRoom(frames.bytes.length);
    if (this.#outbox.lets(frames.bytes.length, this.#socket.writableLength)) this.#put(frames);
    else for (const message of flush.messagesFor(sub, mode)) this.#pass(message);
  }

  /** Lets go what was written in this turn. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.uncork();
  }

  becameReady(subscription: StreamSubscription): void {
    this.#toPull.add(subscription);
    this.#pull();
  }

  gotSnapshot(subscription: StreamSubscription): void {
    if (this.#pulled === subscription) this.#pulled = null;
    this.#pull();
  }

  statusChanged(sub: string, state: StreamState, lagMs: number): void {
    this.step({ t: 'status', sub, state, lagMs });
  }

  ended(sub: string, code: ErrorCode, message: string): void {
    this.step({ t: 'ended', sub, reply: { code, message } });
  }

  #run(action: ConnectionAction): void {
    switch (action.t) {
      case 'judge':
        this.#judge(this.#services.authenticator.authenticate(action.authorization));
        return;
      case 'consume-token':
        this.#judge(this.#services.authenticator.consumeToken(action.token));
        return;
      case 'admit':
        this.#admit(action.caller);
        return;
      case 'await-auth': {
        const { timers } = this.#services;
        const overdue = () => this.step({ t: 'auth-overdue' });
        this.#resources.use(timers.after(action.withinMs, overdue));
        return;
      }
      case 'send':
        this.#send(action.message);
        return;
      case 'lease':
        void this.#leases
          .take(action.number, action.configuration, action.limits)
          .then((refused) => this.step({ t: 'leased', number: action.number, refused }));
        return;
      case 'release':
        this.#leases.release(action.number, action.what);
        return;
      case 'subscribe':
        this.#subscribe(action.sub, action.request);
        return;
      case 'unsubscribe':
        this.#unsubscribe(action.sub);
        return;
      case 'replay':
        for (const event of action.events) this.step(event);
        return;
      case 'close':
        this.#close(action.code, action.reason);
        return;
      default:
        action satisfies never;
    }
  }

  #judge(judging: Promise<Authentication>): void {
    judging.then(
      (authentication) => this.step({ t: 'judged', authentication }),
      (error: unknown) => this.#fail(error),
    );
  }

  #admit(caller: Caller): void {
    const { authenticator, noteKeyUse } = this.#services;
    this.#resources.use(authenticator.watch(caller));
    noteKeyUse(caller.keyId);
    this.#leases.connect(caller).then(
      (isGranted) => this.step({ t: 'admitted', isGranted }),
      (error: unknown) => this.#fail(error),
    );
  }

  #refresh(keyId: string): void {
    this.#services.authenticator.refresh(keyId).then(
      (caller) => this.step({ t: 'rights-changed', caller }),
      (error: unknown) => this.#fail(error),
    );
  }

  /** Nobody can tell now whether this client may connect. */
  #fail(error: unknown): void {
    this.#services.onFault(error);
    this.#close(CloseCode.tryAgainLater, 'Try again later');
  }

  #send(message: ServerMessage): void {
    if (message.t === 'error') this.#services.counters.countError(message.code);
    const sub = ('sub' in message ? message.sub : null) ?? null;
    const bytes = textFrame(JSON.stringify(message));
    this.#pass({ kind: message.t, sub, id: '', bytes });
  }

  #pass(message: MessageFrame): void {
    if (this.#isOver) return;
    this.#makeRoom(message.bytes.length);
    const verdict = this.#outbox.pass(message, this.#socket.writableLength);
    if (verdict === 'at-once') this.#put({ bytes: message.bytes, messages: 1 });
    else if (verdict === 'over') this.step({ t: 'overflow' });
  }

  /** What the peer takes at once does not wait: it is let go before the rest is measured. */
  #makeRoom(bytes: number): void {
    if (this.#socket.writableLength + bytes > HELD_BYTES_MAX) this.release();
  }

  #put({ bytes, messages }: EncodedFrames): void {
    // The peer has said goodbye and `ws` has answered it: no frame may follow a close frame.
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) {
      this.#end();
      return;
    }
    this.#services.counters.messagesSentTotal += messages;
    this.#services.counters.bytesSentTotal += bytes.length;
    if (!this.#isHeld) {
      this.#isHeld = true;
      this.#socket.cork();
      this.#services.releaseSoon(this);
    }
    this.#socket.write(bytes);
  }

  /** Gives the socket what the outbox holds, as far as the peer takes it. When this ends with something
   * still held, so much waits on the socket that another `drain` will come. */
  #moveOn(): void {
    for (;;) {
      const frames = this.#outbox.take(this.#socket.writableLength);
      if (frames === null) return;
      this.#put(frames);
      this.release();
    }
  }

  #subscribe(sub: string, request: StreamRequest): void {
    const subscription = new StreamSubscription(sub, request.mode, request.depth, this);
    const attachment = this.#services.hub.attach(request.spec, subscription);
    if ('code' in attachment) {
      this.step({ t: 'ended', sub, reply: attachment });
      return;
    }
    subscription.attachment = attachment;
    this.#subscriptions.set(sub, subscription);
    this.#services.counters.subscriptions += 1;
    const { key, state, lagMs, ready } = attachment.topic;
    this.step({ t: 'attached', sub, topic: key, state, lagMs });
    if (ready) this.becameReady(subscription);
  }

  #unsubscribe(sub: string): void {
    const subscription = this.#subscriptions.get(sub);
    if (subscription === undefined) return;
    this.#subscriptions.delete(sub);
    this.#services.counters.subscriptions -= 1;
    subscription.attachment?.detach();
    this.#outbox.endSubscription(sub);
    this.#toPull.delete(subscription);
    if (this.#pulled !== subscription) return;
    this.#pulled = null;
    this.#pull();
  }

  #pull(): void {
    if (this.#isOver || this.#pulled !== null) return;
    if (!this.#outbox.lets(0, this.#socket.writableLength)) return;
    const [next] = this.#toPull;
    if (next === undefined) return;
    this.#toPull.delete(next);
    this.#pulled = next;
    next.attachment?.requestSnapshot();
  }

  #beat(): void {
    const cursors = new Map<string, string>();
    for (const { sub, cursor } of this.#subscriptions.values()) {
      if (cursor !== null) cursors.set(sub, cursor);
    }
    const ts = this.#services.clock.now().toString();
    this.step({ t: 'heartbeat', ts, cursors });
  }

  #textEvent(text: string): ConnectionEvent {
    const now = this.#services.clock.now();
    return { t: 'text', text, now, tapeTime: this.#services.hub.tapeTime ?? now };
  }

  #close(code: CloseCode, reason: string): void {
    if (this.#isOver) return;
    // Whoever is too slow will not read it in the time that remains, whoever lost a right must not.
    const isDropped = code === CloseCode.tooSlow || code === CloseCode.forbidden;
    const rest = isDropped ? null : this.#outbox.takeAll();
    if (rest !== null) this.#put(rest);
    this.#closeCode = code;
    this.#end();
    this.#webSocket.close(code, reason);
  }

  /** Stops everything that could still write. */
  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#resources.dispose();
    this.#outbox.clear();
    for (const sub of [...this.#subscriptions.keys()]) this.#unsubscribe(sub);
    this.#leases.end();
  }
}
