/**
 * Attackers with history that occupy all slots for reads: exports read slowly, more parallel pages
 * than an account may have, responses never read, and pipelined requests.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { HttpClient, type HttpPlace, verdictOf } from './hostile-http.ts';
import { requestText, UnreadConnection } from './hostile-unread.ts';
import { type CrowdOrder, nameOf, type Tally } from './hostile-wire.ts';

const EXPORTS_EACH = 32;
/** Twice the number that an account may have open. */
const TABLES_EACH = 16;
const TABLE_FORMATS = ['parquet', 'arrow'];
const DRIP_BYTES_PER_SECOND = 1_024;
const AGAIN_MS = 2_000;
const PAGES_PER_SECOND = 4;
const PAGES_AT_ONCE = 40;
const UNREAD_EACH = 8;
const PIPELINED_EACH = 8;
const PIPELINED_REQUESTS = 50;
const FIRST_SIZE = 20_000_000;
/** Makes each export far larger than the kernel's buffers. */
const EXPORTED = { bar: 'tick', size: 1 };

export class HistoryAttackers {
  readonly #order: Extract<CrowdOrder, { readonly t: 'attackers' }>;
  readonly #tally: Tally;
  readonly #ending = new AbortController();
  readonly #exports = new Set<UnreadConnection>();
  readonly #unread = new Set<UnreadConnection>();
  readonly #clients: HttpClient[] = [];
  #pages = 0;
  #size = FIRST_SIZE;

  constructor(order: Extract<CrowdOrder, { readonly t: 'attackers' }>, tally: Tally) {
    this.#order = order;
    this.#tally = tally;
  }

  get held(): number {
    return this.#exports.size + this.#unread.size + this.#pages;
  }

  async come(): Promise<void> {
    const { port, historyKeys } = this.#order;
    for (const [index, key] of historyKeys.entries()) {
      const place = { port, key, localAddress: `127.9.1.${1 + index}` };
      for (let each = 0; each < EXPORTS_EACH; each += 1) void this.#drip(place, 'ndjson');
      for (let each = 0; each < TABLES_EACH; each += 1) {
        void this.#drip(place, TABLE_FORMATS[each % TABLE_FORMATS.length]!);
      }
      const page = this.#path('history', EXPORTED, { limit: '10000' });
      for (let each = 0; each < UNREAD_EACH; each += 1) {
        this.#leaveUnread(place, requestText(page, key));
      }
      for (let each = 0; each < PIPELINED_EACH; each += 1) {
        this.#leaveUnread(place, requestText(page, key, PIPELINED_REQUESTS));
      }
      void this.#askForPages(place);
    }
  }

  async leave(): Promise<void> {
    this.#ending.abort();
    await Promise.all([
      ...[...this.#exports].map((one) => this.#judge(one, 'exports')),
      ...[...this.#unread].map((one) => this.#judge(one, 'unread answers')),
    ]);
    for (const client of this.#clients) client[Symbol.dispose]();
  }

  /** Runs one export after the other, each until the server cuts it. */
  async #drip({ port, key, localAddress }: HttpPlace, format: string): Promise<void> {
    while (!this.#isOver) {
      const text = requestText(this.#path('export', EXPORTED, { format }), key);
      const bytesPerSecond = DRIP_BYTES_PER_SECOND;
      const one = new UnreadConnection({ port, localAddress, text, bytesPerSecond });
      this.#tally.add('history: exports asked for');
      this.#exports.add(one);
      const over = new Promise((resolve) => {
        this.#ending.signal.addEventListener('abort', resolve, { once: true });
      });
      while (one.status === null && !one.isGone && !this.#isOver) await this.#pause(AGAIN_MS);
      if (one.status === '200') await Promise.race([one.gone, over]);
      if (this.#isOver) return;
      this.#exports.delete(one);
      const isCut = one.status === '200' && one.isGone;
      this.#tally.add(isCut ? 'history: exports cut' : `history: export ${one.status}`);
      one.destroy();
      await this.#pause(AGAIN_MS);
    }
  }

  #leaveUnread({ port, localAddress }: HttpPlace, text: string): void {
    this.#unread.add(new UnreadConnection({ port, localAddress, text, bytesPerSecond: 0 }));
  }

  async #askForPages(place: HttpPlace): Promise<void> {
    const http = new HttpClient(place);
    this.#clients.push(http);
    for (; !this.#isOver; await this.#pause(1_000 / PAGES_PER_SECOND)) {
      if (this.#pages >= PAGES_AT_ONCE * this.#order.historyKeys.length) continue;
      this.#pages += 1;
      this.#size += 1;
      const params = { bar: 'tick', size: this.#size };
      void http
        .ask('GET', this.#path('history', params))
        .then((answer) => `page ${verdictOf(answer)}`)
        .catch((error: unknown) => `page ${nameOf(error)}`)
        .then((what) => {
          this.#pages -= 1;
          if (!this.#isOver) this.#tally.add(`history: ${what}`);
        });
    }
  }

  async #judge(one: UnreadConnection, what: string): Promise<void> {
    const isCut = await one.isCut();
    if (one.status === '200') this.#tally.add(`history: ${what} ${isCut ? 'cut' : 'still held'}`);
    else this.#tally.add(`history: ${what}, first answer ${one.status}`);
    one.destroy();
  }

  #path(route: string, params: object, more: Readonly<Record<string, string>> = {}): string {
    const { from, to } = this.#order;
    const query = { instrument: 'BTC.c.0', indicator: 'bars', params: JSON.stringify(params) };
    return `/v1/${route}?${new URLSearchParams({ ...query, from, to, ...more })}`;
  }

  get #isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  #pause(ms: number): Promise<void> {
    return pause(ms, undefined, { signal: this.#ending.signal }).catch(() => undefined);
  }
}
