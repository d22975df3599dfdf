import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drive } from '../../testing/twins/study-driver.ts';
import { rankTrades, type TwinTape } from '../../testing/twins/twin-tape.ts';
import type { EpochNs } from '../numbers.ts';
import { largeTrades } from './large-trades.ts';
import { parseParams } from './params.ts';
import type { Study } from './study.ts';

const START = 1_767_571_200_000_000_000n;
const SECOND = 1_000_000_000n;

function create(input: object): Study {
  const parsed = parseParams(largeTrades, input);
  assert.ok('params' in parsed);
  return largeTrades.create(parsed.params);
}

/** Consecutive sessions of ten seconds; each print is in the named session. */
function tape(sessionCount: number, prints: readonly [session: number, size: number][]): TwinTape {
  const sessions = Array.from({ length: sessionCount }, (_, index) => {
    const open = START + BigInt(index) * 10n * SECOND;
    return { open, close: open + 10n * SECOND };
  });
  const trades = rankTrades(
    prints.map(([session, size], index) => {
      const ns = sessions[session]!.open + BigInt(index + 1);
      return { ns, price: 100, size, side: index % 2 === 0 ? 1 : -1 };
    }),
  );
  return { sessions, trades, until: sessions.at(-1)!.close };
}

function thresholds(input: object, over: TwinTape): number[] {
  const { messages } = drive(create(input), over, 'whole').recorder;
  return messages.map(({ data }) => (data as { threshold: number }).threshold);
}

describe('the automatic threshold', () => {
  it('comes from the newest earlier session that gives one [DET-19]', () => {
    const prints: [number, number][] = [
      [0, 9],
      [1, 4],
      [3, 20],
    ];
    assert.deepEqual(thresholds({}, tape(4, prints)), [4]);
    assert.deepEqual(thresholds({}, tape(4, [...prints, [3, 3]])), [4], 'not from its own');
  });

  it('comes from a session up to 10 back, and not from one further back [DET-19]', () => {
    assert.deepEqual(
      thresholds(
        {},
        tape(12, [
          [0, 5],
          [10, 6],
        ]),
      ),
      [5],
    );
    assert.deepEqual(
      thresholds(
        {},
        tape(12, [
          [0, 5],
          [11, 6],
        ]),
      ),
      [],
    );
  });

  it('is the smallest cluster of a session that had fewer than asked [DET-19]', () => {
    assert.deepEqual(
      thresholds(
        { perSession: 3 },
        tape(2, [
          [0, 9],
          [0, 4],
          [1, 4],
        ]),
      ),
      [4],
    );
    assert.deepEqual(
      thresholds(
        { perSession: 1 },
        tape(2, [
          [0, 9],
          [0, 4],
          [1, 9],
        ]),
      ),
      [9],
    );
  });

  it('is not warm, and has no objects, until a session gave one [DET-19]', () => {
    const study = create({});
    const { run } = drive(study, { ...tape(3, [[0, 5]]), until: START + SECOND }, 'whole');
    assert.equal(study.warm, false);
    run.advance((START + 11n * SECOND) as EpochNs);
    assert.equal(study.warm, true);
    assert.equal(create({ minSize: 1 }).warm, true);
  });

  it('needs a look-back only where there is one to take', () => {
    const params = (input: object) => {
      const parsed = parseParams(largeTrades, input);
      assert.ok('params' in parsed);
      return parsed.params;
    };
    assert.equal(largeTrades.lookBackSessionsMax(params({})), 10);
    assert.equal(largeTrades.lookBackSessionsMax(params({ minSize: 3 })), 0);
  });
});
