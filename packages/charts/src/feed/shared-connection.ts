/**
 * One connection for all charts of a page. A hidden page gives its stream up after a minute, at once if the plan has one
 * connection, and resumes by cursor. When a session or its rights end, subscriptions keep their places until `resume`.
 */

import type { ConnectionChange } from '@tapeloom/client';
import type { ClientClock } from '@tapeloom/client/stream';
import { CloseCode, CloseReason } from '@tapeloom/protocol/close-codes';
import { HeldSubscription } from './held-subscription.ts';
import type { FeedPast, FeedSources, FeedSubscription, SharedState } from './sources.ts';
import { TabClaim, type TabsPort } from './tab-claim.ts';

export type { SharedState } from './sources.ts';
export type { TabsPort } from './tab-claim.ts';

/** How long a hidden page keeps its stream, if the plan has more connections than one. */
export const HIDDEN_MS = 60_000;

/** What the connection needs of `TapeloomClient`. */
export interface StreamingClient extends FeedSources {
  close(): Promise<void>;
}

/** Whether the page is visible. */
export interface VisibilityPort {
  readonly isHidden: boolean;
  listen(hear: () => void): () => void;
}

export interface SharedConnectionOptions {
  /** A fresh stream token. An error with `status` 401 means that the session has ended. */
  readonly token: () => Promise<string>;
  readonly client: (token: () => Promise<string>) => StreamingClient;
  readonly clock: ClientClock;
  /** Of the plan. */
  readonly connectionsMax: number;
  readonly visibility?: VisibilityPort;
  readonly tabs?: TabsPort;
  /** What tabs compete for: equal in all tabs of one account. */
  readonly account?: string;
}

export interface SharedConnectionPort extends FeedSources {
  readonly state: SharedState;
  onState(hear: (state: SharedState) => void): () => void;
  /** Attempts to connect now instead of after the wait. */
  tryNow(): void;
  /** Asks the tab that has the connection to let it go, and takes it then. */
  useHere(): void;
  /** After a new sign-in or a change of plan. */
  resume(): void;
  close(): Promise<void>;
}

/** What stands against streaming. `full`: the service has refused for too long. */
type Bar = 'none' | 'hidden' | 'other-tab' | 'full' | 'signed-out' | 'ended';

export class SharedConnection implements SharedConnectionPort {
  readonly #options: SharedConnectionOptions;
  readonly #client: StreamingClient;
  readonly #held = new Set<HeldSubscription>();
  readonly #hears = new Set<(state: SharedState) => void>();
  readonly #claim: TabClaim | null;
  readonly #deaf: (() => void)[] = [];
  readonly sessions?: NonNullable<FeedSources['sessions']>;
  /** Of the plan; changes with it. */
  connectionsMax: number;
  #state: SharedState = { t: 'idle' };
  #bar: Bar = 'none';
  /** This tab has the account's only connection. */
  #isClaimed = false;
  #endedWith = '';
  #lostAtMs: number | null = null;
  #hiding: { cancel(): void } | null = null;
  #isClosed = false;

  constructor(options: SharedConnectionOptions) {
    const { client, tabs, account = '', visibility, connectionsMax } = options;
    this.#options = options;
    this.connectionsMax = connectionsMax;
    this.#client = client(() => this.#token());
    const sessions = this.#client.sessions?.bind(this.#client);
    if (sessions !== undefined) this.sessions = sessions;
    this.#claim =
      tabs === undefined
        ? null
        : new TabClaim({
            ...{ tabs, name: `tapeloom.stream.${account}` },
            onChange: (state) => this.#claimed(state),
            onGiven: () => this.#given(),
          });
    this.#deaf.push(this.#client.on('connection', (change) => this.#changed(change)));
    if (visibility !== undefined) {
      this.#deaf.push(visibility.listen(() => this.#seen()));
      if (visibility.isHidden) this.#seen();
    }
  }

  get state(): SharedState {
    return this.#state;
  }

  onState(hear: (state: SharedState) => void): () => void {
    this.#hears.add(hear);
    return () => this.#hears.delete(hear);
  }

  get connection(): FeedSources['connection'] {
    return this.#client.connection;
  }

  on(...given: Parameters<FeedSources['on']>): () => void {
    return this.#client.on(...given);
  }

  subscribe(request: Parameters<FeedSources['subscribe']>[0]): FeedSubscription {
    const held: HeldSubscription = new HeldSubscription({
      ...{ request, client: this.#client },
      isOfConnection: () => this.#client.connection === 'stopped' || this.#bar !== 'none',
      onClose: () => {
        this.#held.delete(held);
        if (this.#held.size > 0) return;
        this.#isClaimed = false;
        this.#claim?.leave();
      },
    });
    this.#held.add(held);
    this.#stream();
    return held;
  }

  history(...given: Parameters<FeedSources['history']>): FeedPast {
    return this.#client.history(...given);
  }

  estimate(...given: Parameters<FeedSources['estimate']>): ReturnType<FeedSources['estimate']> {
    return this.#client.estimate(...given);
  }

  usage(...given: Parameters<FeedSources['usage']>): ReturnType<FeedSources['usage']> {
    return this.#client.usage(...given);
  }

  instruments(
    ...given: Parameters<FeedSources['instruments']>
  ): ReturnType<FeedSources['instruments']> {
    return this.#client.instruments(...given);
  }

  tryNow(): void {
    if (this.#bar !== 'none') return;
    this.#pause();
    this.#stream();
  }

  useHere(): void {
    if (this.#bar === 'full') this.#bar = 'none';
    if (this.#needsClaim) this.#claim?.ask();
    this.#stream();
  }

  resume(): void {
    if (this.#bar === 'hidden') return;
    this.#bar = 'none';
    this.#pause();
    this.#stream();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#deaf) stop();
    this.#hiding?.cancel();
    this.#claim?.close();
    await this.#client.close();
  }

  async #token(): Promise<string> {
    try {
      return await this.#options.token();
    } catch (error) {
      const { status, code } = (error ?? {}) as {
        readonly status?: unknown;
        readonly code?: unknown;
      };
      // A microtask later, since the client is in the middle of its attempt.
      if (status === 401 || code === 'UNAUTHORIZED') queueMicrotask(() => this.#stop('signed-out'));
      throw error;
    }
  }

  /** A plan of one connection gives it to one tab. */
  get #needsClaim(): boolean {
    return this.#claim !== null && this.connectionsMax === 1;
  }

  /** Opens what waits, if nothing stands against it. */
  #stream(): void {
    if (this.#isClosed || this.#held.size === 0) return;
    if (this.#bar !== 'none' && this.#bar !== 'other-tab') return;
    if (this.#needsClaim) this.#claim!.want();
    if (this.#needsClaim && !this.#isClaimed) {
      if (this.#state.t === 'idle') this.#set({ t: 'connecting' });
      return;
    }
    this.#bar = 'none';
    for (const held of this.#held) held.open();
  }

  #claimed(state: 'held' | 'waiting'): void {
    this.#isClaimed = state === 'held';
    if (state === 'waiting') this.#stop('other-tab');
    else this.#stream();
  }

  /** The reader of another tab wants it there. This tab waits for its next turn. */
  #given(): void {
    this.#isClaimed = false;
    this.#stop('other-tab');
    this.#claim!.want();
  }

  #pause(): void {
    for (const held of this.#held) held.pause();
  }

  #stop(bar: Exclude<Bar, 'none'>): void {
    if (this.#isClosed) return;
    this.#bar = bar;
    this.#pause();
    this.#lostAtMs = null;
    switch (bar) {
      case 'hidden':
        this.#set({ t: 'paused' });
        return;
      case 'ended':
        this.#set({ t: 'ended', code: this.#endedWith });
        return;
      case 'signed-out':
        this.#set({ t: 'signed-out' });
        return;
      default:
        this.#set({ t: 'other-tab' });
    }
  }

  /** The page was hidden, or is seen again. */
  #seen(): void {
    const { visibility, clock } = this.#options;
    this.#hiding?.cancel();
    this.#hiding = null;
    if (visibility!.isHidden) {
      const waitMs = this.connectionsMax === 1 ? 0 : HIDDEN_MS;
      if (waitMs === 0) this.#hide();
      else this.#hiding = clock.after(waitMs, () => this.#hide());
      return;
    }
    if (this.#bar === 'hidden' || this.#bar === 'full') this.#bar = 'none';
    this.#stream();
  }

  #hide(): void {
    this.#hiding = null;
    if (this.#bar === 'signed-out' || this.#bar === 'ended') return;
    this.#stop('hidden');
    this.#isClaimed = false;
    this.#claim?.leave();
  }

  #changed({ state, retryInMs, cause }: ConnectionChange): void {
    // What a paused connection does is not worth a word.
    if (this.#bar !== 'none') return;
    const isFull = cause?.code === CloseCode.tooManyConnections;
    switch (state) {
      case 'open':
        this.#lostAtMs = null;
        this.#set({ t: 'open' });
        return;
      case 'waiting':
        // The client tries again every few seconds, and comes in when there is room.
        this.#lostAtMs ??= this.#options.clock.now();
        this.#set(isFull ? { t: 'other-tab' } : { t: 'lost', atMs: this.#lostAtMs, retryInMs });
        return;
      case 'connecting':
        if (this.#lostAtMs === null) this.#set({ t: 'connecting' });
        return;
      case 'stopped':
        this.#stopped(cause?.code ?? 0, cause?.reason ?? '');
        return;
      case 'idle':
        if (this.#held.size === 0) this.#set({ t: 'idle' });
        return;
      default:
        state satisfies never;
    }
  }

  #stopped(code: number, reason: string): void {
    if (code === CloseCode.tooManyConnections) {
      this.#stop('full');
      return;
    }
    const isSignedOut =
      code === CloseCode.unauthorized ||
      (code === CloseCode.forbidden && reason === CloseReason.keyRevoked);
    this.#endedWith = reason === '' ? String(code) : reason;
    this.#stop(isSignedOut ? 'signed-out' : 'ended');
  }

  #set(state: SharedState): void {
    this.#state = state;
    for (const hear of this.#hears) hear(state);
  }
}
