import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SubscriptionState } from '@tapeloom/client';
import { barsView } from './bars-view.ts';
import { footprintView } from './footprint-view.ts';
import { createInk, cutSeen, seenWidth } from './ink.ts';
import { largeTradesView } from './large-trades-view.ts';
import { nextOpen } from './market-hours.ts';
import { pictureLines } from './stream-screen.ts';
import type { ShownObject } from './stream-view.ts';
import { clockText, dateText, signedText, spanText } from './text-format.ts';

const CONTEXT = { ink: createInk(false), tickSizeNanos: 250_000_000, params: {} };
const MINUTE_NS = 60_000_000_000n;
const TEN_NS = 1_794_477_600_000_000_000n;

function footprintAt(minute: number, final: boolean): ShownObject {
  const data = {
    open: 22_550,
    high: 22_553,
    low: 22_549,
    close: 22_551,
    volume: 1_366,
    bid: 150,
    ask: 1_212,
    unknown: 4,
    trades: 88,
    delta: 1_062,
    deltaMin: -3,
    deltaMax: 1_070,
    end: '0',
    levels: [
      [22_549, 40, 0],
      [22_551, 10, 1_200],
      [22_552, 100, 12],
      [22_553, 0, 0, 4],
    ],
    poc: 22_551,
    vah: 22_552,
    val: 22_551,
    imbalances: [
      [22_549, -1],
      [22_551, 1],
    ],
  };
  return {
    id: `20261112.${minute + 1}`,
    final,
    ts: TEN_NS + BigInt(minute) * MINUTE_NS,
    data,
  };
}

test('a footprint is a ladder with its marks above the finished bars', () => {
  const objects = [footprintAt(0, true), footprintAt(1, true), footprintAt(2, false)];
  const lines = footprintView.screen(objects, 30, CONTEXT).map((line) => line.trimEnd());
  assert.deepEqual(lines, [
    '10:02:00 forming   volume 1,366   delta +1,062   trades 88   open 5637.50  high 5638.25  low 5637.25',
    '',
    '   5638.25       0 × 0      ▏ 4 of unknown side',
    ' │ 5638.00     100 × 12     ██▎',
    ' ◆ 5637.75◂     10 × 1,200› ████████████████████████',
    '   5637.50       ·   ·',
    '   5637.25     ‹40 × 0      ▊',
    '',
    '    time     open     high      low    close  volume   delta      POC  trades',
    '10:01:00  5637.50  5638.25  5637.25  5637.75   1,366  +1,062  5637.75      88',
    '10:00:00  5637.50  5638.25  5637.25  5637.75   1,366  +1,062  5637.75      88',
  ]);
});

test('a ladder that does not fit is cut around the last price and says so', () => {
  const levels = Array.from({ length: 100 }, (_, index) => [1_000 + index, 1, 2]);
  const tall = { ...(footprintAt(0, false).data as object), levels, close: 1_050, poc: 1_050 };
  const lines = footprintView.screen([{ ...footprintAt(0, false), data: tall }], 12, CONTEXT);
  assert.equal(lines.length, 12);
  assert.match(lines[2]!, /… 45 more rows above/);
  assert.match(lines.at(-1)!, /… 47 more rows below/);
  assert.ok(lines.some((line) => line.includes('262.50◂')));
});

test('rows of several ticks are named by their lowest price', () => {
  const data = {
    ...(footprintAt(0, false).data as object),
    levels: [
      [22_548, 1, 2],
      [22_552, 3, 4],
    ],
  };
  const context = { ...CONTEXT, params: { group: 4 } };
  const lines = footprintView.screen([{ ...footprintAt(0, false), data }], 12, context);
  assert.equal(lines.filter((line) => line.includes(' × ')).length, 2);
  assert.ok(lines.some((line) => line.includes('5637.00◂')));
});

test('bars are a table and large trades a list, each also one line for a pipe', () => {
  const bar = footprintAt(0, false);
  assert.equal(barsView.screen([bar, bar, bar], 2, CONTEXT).length, 2);
  assert.match(barsView.screen([bar], 9, CONTEXT)[1]!, /▸ {2}10:00:00 {2}5637\.50/);
  assert.equal(
    footprintView.line(footprintAt(0, true), CONTEXT),
    '10:00:00 open 5637.50 high 5638.25 low 5637.25 close 5637.75 volume 1366 delta +1,062 trades 88 poc 5637.75 imbalances 2',
  );
  const data = { side: -1, size: 120, trades: 7, first: 22_551, last: 22_549, threshold: 80 };
  const trade: ShownObject = { id: 'x', final: true, ts: TEN_NS + 1_500_000n, data };
  const sentence = '10:00:00.001 sell 120 lots first 5637.75 last 5637.25 prints 7 threshold 80';
  assert.equal(largeTradesView.line(trade, CONTEXT), sentence);
  assert.match(largeTradesView.screen([trade], 9, CONTEXT)[1]!, /sell ▼ {3}120 .* ████/);
});

test('a picture fills the screen exactly and never exceeds its width', () => {
  const state: SubscriptionState<string> = {
    objects: new Map([['a', footprintAt(0, false)]]),
    latest: () => footprintAt(0, false),
    cursor: '20261112.5.1',
    status: 'closed',
    lagMs: 0,
    partialSince: null,
    contract: null,
    tickSizeNanos: 250_000_000,
    serverNs: null,
  };
  const opensAt = TEN_NS + 20n * 60n * MINUTE_NS;
  const picture = {
    title: 'ES.c.0 footprint',
    state,
    away: null,
    view: footprintView,
    context: CONTEXT,
    opensAt,
    nowNs: TEN_NS,
  };
  const lines = pictureLines(picture, { columns: 80, rows: 24 });
  assert.equal(lines.length, 24);
  assert.equal(lines[0]!.length, 80);
  assert.match(lines[0]!, /^ ES\.c\.0 footprint +○ closed {2}10:00:00 UTC $/);
  assert.equal(lines[2], ' The market is closed. It opens Friday 2026-11-13 06:00 UTC, in 20 h.');
  const away = pictureLines({ ...picture, away: 'Gone. Trying again.' }, { columns: 80, rows: 24 });
  assert.match(away[0]!, /○ away {2}10:00:00 UTC $/);
  assert.equal(away[2], ' Gone. Trying again.');
  assert.ok(
    away.some((line) => line.includes('forming')),
    'what is known stays on the screen',
  );
});

test('a closed futures market opens when its calendar says', () => {
  const saturday = BigInt(Date.UTC(2026, 10, 14, 12)) * 1_000_000n;
  const sunday = BigInt(Date.UTC(2026, 10, 15, 23)) * 1_000_000n;
  assert.equal(nextOpen('cme-equity', saturday), sunday);
  assert.equal(nextOpen('a-calendar-of-tomorrow', saturday), null);
});

test('numbers and times read as people write them', () => {
  assert.equal(clockText(TEN_NS), '10:00:00');
  assert.equal(dateText(TEN_NS), 'Thursday 2026-11-12 10:00 UTC');
  assert.deepEqual([signedText(0), signedText(1_234), signedText(-5)], ['0', '+1,234', '−5']);
  const second = 1_000_000_000n;
  const spans = [0n, 45n, 60n, 3_661n, 90_000n].map((seconds) => spanText(seconds * second));
  assert.deepEqual(spans, ['0 s', '45 s', '1 min', '1 h 1 min', '1 d 1 h']);
});

test('coloured text is measured and cut by what is seen', () => {
  const ink = createInk(true);
  const text = `${ink.red('abc')}def`;
  assert.equal(seenWidth(text), 6);
  assert.equal(seenWidth(cutSeen(text, 4)), 4);
  assert.equal(cutSeen(text, 6), text);
});
