import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneDay, overOneDay } from '../../testing/twins/one-day.ts';
import { drive } from '../../testing/twins/study-driver.ts';
import { rankTrades, type TwinTape } from '../../testing/twins/twin-tape.ts';
import type { EpochNs } from '../numbers.ts';
import { FLUSH_STEP_NS } from './flush-step.ts';
import { parseParams } from './params.ts';
import { sessionLevels } from './session-levels.ts';

const START = 1_767_571_200_000_000_000n;
const MINUTE = 60_000_000_000n;

interface LevelData {
  readonly kind: string;
  readonly price: number;
}

function paramsOf(input: object) {
  const parsed = parseParams(sessionLevels, input);
  assert.ok('params' in parsed);
  return parsed.params;
}

/** Consecutive sessions of one minute, with at most one trade each. */
function tape(prices: readonly (number | null)[]): TwinTape {
  const opens = prices.map((_, index) => START + BigInt(index) * MINUTE);
  const trades = prices.flatMap((price, index) =>
    price === null ? [] : [{ ns: opens[index]! + 1n, price, size: 1, side: 1 }],
  );
  return {
    sessions: opens.map((open) => ({ open, close: open + MINUTE })),
    trades: rankTrades(trades),
    until: START + BigInt(prices.length) * MINUTE,
  };
}

describe('session levels', () => {
  it('take the previous ones from a session up to 10 back, and not from one further back', () => {
    const previousOf = (idle: number) => {
      const over = tape([5, ...Array<null>(idle).fill(null), 7]);
      const { messages } = drive(sessionLevels.create(paramsOf({})), over, 'whole').recorder;
      return messages
        .map(({ data }) => data as LevelData)
        .filter(({ kind }) => kind.startsWith('previous'))
        .map(({ price }) => price);
    };
    assert.deepEqual(previousOf(0), [5, 5, 5]);
    assert.deepEqual(previousOf(9), [5, 5, 5]);
    assert.deepEqual(previousOf(10), []);
  });

  it('are warm once an earlier session gave the previous ones', () => {
    const study = sessionLevels.create(paramsOf({}));
    const { run } = drive(study, { ...tape([5, 6]), until: START + 10n }, 'whole');
    assert.equal(study.warm, false);
    run.advance((START + MINUTE) as EpochNs);
    assert.equal(study.warm, true);
    assert.equal(sessionLevels.lookBackSessionsMax(paramsOf({})), 10);
  });

  it('run over whole trading days for regular hours too, because the night lies outside', () => {
    assert.deepEqual(
      ['full', 'rth', 'utc'].map((session) => sessionLevels.sessionKind(paramsOf({ session }))),
      ['full', 'full', 'utc'],
    );
  });

  it('are none without a trade, and all at one price with one', () => {
    const none = oneDay(0, () => [0, 0, 0]);
    assert.deepEqual(overOneDay(sessionLevels, none, {}), []);
    const one = oneDay(1, () => [5, 7, 3]);
    const levels = overOneDay<LevelData>(sessionLevels, one, {}).map(({ data }) => data);
    assert.deepEqual(
      levels.map(({ kind, price }) => [kind, price]),
      ['open', 'initialBalanceHigh', 'initialBalanceLow', 'high', 'low'].map((kind) => [kind, 7]),
    );
  });

  it('follow price over 100,000 ticks and gaps of 5,000, a flush with the newest only [DET-07]', () => {
    const wild = oneDay(100_000, (row) => [row, row % 2 === 0 ? row : 5_000 - row, 1]);
    const made = overOneDay<LevelData>(sessionLevels, wild, { session: 'utc' }, FLUSH_STEP_NS);
    const final = new Map(
      made.filter((level) => level.final).map(({ data }) => [data.kind, data.price]),
    );
    assert.deepEqual([final.get('high'), final.get('low')], [99_998, -94_999]);
    assert.equal(made.length, 9);
  });
});
