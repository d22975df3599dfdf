/** Exports that do not end by themselves: the service stops, or they take very long. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fillMarket } from '../../../testing/history/history-market.ts';
import { instantOf, RestService } from '../../../testing/rest/rest-service.ts';
import type { DaysPage } from '../../results/settled-days.ts';

const QUERY = new URLSearchParams({
  instrument: 'ESZ6',
  indicator: 'bars',
  params: JSON.stringify({ bar: 'tick', size: 5 }),
  from: '2026-11-08T14:40:00Z',
  to: '2026-11-10T15:10:00Z',
});

interface Asked extends AsyncDisposable {
  readonly service: RestService;
  readonly accountId: string;
  readonly socket: Socket;
  /** The service's end of it. */
  readonly line: Socket;
  /** All that came so far. */
  received(): Buffer;
}

/** A service that makes each further day of an export when `nextDay` allows it, and a client that requests it. */
async function asked(nextDay: (day: DaysPage) => Promise<DaysPage>): Promise<Asked> {
  const service = await RestService.start();
  fillMarket(service);
  const { days } = service.sources;
  service.sources = {
    ...service.sources,
    days: {
      cover: (...of) => days.cover(...of),
      read: async (request, signal) => {
        const read = await days.read(request);
        const gone = new Promise<never>((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        });
        gone.catch(() => {});
        return {
          next: async () => {
            const day = await read.next();
            return day === null ? null : await Promise.race([nextDay(day), gone]);
          },
          [Symbol.asyncDispose]: async () => await read[Symbol.asyncDispose](),
        };
      },
    },
  };
  // As the service does, which binds its sockets itself.
  const { app } = service.http;
  await app.ready();
  await once(app.server.listen(0, '127.0.0.1'), 'listening');
  const { port } = app.server.address() as AddressInfo;
  const accepted = once(app.server, 'connection');
  const accountId = await service.account('history');
  const { secret } = await service.key(accountId);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET /v1/export?${QUERY} HTTP/1.0\r\nauthorization: Bearer ${secret}\r\n\r\n`);
  const [line] = (await accepted) as [Socket];
  const pieces: Buffer[] = [];
  return {
    service,
    accountId,
    socket: socket.on('data', (piece) => pieces.push(piece as Buffer)),
    line,
    received: () => Buffer.concat(pieces),
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      await service[Symbol.asyncDispose]();
    },
  };
}

function bodyOf(answer: Buffer): Buffer {
  assert.match(answer.toString('latin1'), /^HTTP\/1\.1 200 /);
  return answer.subarray(answer.indexOf('\r\n\r\n') + 4);
}

async function usage({ service, accountId }: Asked) {
  const { used, reserved } = await service.store.usageOf(service.clock.now(), accountId, '2026-11');
  return { used: used.exportBytes, reserved: reserved.exportBytes };
}

const never = () => new Promise<never>(() => {});

test('what an export had written when the service stops is charged before all is over [COUNT-25] [SEC-28]', async () => {
  let made = 0;
  await using export_ = await asked(async (day) => {
    made += 1;
    return made > 2 ? await never() : day;
  });
  const { service, socket } = export_;
  // The header, and the one day of two that has results, are all that comes.
  while (made < 3) await turn();
  assert.deepEqual(await usage(export_), { used: 0, reserved: 1 });
  const closed = once(socket, 'close');
  await service.http.app.close();
  await service.http.idle();
  const charged = await usage(export_);
  await closed;
  assert.ok(charged.used > 0);
  assert.deepEqual(charged, { used: bodyOf(export_.received()).length, reserved: 0 });
});

test('a reader that takes nothing does not hold up the stop, and pays what left for it [COUNT-25] [SEC-28]', async () => {
  let made = 0;
  const lines = Buffer.alloc(64 * 1024 * 1024);
  await using export_ = await asked(async (day) => {
    made += 1;
    const frames = new Uint8Array(lines);
    return day.frames.length === 0 ? day : { ...day, frames };
  });
  const { service, socket } = export_;
  socket.pause();
  // Nothing moves any more when all buffers are full.
  for (let before = -1, still = 0; still < 200 || made < 2; ) {
    const { bytesWritten } = export_.line;
    still = bytesWritten === before ? still + 1 : 0;
    before = bytesWritten;
    await turn();
  }
  await service.http.app.close();
  await service.http.idle();
  const { used, reserved } = await usage(export_);
  assert.equal(reserved, 0);
  assert.ok(used > 0 && used < lines.length, String(used));
});

test('an export that outlasts its reservation is charged all the same, and holds nothing meanwhile [COUNT-25]', async () => {
  const gate = Promise.withResolvers<void>();
  let made = 0;
  await using export_ = await asked(async (day) => {
    made += 1;
    if (made > 2) await gate.promise;
    return day;
  });
  const { service, socket } = export_;
  while (made < 3) await turn();
  service.clock.advanceTo(instantOf('2026-11-11T20:00:00Z'));
  await service.store.sweep(service.clock.now());
  assert.deepEqual(await usage(export_), { used: 0, reserved: 0 });
  gate.resolve();
  await once(socket, 'close');
  assert.deepEqual(await usage(export_), { used: bodyOf(export_.received()).length, reserved: 0 });
});
