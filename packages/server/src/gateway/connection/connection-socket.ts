/**
 * The thin shell around a connection's state machine: it carries out the machine's actions on a socket. Every frame of
 * the client counts towards its rate, control frames included. A client that is silent or sends too much is closed, and
 * its socket is destroyed within a second, whatever the peer does. A slow consumer gets ten seconds to read the close
 * frame. After the end nothing is written and no lease of the account is held.
 */

import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { CloseCode, CloseReason } from '@tapeloom/protocol/close-codes';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { AuthVerdict } from '../../accounts/auth/auth-throttle.ts';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { LeaseKind } from '../../accounts/limits/leases.ts';
import type { Flush } from '../../topics/flush.ts';
import { PagesAhead } from '../delivery/pages-ahead.ts';
import type { StartRefusal } from '../delivery/start-verdict.ts';
import type { StreamRequest } from '../delivery/stream-request.ts';
import { StreamSubscription, type SubscriptionOwner } from '../delivery/stream-subscription.ts';
import { frameFaultCode } from '../wire/frame-fault.ts';
import type { SendPermit } from '../wire/send-permit.ts';
import { SocketWriter, type WriterOwner } from '../wire/socket-writer.ts';
import type { AccountHolder } from './account-limits.ts';
import type { Connection } from './connection.ts';
import type { ConnectionAction, ConnectionEvent } from './connection-events.ts';
import { ConnectionLeases } from './connection-leases.ts';
import type { ConnectionServices } from './connection-services.ts';
import { Heartbeat } from './heartbeat.ts';
import { MessageRate } from './message-rate.ts';
import { momentOf } from './moment.ts';
import type { Parting } from './parting-sockets.ts';
import { Silence } from './silence.ts';
import type { StreamWebSocket } from './socket-settings.ts';

/** The `readyState` in which no close frame was sent or answered. */
const OPEN: typeof StreamWebSocket.OPEN = 1;
export const HEARTBEAT_MS = 5_000;
/** Shared by connections without subscriptions; must stay empty. */
const NO_SUBSCRIPTIONS = new Map<string, StreamSubscription>();

/** Observes the progress of a connection. */
export interface ConnectionWatcher {
  /** Its key or token was accepted. */
  proven(): void;
  gone(code: number): void;
}

export class ConnectionSocket implements SubscriptionOwner, WriterOwner {
  readonly #id = randomUUID();
  readonly #machine: Connection;
  readonly #webSocket: StreamWebSocket;
  readonly #services: ConnectionServices;
  readonly #writer: SocketWriter;
  readonly #leases: ConnectionLeases;
  readonly #rate: MessageRate;
  readonly #silence: Silence;
  /** By the client's names. A subscription that ends is removed before its last message is sent. */
  #subscriptions = NO_SUBSCRIPTIONS;
  #pagesAhead: PagesAhead | null = null;
  #heartbeat: Disposable | null = null;
  #authTimer: Disposable | null = null;
  /** Watches the key. */
  #watch: Disposable | null = null;
  #watcher: ConnectionWatcher | null = null;
  #address = '';
  #silenceTimer: Disposable | null = null;
  #isOver = false;
  #hasStreamed = false;
  /** Set when the connection is closed as a slow consumer. */
  #parting: Parting | null = null;
  /** The code we close with, null until we do. */
  #closeCode: number | null = null;

  constructor(
    machine: Connection,
    socket: Duplex,
    webSocket: StreamWebSocket,
    services: ConnectionServices,
  ) {
    const { leases, timers, onFault, limits } = services;
    this.#leases = new ConnectionLeases(leases, timers, this.#id, onFault);
    this.#machine = machine;
    this.#webSocket = webSocket;
    this.#services = services;
    this.#rate = new MessageRate(limits.messageRate);
    this.#silence = new Silence(timers.now(), limits.silenceMs);
    this.#writer = new SocketWriter(socket, this, services);
    webSocket.writer = this.#writer;
  }

  get permit(): SendPermit {
    return this.#writer.permit;
  }

  get pagesAhead(): PagesAhead {
    this.#pagesAhead ??= new PagesAhead();
    return this.#pagesAhead;
  }

  get isOpen(): boolean {
    return this.#webSocket.readyState === OPEN;
  }

  overflowed(): void {
    this.step({ t: 'overflow' });
  }

  peerClosed(): void {
    this.#end('dropped');
  }

  get number(): number {
    return this.#machine.number;
  }

  get caller(): Caller | null {
    return this.#machine.caller;
  }

  /** Whether the client has taken everything that exists for it at this moment. */
  get hasSentAll(): boolean {
    return this.#writer.isEmpty && this.#subscriptions.values().every(({ isLive }) => isLive);
  }

  /** Null when the connection holds no leases of an account. */
  get holder(): AccountHolder | null {
    const { caller, number, holdings } = this.#machine;
    if (caller === null || this.#isOver) return null;
    return { number, entitlements: caller.entitlements, subscriptions: holdings };
  }

  /** Attaches every listener, then opens: no message can slip through before. */
  start(authorization: string | undefined, address: string, watcher: ConnectionWatcher): void {
    const { counters, timers } = this.#services;
    counters.connections += 1;
    counters.connectionsTotal += 1;
    this.#watcher = watcher;
    this.#address = address;
    this.#webSocket.on('message', (data, isBinary) => {
      counters.messagesReceivedTotal += 1;
      if (!this.#hear()) return;
      this.step(isBinary ? { t: 'binary' } : this.#textEvent(String(data)));
    });
    this.#webSocket.on('ping', () => {
      if (this.#hear()) this.#writer.answeredControlFrame();
    });
    this.#webSocket.on('pong', () => this.#hear());
    // Bad frames and broken sockets: `ws` has chosen the close code already.
    this.#webSocket.on('error', (error) => {
      this.#closeCode ??= frameFaultCode(error);
      this.#end('dropped');
    });
    this.#webSocket.on('close', (code) => {
      this.#end('dropped');
      counters.connections -= 1;
      const told = this.#closeCode ?? code;
      counters.countClose(told);
      this.#parting?.[Symbol.dispose]();
      watcher.gone(told);
    });
    this.#heartbeat = new Heartbeat(timers, HEARTBEAT_MS, () => this.#beat());
    this.#awaitSilence();
    this.step({ t: 'opened', authorization, address });
  }

  /** Loads the key's current rights. They apply to later messages. */
  async refresh(): Promise<void> {
    const { caller } = this.#machine;
    if (caller === null || this.#isOver) return;
    try {
      const now = await this.#services.authenticator.refresh(caller.keyId);
      this.step({ t: 'rights-changed', caller: now });
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Ends charged catching up from history when the plan no longer covers history. */
  endUncovered(): void {
    const { clock } = this.#services;
    if (this.caller?.entitlements.historyFrom(clock.now()) !== null) return;
    const reply = { code: 'FORBIDDEN', message: 'Your plan no longer covers history.' } as const;
    for (const subscription of [...this.#subscriptions.values()]) {
      if (subscription.isCharged) this.failed(subscription, reply);
    }
  }

  /** Resolves when the leases reflect everything that this connection has done so far. */
  leasesSettled(): Promise<void> {
    return this.#leases.settled();
  }

  /** The name of the connection's lease, and the prefix of the names of its subscriptions' leases. */
  get id(): string {
    return this.#id;
  }

  /** Other connections have taken the lease of this connection, or of the subscription with this number. */
  loseLease(kind: LeaseKind, number: number): void {
    if (kind === 'connection') this.step({ t: 'admitted', isGranted: false });
    else this.step({ t: 'subscriptions-beyond', beyond: new Map([[number, kind]]) });
  }

  sendAway(): void {
    this.#close(CloseCode.tryAgainLater, 'The server is behind the tape');
  }

  /** An unproven connection whose slot others need: sends the close frame and destroys the socket at once. */
  giveWay(): void {
    this.#close(CloseCode.tryAgainLater, 'Too many connections without a key');
    this.#webSocket.terminate();
  }

  /** A socket that was already closed and is parting is destroyed at once. */
  endKey(): void {
    this.step({ t: 'key-ended' });
    this.#parting?.cut();
  }

  step(event: ConnectionEvent): void {
    for (const action of this.#machine.step(event)) {
      // Sending may have ended the connection: later actions must not start anything.
      if (!this.#isOver) this.#run(action);
    }
  }

  write(sub: string, mode: StreamMode, flush: Flush): void {
    if (!this.#hasStreamed && this.caller !== null) {
      this.#hasStreamed = true;
      this.#services.noteStreamed(this.caller.accountId);
    }
    this.#writer.write(sub, mode, flush);
  }

  send(message: ServerMessage): void {
    this.#writer.send(message);
  }

  begun({ sub }: StreamSubscription): void {
    this.step({ t: 'begun', sub, now: this.#services.clock.now() });
  }

  failed(subscription: StreamSubscription, reply: StartRefusal): void {
    // A subscription that has ended or was replaced sends nothing.
    if (this.#subscriptions.get(subscription.sub) !== subscription) return;
    this.step({ t: 'ended', sub: subscription.sub, reply });
  }

  #run(action: ConnectionAction): void {
    switch (action.t) {
      case 'judge':
        this.#judge(this.#services.authThrottle.byKey(this.#address, action.authorization));
        return;
      case 'consume-token':
        this.#judge(this.#services.authThrottle.byToken(this.#address, action.token));
        return;
      case 'admit':
        this.#admit(action.caller);
        return;
      case 'await-auth': {
        const { timers } = this.#services;
        const overdue = () => this.step({ t: 'auth-overdue' });
        this.#authTimer = timers.after(action.withinMs, overdue);
        return;
      }
      case 'send':
        this.#writer.send(action.message);
        return;
      case 'lease':
        void this.#leases
          .take(action.number, action.configuration, action.entitlements)
          .then((refused) => this.step({ t: 'leased', number: action.number, refused }));
        return;
      case 'release':
        this.#leases.release(action.number, action.what);
        return;
      case 'subscribe':
        this.#subscribe(action.sub, action.number, action.request);
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

  #judge(judging: Promise<AuthVerdict>): void {
    judging.then(
      (authentication) => this.step({ t: 'judged', authentication }),
      (error: unknown) => this.#fail(error),
    );
  }

  #admit(caller: Caller): void {
    const { authenticator, authThrottle, noteKeyUse } = this.#services;
    this.#watch = authenticator.watch(caller);
    this.#watcher?.proven();
    const { granted, retryAfterSeconds } = authThrottle.connects(caller);
    if (!granted) {
      this.step({ t: 'connects-exceeded', retryAfterSeconds });
      return;
    }
    noteKeyUse(caller.keyId);
    this.#leases.connect(caller).then(
      (isGranted) => this.step({ t: 'admitted', isGranted }),
      (error: unknown) => this.#fail(error),
    );
  }

  /** The rights of this client cannot be checked now. */
  #fail(error: unknown): void {
    this.#services.onFault(error);
    this.#close(CloseCode.tryAgainLater, 'Try again later');
  }

  /** Counts a received frame; false when it exceeds the rate. */
  #hear(): boolean {
    const now = this.#services.timers.now();
    this.#silence.hear(now);
    if (this.#rate.take(now)) return true;
    this.step({ t: 'rate-exceeded' });
    return false;
  }

  #awaitSilence(): void {
    const { timers } = this.#services;
    const left = this.#silence.msLeft(timers.now());
    if (left === 0) this.step({ t: 'silent' });
    else this.#silenceTimer = timers.after(left, () => this.#awaitSilence());
  }

  #subscribe(sub: string, number: number, request: StreamRequest): void {
    const id = `${this.#id}.${number}`;
    const subscription = new StreamSubscription(id, request, this.#services, this);
    if (this.#subscriptions === NO_SUBSCRIPTIONS) this.#subscriptions = new Map();
    this.#subscriptions.set(sub, subscription);
    this.#services.counters.subscriptions += 1;
    subscription.begin();
  }

  #unsubscribe(sub: string): void {
    const subscription = this.#subscriptions.get(sub);
    if (subscription === undefined) return;
    this.#subscriptions.delete(sub);
    this.#services.counters.subscriptions -= 1;
    subscription.end();
    this.#writer.endSubscription(sub);
  }

  /** With a cursor of each subscription that can be resumed. */
  #beat(): void {
    const cursors = new Map<string, string>();
    for (const { sub, cursor } of this.#subscriptions.values()) {
      if (cursor !== null) cursors.set(sub, cursor);
    }
    this.step({ t: 'heartbeat', now: this.#services.clock.now(), cursors });
  }

  #textEvent(text: string): ConnectionEvent {
    const { hub, clock } = this.#services;
    return { t: 'text', text, ...momentOf(hub, clock) };
  }

  #close(code: CloseCode, reason: string): void {
    if (this.#isOver) return;
    this.#closeCode = code;
    // A slow consumer cannot read its pending output in time; a client that lost a right must not get it.
    const isDropped = code === CloseCode.tooSlow || code === CloseCode.forbidden;
    this.#end(isDropped ? 'dropped' : 'sent');
    const webSocket = this.#webSocket;
    if (reason === CloseReason.slowConsumer) {
      webSocket.waitsAtClose = true;
      this.#parting = this.#services.partingSockets.enter(() => webSocket.terminate());
    }
    webSocket.close(code, reason);
  }

  /** Stops everything that could still write. */
  #end(rest: 'sent' | 'dropped'): void {
    if (this.#isOver) return;
    this.#writer.end({ rest });
    this.#isOver = true;
    for (const held of [this.#heartbeat, this.#authTimer, this.#silenceTimer, this.#watch]) {
      held?.[Symbol.dispose]();
    }
    for (const sub of [...this.#subscriptions.keys()]) this.#unsubscribe(sub);
    this.#leases.end();
  }
}
