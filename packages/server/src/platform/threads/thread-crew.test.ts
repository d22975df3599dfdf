import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { type RestartPolicy, ThreadCrew } from './thread-crew.ts';

const FOR_EVER: RestartPolicy = {
  firstMs: 1_000,
  factor: 2,
  lastMs: 5_000,
  windowMs: 60_000,
  restartsMax: Number.POSITIVE_INFINITY,
};

class FakeThread implements AsyncDisposable {
  readonly index: number;
  readonly fail: (cause?: Error) => void;
  isDisposed = false;

  constructor(index: number, onGone: (cause: unknown) => void) {
    this.index = index;
    this.fail = (cause = new Error('broken on purpose')) => onGone(cause);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
  }
}

function crewOf(count: number, policy: RestartPolicy, start = () => {}) {
  const clock = new ManualClock(0n);
  const started: FakeThread[] = [];
  const gone: string[] = [];
  const crew = new ThreadCrew<FakeThread>({
    count,
    policy,
    timers: clock,
    start: (...of) => {
      start();
      started.push(new FakeThread(...of));
      return started.at(-1)!;
    },
    onReplaced: () => {},
    onGone: (index, cause, isGivenUp) =>
      gone.push(`${index} ${(cause as Error).message}${isGivenUp ? ', given up' : ''}`),
  });
  return { clock, crew, started, gone };
}

test('each loss in the window makes the next wait longer, up to the longest, for as long as it takes', () => {
  const { clock, crew, started, gone } = crewOf(1, FOR_EVER);
  for (const waitMs of [1_000, 2_000, 4_000, 5_000, 5_000, 5_000]) {
    const count = started.length;
    started.at(-1)!.fail();
    assert.deepEqual(crew.threads, []);
    clock.advance(waitMs - 1);
    assert.equal(started.length, count);
    clock.advance(1);
    assert.deepEqual(crew.threads, [started.at(-1)]);
  }
  assert.deepEqual([crew.lostTotal, gone.length], [6, 6]);
  // Older losses are forgotten.
  clock.advance(60_000);
  started.at(-1)!.fail();
  clock.advance(1_000);
  assert.equal(started.length, 8);
});

test('a place that is given up stays empty, and the others keep theirs', () => {
  const { clock, crew, started, gone } = crewOf(2, { ...FOR_EVER, restartsMax: 1 });
  started[0]!.fail();
  clock.advance(1_000);
  started[2]!.fail();
  clock.advance(60_000);
  assert.deepEqual(crew.threads, [started[1]]);
  assert.deepEqual(gone, ['0 broken on purpose', '0 broken on purpose, given up']);
  assert.equal(clock.timerCount, 0);
});

test('after the end nobody is started, and nothing is told', async () => {
  const { clock, crew, started, gone } = crewOf(2, FOR_EVER);
  started[0]!.fail();
  await crew[Symbol.asyncDispose]();
  started[1]!.fail();
  clock.advance(60_000);
  assert.deepEqual([started.length, gone.length, clock.timerCount], [2, 1, 0]);
  assert.deepEqual([started[0]!.isDisposed, started[1]!.isDisposed], [false, true]);
});

test('a crew whose first threads cannot be started is none', () => {
  const start = () => {
    throw new Error('no room');
  };
  assert.throws(() => crewOf(1, FOR_EVER, start), /no room/);
});
