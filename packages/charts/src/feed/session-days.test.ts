import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { TapeloomError } from '@tapeloom/client/stream';
import { StandingClock } from '../../../client/testing/stream-stage.ts';
import { SessionDays } from './session-days.ts';
import type { SessionsRequest } from './sources.ts';

const DAY_MS = 86_400_000;
const ns = (text: string) => BigInt(Date.parse(text)) * 1_000_000n;

class Stage {
  readonly clock = new StandingClock();
  readonly asked: string[] = [];
  readonly faults: Error[] = [];
  readonly closing = new AbortController();
  changes = 0;
  readonly days = new SessionDays({
    sources: { sessions: (request) => this.#answer(request) },
    ...{ instrument: 'ES.c.0', clock: this.clock, signal: this.closing.signal },
    onChange: () => {
      this.changes += 1;
    },
  });

  /** A session from 22:00 of the day before to 21:00. */
  async #answer({ instrument, from, to }: SessionsRequest) {
    this.asked.push(`${from} ${to}`);
    const fault = this.faults.shift();
    if (fault !== undefined) throw fault;
    const sessions = [];
    for (let ms = Date.parse(from); ms <= Date.parse(to) + DAY_MS; ms += DAY_MS) {
      const [open, close] = [ms - DAY_MS / 12, ms + (21 * DAY_MS) / 24];
      const text = (at: number) => String(BigInt(at) * 1_000_000n);
      const regular = { open: text(ms + DAY_MS / 2), close: text(close) };
      sessions.push({ date: 20_261_100, open: text(open), close: text(close), regular });
    }
    return { instrument, contract: 'ESZ6', timeZone: 'America/Chicago', sessions };
  }
}

async function settle(): Promise<void> {
  for (let at = 0; at < 20; at += 1) await turn();
}

test('what is wanted is asked for once, with some days around it', async () => {
  const { days, asked } = new Stage();
  days.want(ns('2026-11-17T10:00Z'), ns('2026-11-17T20:00Z'));
  days.want(ns('2026-11-16T10:00Z'), ns('2026-11-18T20:00Z'));
  await settle();
  assert.deepEqual(asked, ['2026-11-02 2026-11-25']);
  assert.ok(days.isKnown && days.timeZone === 'America/Chicago');
  const opens = days.days.map(({ openNs }) => openNs);
  assert.deepEqual(
    opens,
    [...new Set(opens)].sort((a, b) => (a < b ? -1 : 1)),
  );
  assert.ok(days.days[0]!.regular!.openNs > days.days[0]!.openNs);
});

test('a chart that reaches further asks for what is missing alone, in parts', async () => {
  const { days, asked } = new Stage();
  days.want(ns('2026-11-17'), ns('2026-11-17'));
  await settle();
  days.want(ns('2026-06-01'), ns('2026-11-30'));
  await settle();
  assert.deepEqual(asked, [
    '2026-11-02 2026-11-25',
    '2026-08-03 2026-11-01',
    '2026-05-17 2026-08-02',
    '2026-11-26 2026-12-08',
  ]);
  const dates = days.days.map(({ openNs }) => openNs);
  for (let at = 1; at < dates.length; at += 1) {
    assert.equal(dates[at]! - dates[at - 1]!, 86_400_000_000_000n, 'no day is missing');
  }
});

test('failures are tried again with longer waits, however often one asks meanwhile', async () => {
  const { days, asked, faults, clock } = new Stage();
  faults.push(new TapeloomError('NETWORK', ''), new TapeloomError('CAPACITY', ''));
  const want = () => days.want(ns('2026-11-17'), ns('2026-11-17'));
  want();
  await settle();
  want();
  await settle();
  assert.equal(asked.length, 1);
  clock.pass(2_000);
  await settle();
  clock.pass(4_000);
  await settle();
  assert.deepEqual([asked.length, days.isMissing], [2, false]);
  clock.pass(1_000);
  await settle();
  assert.deepEqual([asked.length, days.isKnown], [3, true]);
});

test('a service without the route has no sessions: that is certain at once', async () => {
  const stage = new Stage();
  stage.faults.push(new TapeloomError('NOT_FOUND', ''));
  stage.days.want(ns('2026-11-17'), ns('2026-11-17'));
  await settle();
  assert.deepEqual([stage.days.isMissing, stage.days.isKnown, stage.changes], [true, false, 1]);
  stage.days.want(ns('2026-11-10'), ns('2026-11-17'));
  await settle();
  assert.equal(stage.asked.length, 1);
  const without = new SessionDays({
    ...{ sources: {}, instrument: 'ES.c.0', clock: stage.clock, signal: stage.closing.signal },
    onChange: () => {},
  });
  assert.ok(without.isMissing);
});
