/** Clients that go before they have their answer: the read is given up at once, and only received output is charged. */

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fillMarket, TRADES_A_DAY } from '../../../testing/history/history-market.ts';
import {
  address,
  type Fields,
  type HistoryPath,
  HistoryReader,
  RANGE,
} from '../../../testing/history/history-requests.ts';
import { LoopbackPort } from '../../../testing/platform/loopback-port.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';
import { ComputeDesk } from '../../compute/compute-desk.ts';
import { ComputePool } from '../../compute/compute-pool.ts';
import type { ComputeShape } from '../../compute/compute-wire.ts';
import { FairTurns } from '../../compute/fair-turns.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { DaysRead } from '../../results/settled-days.ts';

const BUDGET = 20_000_000_000;
const VOLUME = 21_474_836_480;

let service: RestService;
let pool: ComputePool;
let port = 0;
/** Results a read gives before it works without end. */
let resultsGiven = 0;
/** Slices of work without end. */
let slices = 0;
const faults: unknown[] = [];

before(async () => {
  service = await RestService.start();
  fillMarket(service);
  port = await service.listen();
  const { days } = service.sources;
  const thread = () => threadOver(days);
  const onFault = (error: unknown) => void faults.push(error);
  const limits = { workingPerAccount: 2 };
  pool = new ComputePool({
    threads: 1,
    timers: service.clock,
    startThread: thread,
    onFault,
    limits,
  });
  service.sources = { days: pool, replays: pool };
});
beforeEach(() => {
  resultsGiven = 0;
  slices = 0;
});
after(async () => {
  await pool[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

/** A compute thread inside this one, whose reads reach endless work. */
function threadOver(days: RestService['sources']['days']): LoopbackPort<ComputeShape> {
  let ms = 0;
  const loopback = new LoopbackPort<ComputeShape>();
  const turns = new FairTurns({ now: () => ms++, rest: () => turn() });
  const endless = async (isClosed: () => boolean) => {
    while (!isClosed()) {
      slices += 1;
      await turns.yieldTurn();
    }
  };
  const desk = new ComputeDesk({
    tape: service.tape,
    turns,
    timers: service.clock,
    tables: { replace: () => {} },
    tell: (fault) => loopback.desk.tell(fault),
    days: {
      damaged: { add: () => {}, forget: () => {} },
      daysOf: async (contracts) => contracts.map(() => []),
      daysVersions: async (contracts) => contracts.map(() => null),
      cover: (...of) => days.cover(...of),
      read: async (request) => {
        const read = await days.read(request);
        let isClosed = false;
        let given = 0;
        const next: DaysRead['next'] = async () => {
          given += 1;
          if (given <= resultsGiven) return await read.next();
          await endless(() => isClosed);
          throw new Refusal({ t: 'closed' });
        };
        const dispose = async () => {
          isClosed = true;
          await read[Symbol.asyncDispose]();
        };
        return { next, [Symbol.asyncDispose]: dispose };
      },
    },
    replays: {
      locate: async () => assert.fail('a page locates nothing by itself'),
      open: async ({ account = '' }) => {
        let isClosed = false;
        return {
          next: () =>
            turns.within(account, async () => {
              await endless(() => isClosed);
              throw new Refusal({ t: 'closed' });
            }),
          [Symbol.asyncDispose]: async () => {
            isClosed = true;
          },
        };
      },
    },
  });
  loopback.desk.open(desk);
  return loopback;
}

interface Client {
  readonly answer: Promise<Response>;
  leave(): void;
}

function ask(path: HistoryPath, key: string, fields: Fields = RANGE): Client {
  const leaving = new AbortController();
  const answer = fetch(`http://127.0.0.1:${port}${address(path, fields)}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: leaving.signal,
  });
  answer.catch(() => {});
  return { answer, leave: () => leaving.abort() };
}

async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await is())) await turn();
}

/** Checks that no work continues, no request waits, and nothing is held. */
async function isOver(reader: HistoryReader, limits = { units: BUDGET, bytes: VOLUME }) {
  await until(() => pool.counts.open === 0);
  assert.equal(pool.counts.waiting, 0);
  const done = slices;
  for (let turns = 0; turns < 20; turns += 1) await turn();
  assert.ok(slices <= done + 2, `${slices - done} slices more`);
  assert.equal(pool.counts.calls, 0);
  await until(async () => {
    const { remaining } = await reader.usage();
    return remaining.computeUnits === limits.units && remaining.exportBytes === limits.bytes;
  });
  assert.deepEqual(faults, []);
  assert.deepEqual(service.logged, []);
}

test('a client that goes while its page is computed ends the work at once and is charged nothing', async () => {
  for (const rest of [{}, { snapshot: 'true' }, { mode: 'confirmed' }]) {
    const reader = new HistoryReader(service, await service.customer('history'));
    const client = ask('/v1/history', reader.key, { ...RANGE, ...rest });
    const before = slices;
    await until(() => slices > before + 3);
    assert.equal(pool.counts.open, 1);
    const held = (await reader.usage()).remaining.computeUnits;
    assert.equal(held, BUDGET - 2 * TRADES_A_DAY);
    client.leave();
    await assert.rejects(client.answer);
    await isOver(reader);
    assert.equal((await reader.usage()).used.computeUnits, 0);
    assert.equal((await reader.usage()).used.historyItems, 0);
  }
});

test('a client that goes while it waits for room gives its place in the queue up', async () => {
  const reader = new HistoryReader(service, await service.customer('history'));
  const clients = [1, 2, 3, 4].map(() => ask('/v1/history', reader.key));
  await until(() => pool.counts.open === 2 && pool.counts.waiting === 2);
  clients[2]!.leave();
  await until(() => pool.counts.waiting === 1);
  assert.equal(pool.counts.open, 2);
  // The slot of one that goes is given to the next one.
  clients[0]!.leave();
  await until(() => pool.counts.waiting === 0);
  assert.equal(pool.counts.open, 2);
  for (const client of clients) client.leave();
  await Promise.all(clients.map(({ answer }) => assert.rejects(answer)));
  await isOver(reader);
  assert.equal((await reader.usage()).used.computeUnits, 0);
});

test('a client that goes before an export begins is charged nothing, one in the middle what it got [SEC-28] [COUNT-22] [COUNT-25]', async () => {
  const early = new HistoryReader(service, await service.customer('history'));
  const none = ask('/v1/export', early.key);
  await until(() => slices > 3);
  none.leave();
  await assert.rejects(none.answer);
  await isOver(early);
  const { used: unused } = await early.usage();
  assert.deepEqual([unused.computeUnits, unused.exportBytes], [0, 0]);

  resultsGiven = 1;
  const reader = new HistoryReader(service, await service.customer('history'));
  const client = ask('/v1/export', reader.key);
  const body = (await client.answer).body!.getReader();
  let received = 0;
  const before = slices;
  // The header and a day have come; then the work goes on without end, and nothing more comes.
  while (received < 1_000) received += (await body.read()).value!.length;
  await until(() => slices > before + 3);
  assert.equal(pool.counts.open, 1);
  client.leave();
  await assert.rejects(body.read());
  await isOver(reader, { units: BUDGET - 2 * TRADES_A_DAY, bytes: VOLUME - received });
  const { used } = await reader.usage();
  assert.deepEqual([used.computeUnits, used.exportBytes], [2 * TRADES_A_DAY, received]);
});

test('a client that goes while its cursor is waited for is waited for no longer, and gives its place back', async () => {
  const reader = new HistoryReader(service, await service.customer('history'));
  const { to: _to, ...range } = RANGE;
  const resume = Promise.withResolvers<void>();
  service.pausing = () => resume.promise;
  const paths = ['/v1/history', '/v1/history/estimate', '/v1/export'] as const;
  let gone = 0;
  service.http.app.server.on('request', (_request, response) => {
    response.once('close', () => {
      gone += 1;
    });
  });
  for (const [index, path] of paths.entries()) {
    const client = ask(path, reader.key, { ...range, untilCursor: '20261111.9999999.1' });
    await until(() => service.awaited.count === index + 1);
    client.leave();
    await assert.rejects(client.answer);
  }
  // The server notices a little later than the client.
  await until(() => gone === paths.length);
  const { pausedMs } = service;
  resume.resolve();
  service.pausing = () => turn();
  await until(() => service.awaited.count === 0);
  assert.equal(service.pausedMs, pausedMs);
  await isOver(reader);
});
