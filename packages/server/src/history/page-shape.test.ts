/** The form and the size of a page, over invented days. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { BlockWriter } from '../blocks/block-writer.ts';
import { memoryOf } from '../platform/threads/thread.ts';
import type { DaysPage, DaysRead, SettledDaysRequest } from '../results/settled-days.ts';
import type { CoveredQuery } from './covered-query.ts';
import { type HistoryPage, HistoryPages } from './history-pages.ts';
import type { HistoryQuery } from './history-query.ts';

const DAY = utcDay(20261112);

/** So many days, each with so many lines of about so many bytes. */
class Days {
  readonly #days: number;
  readonly #lines: number;
  readonly #text: string;
  readonly #trades: number;
  /** Days that were computed. */
  made = 0;
  closed = 0;

  constructor(days: number, lines: number, lineBytes: number, trades = 10) {
    this.#days = days;
    this.#lines = lines;
    this.#text = 'ü'.repeat(lineBytes / 2);
    this.#trades = trades;
  }

  async tradesAfter(): Promise<number> {
    return 0;
  }

  async read({ from }: SettledDaysRequest): Promise<DaysRead> {
    let day = dayOf(from);
    return {
      next: async () => {
        if (day >= addDays(DAY, this.#days)) return null;
        this.made += 1;
        const result = this.#result(day);
        day = addDays(day, 1);
        return result;
      },
      [Symbol.asyncDispose]: async () => {
        this.closed += 1;
      },
    };
  }

  #result(day: UtcDay): DaysPage {
    const lines = new BlockWriter();
    const data = { text: this.#text };
    for (let rank = 1; rank <= this.#lines; rank += 1) {
      lines.upsert(
        { id: `${day}.${rank}`, final: true, ts: '1', data },
        { day, rank, k: 1 } as never,
        rank,
      );
    }
    const blocks = [lines.take(day).parts];
    const about = { day, rank: this.#trades, isDayOver: true, isWarm: true, skipped: 0 };
    const parts = [{ ...about, updates: this.#lines, blocks, tail: null }];
    const position = { day: addDays(day, 1), rank: 0 as Rank, k: 0 };
    return { parts, frames: new Uint8Array(0), position, isLast: false };
  }
}

function covered(days: number, rest: Partial<HistoryQuery> = {}): CoveredQuery {
  const query: HistoryQuery = {
    instrument: 'ES.c.0',
    contract: 'ESZ6',
    tickSizeNanos: 250_000_000,
    indicator: 'bars',
    params: {},
    depth: 1,
    computeUnitsPerTrade: 3,
    mode: 'live',
    hasSnapshot: false,
    format: 'ndjson',
    from: epochNs(DAY, 0),
    to: epochNs(addDays(DAY, days), 0),
    untilCursor: null,
    cursor: null,
    limit: 1_000,
    ...rest,
  };
  const coverage = {
    days: [],
    trades: 7,
    missingDays: [],
    gaps: [],
    missingLookBack: null,
    lookBackFrom: null,
    inputs: '',
    sealed: null,
  };
  const { from: start, to: until } = query;
  const range = { start, until, publishedUntil: until, isEndFixed: true };
  return { query, ...range, trades: 7, computeUnits: 21, coverage };
}

async function pageOf(days: Days, query: CoveredQuery): Promise<HistoryPage> {
  const replays = {
    open: async () => {
      throw new Error('not asked for');
    },
  };
  const pages = new HistoryPages({ days, replays, engineFingerprint: 'abc' });
  return await pages.page(query, 'account');
}

test('a page names what was read, its trades times what a trade costs, and its items are the very lines [COUNT-14]', async () => {
  const page = await pageOf(new Days(1, 2, 4), covered(1));
  const item = (rank: number) =>
    `{"t":"upsert","cursor":"20261112.${rank}.1","id":"20261112.${rank}","final":true,"ts":"1","data":{"text":"üü"}}`;
  assert.equal(
    page.bytes.toString(),
    '{"instrument":"ES.c.0","contract":"ESZ6","tickSizeNanos":250000000,"engineFingerprint":"abc",' +
      `"to":"1794528000000000000","lookBackFrom":null,"items":[${item(1)},${item(2)}],"next":null,"computeUnits":21}`,
  );
  assert.deepEqual([page.items, page.trades, page.computeUnits], [2, 7, 21]);
  const empty = await pageOf(new Days(1, 0, 4), covered(1, { untilCursor: '20261112.5.0' }));
  assert.match(
    empty.bytes.toString(),
    /"untilCursor":"20261112.5.0","lookBackFrom":null,"items":\[\],"next":null/,
  );
});

test('a page of footprints has 5,400 at most, others what was asked for [HIST-04]', async () => {
  const large = { limit: 10_000 };
  const footprints = await pageOf(
    new Days(1, 6_000, 2),
    covered(1, { ...large, indicator: 'footprint' }),
  );
  assert.deepEqual([footprints.items, footprints.next], [5_400, '20261112.5400.1']);
  const bars = await pageOf(new Days(1, 6_000, 2), covered(1, large));
  assert.deepEqual([bars.items, bars.next], [6_000, null]);
});

test('no page is larger than 16 MiB, and each has at least one item', async () => {
  const page = await pageOf(new Days(1, 100, 1_000_000), covered(1));
  assert.ok(page.bytes.length <= 16 * 1024 * 1024, `${page.bytes.length}`);
  assert.deepEqual([page.items, page.next], [16, '20261112.16.1']);
  const giant = await pageOf(new Days(1, 2, 18_000_000), covered(1));
  assert.deepEqual([giant.items, giant.next], [1, '20261112.1.1']);
});

test('no more days are computed than a page needs, and the read is closed', async () => {
  const days = new Days(30, 5, 2);
  const page = await pageOf(days, covered(30, { limit: 10 }));
  assert.deepEqual([page.items, page.next], [10, '20261113.5.1']);
  assert.deepEqual([days.made, days.closed], [2, 1]);
});

test('a page that has covered 50 million trades ends, with nothing to say if so', async () => {
  const days = new Days(30, 0, 2, 20_000_000);
  const page = await pageOf(days, covered(30));
  assert.deepEqual([page.items, page.next], [0, '20261115.0.0']);
  assert.equal(days.made, 3);
  const last = await pageOf(new Days(3, 0, 2, 20_000_000), covered(3));
  assert.deepEqual([last.items, last.next], [0, null]);
});

test('what moves to another thread is all of its memory', async () => {
  const days = new Days(1, 2, 4);
  await using read = await days.read({ from: epochNs(DAY, 0) } as SettledDaysRequest);
  const page = (await read.next())!;
  const [part] = page.parts;
  const forming = new BlockWriter();
  forming.remove('a', false, '1', { day: DAY, rank: 1 as Rank, k: 1 }, 0);
  const tail = forming.take(DAY).parts;
  const whole: DaysPage = {
    ...page,
    parts: [{ ...part!, tail }],
    frames: new Uint8Array([1, 2, 3]),
  };
  const before = Buffer.from(part!.blocks[0]!.memory).toString('hex');
  const clone = structuredClone(whole, { transfer: [...memoryOf(whole)] });
  assert.equal(Buffer.from(clone.parts[0]!.blocks[0]!.memory).toString('hex'), before);
  assert.deepEqual([...clone.frames], [1, 2, 3]);
  assert.equal(part!.blocks[0]!.memory.byteLength, 0);
  assert.ok(tail.memory.detached && whole.frames.length === 0);
});
