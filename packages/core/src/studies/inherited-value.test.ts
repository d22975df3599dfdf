import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { InheritedValue } from './inherited-value.ts';

const SESSIONS_MAX = 3;

interface Past {
  readonly value: number | null;
  readonly isComplete: boolean;
}

/** The value that every session has at its open, in a run over `sessions` only. */
function found(sessions: readonly Past[]): readonly (number | null)[] {
  const inherited = new InheritedValue<number>(SESSIONS_MAX);
  return sessions.map(({ value, isComplete }) => {
    const known = inherited.value;
    inherited.closeSession(value, isComplete);
    return known;
  });
}

const past = fc.record({
  value: fc.option(fc.integer({ min: 1, max: 5 })),
  isComplete: fc.boolean(),
});

test('the newest complete session of the look-back that had a value gives it [DET-19]', () => {
  fc.assert(
    fc.property(fc.array(past, { maxLength: 12 }), (sessions) => {
      const expected = sessions.map((_, at) => {
        const earlier = sessions.slice(Math.max(0, at - SESSIONS_MAX), at);
        const giver = earlier.findLast(({ value, isComplete }) => isComplete && value !== null);
        return giver?.value ?? null;
      });
      assert.deepEqual(found(sessions), expected);
    }),
  );
});

test('begun at the session that gives, or a look-back earlier, all is as in a long run [DET-18] [DET-19]', () => {
  fc.assert(
    fc.property(fc.array(past, { minLength: 1, maxLength: 12 }), fc.nat(), (sessions, choice) => {
      const long = found(sessions);
      const at = choice % sessions.length;
      const from = Math.max(0, at - SESSIONS_MAX);
      assert.deepEqual(found(sessions.slice(from)).slice(at - from), long.slice(at));
      const giver = sessions
        .slice(from, at)
        .findLastIndex(({ value, isComplete }) => isComplete && value !== null);
      if (giver < 0) return;
      assert.deepEqual(
        found(sessions.slice(from + giver)).slice(at - from - giver),
        long.slice(at),
      );
    }),
  );
});
