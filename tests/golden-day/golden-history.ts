/** The golden day as history: pages, pages with a snapshot, estimates and exports, over REST. */

import assert from 'node:assert/strict';
import { zstdDecompressSync } from 'node:zlib';
import {
  address,
  type Estimate,
  type Fields,
  type Page,
} from '../../packages/server/testing/history/history-requests.ts';
import { RestService } from '../../packages/server/testing/rest/rest-service.ts';
import type { MemoryTrade } from '../../packages/server/testing/tape/memory-tape.ts';
import { type Digests, digestOf, Present } from './golden-digest.ts';
import { NOW, SYMBOL } from './golden-tape.ts';
import { GOLDEN_TOPICS, type GoldenTopic } from './golden-topics.ts';
import { pageLimitOf } from './page-limits.ts';

/** The compared fields of the header line; others may be added. */
const HEADER_FIELDS = [
  't',
  'version',
  'instrument',
  'contract',
  'tickSizeNanos',
  'indicator',
  'params',
  'mode',
  'from',
  'to',
  'lookBackFrom',
];
/** Sealed days and a part of the open day; both ends lie inside days and steps. */
const LONG = { from: '2026-11-09T14:30:30.507Z', to: '2026-11-11T15:30:10.251Z' };
const EXPORTED = { from: '2026-11-06T15:00:00.3Z', to: '2026-11-11T15:31:10.251Z' };
/** Ranges of whole seconds: dense ones, one across midnight, the open day, a quiet minute. */
const WINDOWS: readonly (readonly [string, string, 'live' | 'confirmed'])[] = [
  ['2026-11-09T14:30:00Z', '2026-11-09T14:30:01Z', 'live'],
  ['2026-11-10T15:00:07Z', '2026-11-10T15:00:10Z', 'live'],
  ['2026-11-10T23:59:57Z', '2026-11-11T00:00:03Z', 'live'],
  ['2026-11-11T15:30:11Z', '2026-11-11T15:30:31Z', 'live'],
  ['2026-11-11T15:35:00Z', '2026-11-11T15:36:00Z', 'live'],
  ['2026-11-10T15:00:00Z', '2026-11-11T00:00:01Z', 'confirmed'],
];

export async function historyDigests(trades: readonly MemoryTrade[]): Promise<Digests> {
  await using service = await RestService.start({ start: NOW });
  service.tape.commit(SYMBOL, trades, NOW);
  service.market.tapeTime = NOW;
  const asked = new GoldenHistory(service, await service.listen());
  for (const topic of GOLDEN_TOPICS) await asked.all(topic);
  assert.deepEqual(service.logged, [], 'nothing failed inside');
  return asked.digests;
}

class GoldenHistory {
  readonly digests: Digests = {};
  readonly #service: RestService;
  readonly #port: number;
  #key = '';

  constructor(service: RestService, port: number) {
    this.#service = service;
    this.#port = port;
  }

  async all({ name, indicator, params }: GoldenTopic): Promise<void> {
    const fields = { instrument: SYMBOL, indicator, params: JSON.stringify(params) };
    // A new account per topic, so that no limit applies.
    this.#key = await this.#service.customer('live_history');
    await this.#pages(name, fields, String(pageLimitOf(name)));
    for (const [from, to, mode] of WINDOWS) {
      const window = { ...fields, mode, from, to, snapshot: 'true', limit: '1000' };
      this.digests[`${name}: snapshot ${mode} ${from}`] = await this.#snapshot(window);
    }
    await this.#estimate(name, { ...fields, ...LONG });
    await this.#exports(name, fields);
  }

  async #pages(name: string, fields: Fields, limit: string): Promise<void> {
    const long = { ...fields, ...LONG, limit };
    const pages = await this.#walk(`${name}: pages`, long);
    const cursors = pages.flatMap(({ items }) => items.map(({ cursor }) => cursor));
    await this.#walk(`${name}: confirmed`, { ...long, mode: 'confirmed', limit: '500' });
    const openDay = { ...fields, instrument: 'ES.c.0', from: '2026-11-11' };
    await this.#walk(`${name}: open day`, { ...openDay, limit: '10000' });
    const untilCursor = cursors[Math.floor(cursors.length * 0.6)] ?? '20261110.100.0';
    const { from } = LONG;
    await this.#walk(`${name}: until`, { ...fields, from, untilCursor, limit: '10000' });
  }

  /** All pages, each with its end and its cost. */
  async #walk(name: string, fields: Fields): Promise<readonly Page[]> {
    const texts: string[] = [];
    const pages: Page[] = [];
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)!.next) {
      const { page, items } = await this.#page(cursor === '' ? fields : { ...fields, cursor });
      const { contract, tickSizeNanos, to, untilCursor, lookBackFrom, next, computeUnits } = page;
      const around = { contract, tickSizeNanos, to, untilCursor, lookBackFrom, next, computeUnits };
      texts.push(items, JSON.stringify(around));
      pages.push(page);
    }
    const count = pages.reduce((sum, { items }) => sum + items.length, 0);
    this.digests[name] = `${pages.length} pages, ${digestOf(count, texts.join('\n'))}`;
    return pages;
  }

  async #snapshot(fields: Fields): Promise<string> {
    const items = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { page } = await this.#page(cursor === '' ? fields : { ...fields, cursor });
      items.push(...page.items);
      cursor = page.next;
    }
    const state = new Present().changes(items);
    return digestOf(state.length - 1, JSON.stringify(state));
  }

  async #estimate(name: string, fields: Fields): Promise<void> {
    const { text } = await this.#ask('/v1/history/estimate', fields);
    const estimate = JSON.parse(text) as Estimate;
    const { computeUnits, trades, days, missingDaysTotal, lookBackFrom } = estimate;
    const told = { computeUnits, trades, days, missingDaysTotal, lookBackFrom };
    this.digests[`${name}: estimate`] = JSON.stringify(told);
  }

  async #exports(name: string, fields: Fields): Promise<void> {
    const whole = await this.#export({ ...fields, ...EXPORTED });
    this.digests[`${name}: export`] = exportDigest(whole.lines);
    // With the token, the same account gets the same lines from any line on.
    for (const share of [0.3, 0.9]) {
      const line = Math.floor(whole.lines.length * share);
      const resumed = await this.#export({ resume: whole.token, line: String(line) });
      assert.equal(
        resumed.lines.join(''),
        whole.lines.slice(line).join(''),
        `${name} from ${line}`,
      );
    }
    const day = { from: '2026-11-10', to: '2026-11-11', mode: 'confirmed' };
    const confirmed = await this.#export({ ...fields, ...day });
    this.digests[`${name}: export confirmed`] = exportDigest(confirmed.lines);
  }

  async #export(fields: Fields): Promise<{ readonly lines: string[]; readonly token: string }> {
    const { body, headers } = await this.#ask('/v1/export', fields);
    const text = body.length === 0 ? '' : zstdDecompressSync(body).toString();
    return { lines: text.match(/.*\n/g) ?? [], token: headers.get('x-export-token')! };
  }

  async #page(fields: Fields): Promise<{ readonly page: Page; readonly items: string }> {
    const { text } = await this.#ask('/v1/history', fields);
    const [from, to] = [text.indexOf('"items":['), text.lastIndexOf('],"next":')];
    assert.ok(from > 0 && to > from, text.slice(0, 500));
    return { page: JSON.parse(text) as Page, items: text.slice(from, to) };
  }

  async #ask(path: string, fields: Fields) {
    const url = `http://127.0.0.1:${this.#port}${address(path, fields)}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${this.#key}` } });
    const body = Buffer.from(await response.arrayBuffer());
    const text = path === '/v1/export' ? '' : body.toString();
    assert.equal(response.status, 200, `${url}: ${body}`);
    return { text, body, headers: response.headers };
  }
}

/** Digests the results byte by byte, and the compared fields of the other lines. */
function exportDigest(lines: readonly string[]): string {
  const header = JSON.parse(lines[0]!) as Record<string, unknown>;
  const known = Object.fromEntries(HEADER_FIELDS.map((field) => [field, header[field]]));
  const { t, items } = JSON.parse(lines.at(-1)!) as Record<string, unknown>;
  const results = lines.slice(1, -1).join('');
  return digestOf(lines.length - 2, JSON.stringify([known, { t, items }]) + results);
}
