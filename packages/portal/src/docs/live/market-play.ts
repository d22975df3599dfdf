/** The single connection of a live part: opened on request, replaced by the next, closed when the page is hidden. */

import { StreamClient } from '@tapeloom/client/stream';
import { portalApi } from '../../api/portal-api.ts';
import { Changes } from './live-changes.ts';
import { type LiveRequest, LiveStream } from './live-stream.ts';
import { failureText } from './live-words.ts';

/** The close code for more connections than the plan allows. */
const TOO_MANY = 4029;

export type Stage =
  | { readonly t: 'opening' }
  | { readonly t: 'open' }
  /** Disconnected; the library retries by itself. */
  | { readonly t: 'waiting'; readonly text: string }
  | { readonly t: 'hidden' }
  | { readonly t: 'closed' }
  | { readonly t: 'failed'; readonly text: string };

/** The outside world, which tests replace. */
export interface MarketWorld {
  readonly token: () => Promise<string>;
  readonly client: (token: () => Promise<string>) => StreamClient;
}

const BROWSER: MarketWorld = {
  token: async () => (await portalApi.streamToken()).token,
  client: (token) => new StreamClient({ url: location.origin, token }),
};

export class MarketPlay {
  readonly changes = new Changes();
  readonly #world: MarketWorld;
  stream: LiveStream | null = null;
  stage: Stage = { t: 'closed' };
  #client: StreamClient | null = null;
  #request: LiveRequest | null = null;
  /** Identifies the present opening: results of earlier ones are ignored. */
  #turn = 0;

  constructor(world: MarketWorld = BROWSER) {
    this.#world = world;
  }

  get isRunning(): boolean {
    return this.stage.t === 'opening' || this.stage.t === 'open' || this.stage.t === 'waiting';
  }

  open(request: LiveRequest): void {
    this.#request = request;
    void this.#open(request);
  }

  reopen(): void {
    if (this.#request !== null) void this.#open(this.#request);
  }

  hide(): void {
    if (this.isRunning) this.#end({ t: 'hidden' });
  }

  close(): void {
    if (this.isRunning) this.#end({ t: 'closed' });
  }

  async #open(request: LiveRequest): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    const before = this.#client;
    this.#client = null;
    this.#set({ t: 'opening' });
    // An account may have a single connection, so the old one closes first.
    await before?.close();
    let first: string | null;
    try {
      first = await this.#world.token();
    } catch (error) {
      if (turn === this.#turn) this.#set({ t: 'failed', text: failureText(error) });
      return;
    }
    if (turn !== this.#turn) return;
    const client = this.#world.client(async () => {
      const token = first ?? (await this.#world.token());
      first = null;
      return token;
    });
    this.#client = client;
    client.on('connection', ({ state, cause }) => {
      if (turn !== this.#turn) return;
      if (state === 'open') this.#set({ t: 'open' });
      if (state === 'waiting') this.#set({ t: 'waiting', text: waitingText(cause?.code) });
    });
    const stream = new LiveStream(client, request, () => this.changes.tell());
    this.stream = stream;
    void stream.failed.then((error) => {
      if (turn === this.#turn) this.#end({ t: 'failed', text: failureText(error) });
    });
  }

  #end(stage: Stage): void {
    this.#turn += 1;
    const client = this.#client;
    this.#client = null;
    this.#set(stage);
    void client?.close();
  }

  #set(stage: Stage): void {
    this.stage = stage;
    this.changes.tell();
  }
}

function waitingText(code: number | undefined): string {
  return code === TOO_MANY
    ? 'All connections of your plan are in use. Close one in another tab or program; this page retries for two minutes.'
    : 'The connection was lost. This page reconnects and resumes.';
}
