/** `TAPELOOM_KEEP_DAYS` in a running service with a fast clock, while its past is in use. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays } from '@tapeloom/core/utc-day';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { readImported } from '@tapeloom/server/tape/imported/imported-manifest';
import { ago, dateText, ImportedRig, timeText, tradesOver } from './imported-rig.ts';
import {
  killServices,
  RunningService,
  type StreamMessage,
  WAIT_LIMIT_MS,
  within,
} from './running-service.ts';

const KEEP_DAYS = 30;
const HOUR_NS = 3_600_000_000_000;
const HOURLY = { bar: 'time', size: 3_600 };
/** The service looks for old days every six hours: here, every two seconds. */
const SPEED = '10000';
const FIRST = ago(60);
const disk = new NodeDisk();
// With `--speed`, a service uses its own directory beside the given one.
const rig = await ImportedRig.make('over-midnight', 'data-speed');
after(() => {
  killServices();
  rig[Symbol.dispose]();
});

const weekday = (day: UtcDay) => new Date(timeText(day)).getUTCDay();
const isWeekend = (day: UtcDay) => weekday(day) === 0 || weekday(day) === 6;

/** The first stored day. Sessions cross every midnight except into Saturday and into Sunday. */
function keptFrom(newest: UtcDay): UtcDay {
  let day = addDays(newest, -KEEP_DAYS);
  while (!isWeekend(day)) day = addDays(day, -1);
  return day;
}

async function importDays(first: UtcDay, last: UtcDay): Promise<void> {
  const trades = tradesOver([first, last], 24, (index) => String(1_000 + (index % 9)));
  await rig.import(trades, [first, last]);
}

async function daysLeft(): Promise<readonly UtcDay[]> {
  const manifest = await readImported(disk, `${rig.data}/tape`, 'OURS');
  return [...manifest!.days.get('QQB')!.keys()].sort((a, b) => a - b);
}

/** The first session that starts on or after a day, from open to close. */
function sessionFrom(day: UtcDay): readonly [from: string, to: string] {
  let open = day;
  while (weekday(open) === 5 || weekday(open) === 6) open = addDays(open, 1);
  return [timeText(open, 22 * HOUR_NS), timeText(addDays(open, 1), 21 * HOUR_NS)];
}

const isSnapshot = ({ t }: StreamMessage) => t === 'snapshot';

test('days that became too old go while pages and streams run, and no session is left cut', async () => {
  const before = ago(9);
  const newest = ago(2);
  await importDays(FIRST, before);
  assert.equal((await daysLeft())[0], FIRST);
  const service = new RunningService({
    data: rig.data.replace(/-speed$/, ''),
    args: ['--speed', SPEED],
    env: { TAPELOOM_KEEP_DAYS: String(KEEP_DAYS) },
  });
  await service.ready();
  const [keptFirst, keptThen] = [keptFrom(before), keptFrom(newest)];
  // The service delays a large deletion by a day, which is a few seconds here.
  assert.match(service.errors, /would delete more than a tenth of the stored days/);
  const areGone = async () => {
    while ((await daysLeft())[0] !== keptFirst) await pause(50);
  };
  await within(WAIT_LIMIT_MS, 'the removal', areGone());

  const history = async ([from, to]: readonly [string, string]) => {
    const fields = {
      instrument: 'QQB',
      indicator: 'bars',
      params: JSON.stringify(HOURLY),
      from,
      to,
    };
    const answer = await service.get(
      `/v1/history?${new URLSearchParams(fields)}`,
      service.authorized,
    );
    const body = (await answer.json()) as { items?: readonly unknown[]; code?: string };
    return [answer.status, body.items?.length ?? body.code] as const;
  };
  const WHOLE = [200, 23];
  const GONE = [402, 'NOT_COVERED'];
  const goes = sessionFrom(keptFirst);
  const stays = sessionFrom(keptThen);
  assert.deepEqual(await history(goes), WHOLE);

  const subscriber = await service.open();
  const subscription = { instrument: 'QQB', indicator: 'bars', params: HOURLY };
  await subscriber.send({ t: 'subscribe', sub: 'q', ...subscription });
  await subscriber.first(isSnapshot);
  subscriber.messages.length = 0;
  await importDays(addDays(before, 1), newest);
  for (let answer = await history(goes); answer[0] !== 402; answer = await history(goes)) {
    assert.deepEqual(answer, WHOLE, 'whole as long as it is there');
    assert.deepEqual(await history(stays), WHOLE);
  }
  assert.deepEqual(await history(goes), GONE);
  assert.deepEqual(await history(stays), WHOLE, dateText(keptThen));
  assert.equal((await daysLeft())[0], keptThen);
  assert.equal((await daysLeft()).at(-1), newest);

  const isReset = ({ t }: StreamMessage) => t === 'reset';
  await subscriber.first(isReset);
  await subscriber.first(isSnapshot);
  const reasons = subscriber.messages.filter(isReset).map(({ reason }) => reason);
  assert.deepEqual(new Set(reasons), new Set(['source_gap']));
  await subscriber.close();
  const names = await disk.list(`${rig.data}/tape/OURS/days/QQB`);
  const oldest = Math.min(...names.map((name) => Number(name.slice(0, 8))));
  assert.ok(oldest >= keptFirst, `the file of ${oldest} is gone`);
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
  assert.match(service.errors, /days older than TAPELOOM_KEEP_DAYS were deleted/);
});
