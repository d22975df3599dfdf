import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import type { TradingSessions } from '../runs/session-tables.ts';
import { type CrewEngine, ENGINE_RESTARTS, EngineCrew, enginesFor } from './engine-crew.ts';

const { restartsMax: RESTARTS_MAX, windowMs: RESTARTS_WINDOW_MS } = ENGINE_RESTARTS;

const SESSIONS: TradingSessions = { contracts: {}, books: [] };
const LATER: TradingSessions = {
  contracts: { ESZ6: { dataset: 'SIM', calendar: 'cme' } },
  books: [],
};

class FakeEngine implements CrewEngine {
  readonly index: number;
  readonly fail: (cause?: Error) => void;
  sessions: TradingSessions;
  isDisposed = false;

  constructor(index: number, sessions: TradingSessions, onGone: (cause: unknown) => void) {
    this.index = index;
    this.sessions = sessions;
    this.fail = (cause = new Error('broken on purpose')) => onGone(cause);
  }

  send(): void {}

  listen(): void {}

  updateSessions(sessions: TradingSessions): void {
    this.sessions = sessions;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
  }
}

function crewOf(count: number) {
  const clock = new ManualClock(0n);
  const started: FakeEngine[] = [];
  const replaced: FakeEngine[] = [];
  const gone: [index: number, isGivenUp: boolean][] = [];
  const refusal: { cause: Error | null } = { cause: null };
  const crew = new EngineCrew(
    {
      count,
      timers: clock,
      start: (...args) => {
        if (refusal.cause !== null) throw refusal.cause;
        const engine = new FakeEngine(...args);
        started.push(engine);
        return engine;
      },
      onReplaced: (_index, engine) => replaced.push(engine as FakeEngine),
      onGone: (index, _cause, isGivenUp) => gone.push([index, isGivenUp]),
    },
    SESSIONS,
  );
  return { clock, crew, started, replaced, gone, refusal };
}

test('an engine that ends is followed by one that knows the newest sessions, in its place', async () => {
  const { clock, crew, started, replaced, gone } = crewOf(2);
  assert.deepEqual(crew.links, started);
  started[1]!.fail();
  started[1]!.fail();
  assert.deepEqual(gone, [[1, false]]);
  assert.deepEqual(crew.links, [started[0]]);
  crew.updateSessions(LATER);
  clock.advance(1_000);
  assert.equal(started.length, 3);
  assert.deepEqual(replaced, [started[2]]);
  assert.deepEqual([started[2]!.index, started[2]!.sessions], [1, LATER]);
  assert.equal(started[0]!.sessions, LATER);
  assert.deepEqual(crew.links, [started[0], started[2]]);
  // A replaced engine has no effect any more.
  started[1]!.fail();
  await crew[Symbol.asyncDispose]();
  assert.ok(started[0]!.isDisposed && started[2]!.isDisposed);
  assert.equal(clock.timerCount, 0);
});

test('a place whose engines end again and again is given up, the others go on', async () => {
  const { clock, crew, started, gone } = crewOf(2);
  for (let loss = 0; loss <= RESTARTS_MAX; loss += 1) {
    const last = started.findLast(({ index }) => index === 0)!;
    last.fail();
    const waitMs = 250 * 4 ** loss;
    clock.advance(waitMs - 1);
    assert.equal(
      started.findLast(({ index }) => index === 0),
      last,
    );
    clock.advance(1);
  }
  clock.advance(RESTARTS_WINDOW_MS);
  assert.equal(started.length, 2 + RESTARTS_MAX);
  assert.deepEqual(gone.at(-1), [0, true]);
  assert.deepEqual(crew.links, [started[1]]);
  assert.equal(clock.timerCount, 0);
});

test('an engine that the machine cannot begin is tried until it can, and its place is never given up [SEC-41]', async () => {
  const { clock, crew, started, replaced, gone, refusal } = crewOf(1);
  const notBegun = Object.assign(new Error('EMFILE'), { code: 'ERR_WORKER_INIT_FAILED' });
  for (let loss = 0; loss < 3 * RESTARTS_MAX; loss += 1) {
    started.at(-1)!.fail(notBegun);
    assert.deepEqual(crew.links, []);
    clock.advance(2_000);
    assert.deepEqual(crew.links, [started.at(-1)]);
  }
  assert.equal(replaced.length, 3 * RESTARTS_MAX);
  // Also when its thread cannot even be started.
  started.at(-1)!.fail();
  refusal.cause = notBegun;
  clock.advance(60_000);
  assert.deepEqual(crew.links, []);
  refusal.cause = null;
  clock.advance(2_000);
  assert.equal(crew.links.length, 1);
  assert.ok(gone.every(([, isGivenUp]) => !isGivenUp));
  await crew[Symbol.asyncDispose]();
  assert.equal(clock.timerCount, 0);
});

test('losses far apart are forgotten', () => {
  const { clock, started, gone } = crewOf(1);
  for (let loss = 0; loss < 3 * RESTARTS_MAX; loss += 1) {
    started.at(-1)!.fail();
    clock.advance(RESTARTS_WINDOW_MS / 2);
  }
  assert.ok(gone.every(([, isGivenUp]) => !isGivenUp));
});

test('a machine of few cores has one engine, a large one four', () => {
  assert.deepEqual([1, 2, 3, 4, 6, 64].map(enginesFor), [1, 1, 1, 2, 4, 4]);
});
