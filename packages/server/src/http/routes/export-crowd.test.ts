/** Many unread exports: they hold no slot for computing, little is computed for them, and its memory is freed. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Rank } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { fillMarket } from '../../../testing/history/history-market.ts';
import { address, HistoryReader, RANGE } from '../../../testing/history/history-requests.ts';
import { LoopbackPort } from '../../../testing/platform/loopback-port.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';
import { ComputeDesk } from '../../compute/compute-desk.ts';
import { ComputePool } from '../../compute/compute-pool.ts';
import type { ComputeShape } from '../../compute/compute-wire.ts';
import { FairTurns } from '../../compute/fair-turns.ts';
import type { DaysPage, DaysRead, SettledDaysRequest } from '../../results/settled-days.ts';

const MIB = 1_024 * 1_024;
const EXPORTS_EACH = 32;

/** Far more than fits between server and client, and incompressible. */
const FRAME = randomBytes(MIB);

/** A compute thread inside this one; exports of some accounts have no end. */
function threadOver(
  { days, replays }: RestService['sources'],
  tape: RestService['tape'],
  isEndless: (account: string) => boolean,
): LoopbackPort<ComputeShape> {
  const loopback = new LoopbackPort<ComputeShape>();
  const turns = new FairTurns({ now: () => 0, rest: () => turn() });
  const desk = new ComputeDesk({
    tape,
    timers: new ManualClock(0n),
    turns,
    replays: replays as ConstructorParameters<typeof ComputeDesk>[0]['replays'],
    tables: { replace: () => {} },
    tell: (fault) => loopback.desk.tell(fault),
    days: {
      damaged: { add: () => {}, forget: () => {} },
      daysOf: async (contracts) => contracts.map(() => []),
      daysVersions: async (contracts) => contracts.map(() => null),
      cover: (...of) => days.cover(...of),
      read: async (request) => {
        const read = await days.read(request);
        return isEndless(request.account) ? endless(request, read) : read;
      },
    },
  });
  loopback.desk.open(desk);
  return loopback;
}

function endless({ from, after }: SettledDaysRequest, read: DaysRead): DaysRead {
  let rank = after?.rank ?? 0;
  return {
    next: async (): Promise<DaysPage> => {
      rank += 1;
      const day = dayOf(from);
      const counts = { rank, skipped: 0, updates: 1 };
      const rest = { isDayOver: false, isWarm: true, blocks: [], tail: null };
      const position = { day, rank: rank as Rank, k: 1 };
      const frames = new Uint8Array(FRAME);
      return { parts: [{ day, ...counts, ...rest }], frames, position, isLast: false };
    },
    [Symbol.asyncDispose]: async () => await read[Symbol.asyncDispose](),
  };
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await turn();
}

test('two accounts with 32 exports each that nobody reads hold up nobody, and their memory comes back [SEC-37] [SEC-38]', async () => {
  await using service = await RestService.start();
  fillMarket(service);
  const port = await service.listen();
  const { sources, tape } = service;
  const greedy = [await service.account('history'), await service.account('history')];
  const third = new HistoryReader(service, await service.customer('history'));
  await using pool = new ComputePool({
    threads: 1,
    timers: service.clock,
    startThread: () => threadOver(sources, tape, (account) => greedy.includes(account)),
    onFault: (error) => assert.fail(String(error)),
  });
  service.sources = { days: pool, replays: pool };

  const answers: IncomingMessage[] = [];
  for (const account of greedy) {
    const { secret } = await service.key(account);
    for (let count = 0; count < EXPORTS_EACH; count += 1) {
      const headers = { authorization: `Bearer ${secret}` };
      get({ port, path: address('/v1/export', RANGE), headers, agent: false }, (answer) => {
        assert.equal(answer.statusCode, 200);
        answer.on('error', () => {});
        answers.push(answer);
      }).on('error', () => {});
    }
  }
  await until(() => answers.length === 2 * EXPORTS_EACH);
  // Until every connection is full, or its account may have no more in memory.
  let quiet = 0;
  for (let bytes = -1; quiet < 50; ) {
    await turn();
    const isQuiet = service.pace.bytes === bytes && pool.counts.working === 0;
    quiet = isQuiet ? quiet + 1 : 0;
    bytes = service.pace.bytes;
  }
  const { open, working, idle } = pool.counts;
  assert.deepEqual([open, working], [2 * EXPORTS_EACH, 0]);
  assert.ok(idle <= 16, `${idle} reads are kept in the thread`);
  // Exports admitted with the last of a share may exceed it: eight chunks.
  assert.ok(service.pace.bytes <= 2 * (16 + 8) * MIB, `${service.pace.bytes} bytes are ahead`);

  const page = await third.page(RANGE);
  assert.ok(page.items.length > 0);
  const file = await fetch(`http://127.0.0.1:${port}${address('/v1/export', RANGE)}`, {
    headers: { authorization: `Bearer ${third.key}` },
  });
  assert.ok((await file.bytes()).length > 0);
  assert.equal(file.status, 200);

  for (const answer of answers) answer.destroy();
  await until(() => pool.counts.open === 0 && service.pace.bytes === 0);
  // The thread may still have to process the last ends.
  await until(() => pool.counts.calls === 0);
  const counts = pool.counts;
  assert.deepEqual([counts.idle, counts.working, counts.waiting], [0, 0, 0]);
  assert.equal(service.pace.waitingCount, 0);
  await service.http.idle();
  for (const account of greedy) {
    const { used, reserved } = await service.store.usageOf(service.clock.now(), account, '2026-11');
    assert.ok(used.exportBytes > 0, 'what was written is charged');
    assert.equal(reserved.exportBytes, 0);
  }
});
