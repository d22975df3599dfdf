import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusSpan } from '@tapeloom/core/status/status-history';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';
import { AccountsTroubleError } from '../../accounts/store/account-store.ts';
import { StatusRecorder } from './status-recorder.ts';

const HALF_MINUTE_MS = 30_000;
const DAY_MS = 86_400_000;

interface History {
  readonly recordedSince: string | null;
  readonly days: readonly {
    readonly day: string;
    readonly state: string;
    readonly downSeconds: number;
  }[];
  readonly incidents: readonly {
    readonly from: string;
    readonly until: string | null;
    readonly state: string;
    readonly cause: string;
  }[];
}

/** A status recorder over the service's store, run by the test. */
function recorderOf(service: RestService) {
  const { store, clock, market } = service;
  const recorder = new StatusRecorder({
    store: store.status,
    clock,
    node: '',
    state: () => (market.engine === 'up' ? 'up' : 'engine'),
    onFault: (error) => {
      throw error;
    },
  });
  const pass = async (minutes: number) => {
    for (let step = 0; step < minutes * 2; step += 1) {
      clock.advance(HALF_MINUTE_MS);
      await recorder.note();
    }
  };
  return { recorder, pass };
}

async function historyOf(service: RestService): Promise<History> {
  const { status, body, text } = await service.request<History>('GET', '/v1/status/history');
  assert.equal(status, 200, text);
  return body;
}

test('what the service noted of itself is its status history: days before it have no record, incidents have their times', async () => {
  await using service = await RestService.start();
  const empty = await historyOf(service);
  assert.deepEqual([empty.recordedSince, empty.days.length], [null, 90]);
  const began = service.clock.now();
  const { recorder, pass } = recorderOf(service);
  await recorder.note();
  await pass(10);
  service.market.engine = 'down';
  await pass(5);
  service.market.engine = 'up';
  await pass(5);
  const { recordedSince, days, incidents } = await historyOf(service);
  assert.equal(recordedSince, began.toString());
  assert.deepEqual(
    days.slice(-2).map(({ day, state, downSeconds }) => [day, state, downSeconds]),
    [
      ['2026-11-10', 'none', 0],
      ['2026-11-11', 'down', 300],
    ],
  );
  const minute = (at: number) => (began + BigInt(at * 60_000_000_000)).toString();
  assert.deepEqual(incidents, [
    { from: minute(10.5), until: minute(15.5), state: 'down', cause: 'engine' },
  ]);
  await recorder[Symbol.asyncDispose]();
});

test('a service that was killed says how long it did not run when it is back', async () => {
  await using service = await RestService.start();
  const first = recorderOf(service);
  await first.pass(2);
  const killedAt = service.clock.now();
  // The process dies without a last note; nothing is recorded for a day.
  first.recorder.note = () => Promise.resolve();
  service.clock.advance(DAY_MS);
  const back = service.clock.now().toString();
  const second = recorderOf(service);
  await second.pass(1);
  const { incidents } = await historyOf(service);
  assert.deepEqual(incidents, [
    { from: killedAt.toString(), until: back, state: 'down', cause: 'stopped' },
  ]);
  await second.recorder[Symbol.asyncDispose]();
});

test('while the accounts cannot be reached nothing can be noted, and that is noted afterwards', async () => {
  const clock = new ManualClock(1_794_960_000_000_000_000n);
  const noted: StatusSpan[] = [];
  let isAway = false;
  await using recorder = new StatusRecorder({
    store: {
      noteStatus: async (span) => {
        if (isAway) throw new AccountsTroubleError('unreachable', 'away');
        noted.push(span);
      },
    },
    clock,
    node: 'a',
    state: () => 'up',
    onFault: (error) => {
      throw error;
    },
  });
  await recorder.note();
  isAway = true;
  const since = clock.now() + 30_000_000_000n;
  for (let step = 0; step < 10; step += 1) {
    clock.advance(HALF_MINUTE_MS);
    await recorder.note();
  }
  isAway = false;
  clock.advance(HALF_MINUTE_MS);
  await recorder.note();
  assert.deepEqual(
    noted.map(({ state }) => state),
    ['up', 'accounts', 'up'],
  );
  assert.deepEqual([noted[1]!.from, noted[1]!.until], [since, clock.now()]);
});
