/** All answers of the public port, to clients that do not read them. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { SlowReader } from '../../../../../simulation/network/slow-reader.ts';
import { fillMarket } from '../../../testing/history/history-market.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';

const MIB = 1024 ** 2;
const EVERYTHING = 64 * MIB;
/** More than several pieces of an answer. */
const LARGE_BYTES = MIB;
/** As zstd has it. */
const SKIPPABLE_FRAME = 0x184d2a50;
const RANGE = new URLSearchParams({
  instrument: 'ESZ6',
  indicator: 'bars',
  params: JSON.stringify({ bar: 'tick', size: 5 }),
  from: '2026-11-08T14:40:00Z',
  to: '2026-11-10T15:10:00Z',
});

let service: RestService;
let server: Server;
let account = '';
let key = '';
before(async () => {
  service = await RestService.start({ unread: { eachMax: 64 * 1024 } });
  fillMarket(service);
  await service.http.app.ready();
  server = service.http.app.server;
  account = await service.account('live_history');
  key = (await service.key(account)).secret;
});
after(() => service[Symbol.asyncDispose]());

const requestOf = (line: string, secret = key) =>
  `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n\r\n`;

/** Waits until something was written for this client. */
async function waits(reader: SlowReader): Promise<SlowReader> {
  while (reader.writableLength === 0) await turn();
  return reader;
}

async function readAll(reader: SlowReader, isWhole: (text: string) => boolean): Promise<Buffer> {
  while (!isWhole(reader.received.toString('latin1'))) {
    reader.consume(EVERYTHING);
    await turn();
  }
  return reader.received;
}

const isDocument = (text: string) => text.endsWith('}');

test('every kind of answer is cut when nobody reads it for a minute, and no other connection [SEC-38]', async () => {
  const answers = [
    requestOf('GET /v1/keys'),
    requestOf('GET /v1/usage'),
    requestOf(`GET /v1/history?${RANGE}`),
    requestOf(`GET /v1/export?${RANGE}`),
    requestOf('GET /v1/indicators'),
    requestOf('GET /v1/openapi.json'),
    requestOf('HEAD /v1/instruments'),
    requestOf('OPTIONS /v1/keys'),
    requestOf('GET /v1/nothing'),
    requestOf('DELETE /v1/usage'),
    requestOf('GET /v1/keys', 'nobody'),
    requestOf('GET /v1/%'),
    'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    'this is not HTTP\r\n\r\n',
    'POST /v1/keys HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n',
  ];
  const good = new SlowReader(server).ask(requestOf('GET /v1/usage'));
  await readAll(await waits(good), isDocument);
  const before = service.unread.cutTotal.stalled;
  const readers: SlowReader[] = [];
  for (const text of answers) readers.push(await waits(new SlowReader(server).ask(text)));
  // The last one has a limit of its own for its body.
  const upload = readers.pop()!;
  service.clock.advance(9_000);
  upload.ask('x'.repeat(5_000));
  service.clock.advance(51_000);
  for (const [index, reader] of readers.entries()) {
    assert.equal(reader.destroyed, false, String(answers[index]));
  }
  service.clock.advance(5_000);
  for (const [index, reader] of [...readers, upload].entries()) {
    assert.equal(reader.destroyed, true, String(answers[index]));
  }
  assert.equal(service.unread.cutTotal.stalled - before, answers.length);
  assert.equal(good.destroyed, false);
  await turn();
  assert.equal(service.unread.bytes, 0);
});

test('an export that was cut for not being read is charged what it wrote, and resumed to the same bytes [SEC-28] [SEC-38]', async () => {
  const exported = async (path: string) => {
    const reader = await waits(new SlowReader(server).ask(requestOf(`GET ${path}`)));
    // After the last chunk comes the digest.
    const bytes = await readAll(reader, (text) => /\r\n0\r\n(?:[^\r\n]+\r\n)*\r\n$/.test(text));
    reader.destroy();
    return unchunked(bytes);
  };
  const used = async () => {
    const { used: now, reserved } = await service.store.usageOf(
      service.clock.now(),
      account,
      '2026-11',
    );
    return { used: now.exportBytes, reserved: reserved.exportBytes };
  };
  const { sources } = service;
  service.sources = largeSources(sources);
  const whole = await exported(`/v1/export?${RANGE}`);
  const before = await used();
  const cut = await waits(new SlowReader(server).ask(requestOf(`GET /v1/export?${RANGE}`)));
  // It reads half of it, and then nothing more.
  while (unchunked(cut.received).length < LARGE_BYTES / 2) {
    cut.consume(10_000);
    await turn();
  }
  const taken = unchunked(cut.received).length;
  await waits(cut);
  service.clock.advance(65_000);
  assert.equal(cut.destroyed, true);
  await service.http.idle();
  const { used: after_, reserved } = await used();
  assert.equal(reserved, 0);
  const charged = after_ - before.used;
  // Only pieces that left as a whole are charged.
  assert.ok(charged > 0 && charged <= taken, `${charged} of ${taken} bytes`);
  const token = /^x-export-token: (.*)\r$/im.exec(cut.received.toString('latin1'))![1]!;
  const again = await exported(`/v1/export?resume=${token}`);
  assert.ok(again.equals(whole));
  const rest = await exported(`/v1/export?resume=${token}&line=1`);
  assert.ok(rest.length < whole.length && rest.equals(whole.subarray(-rest.length)));
  service.sources = sources;
});

/** Exports are as long as this and some more: each page has a frame besides that expands to nothing. */
function largeSources({ days, ...others }: RestService['sources']): RestService['sources'] {
  const skipped = Buffer.alloc(LARGE_BYTES);
  skipped.writeUInt32LE(SKIPPABLE_FRAME, 0);
  skipped.writeUInt32LE(LARGE_BYTES - 8, 4);
  return {
    ...others,
    days: {
      cover: (...of) => days.cover(...of),
      read: async (request) => {
        const read = await days.read(request);
        return {
          next: async () => {
            const page = await read.next();
            return (
              page && { ...page, frames: new Uint8Array(Buffer.concat([page.frames, skipped])) }
            );
          },
          [Symbol.asyncDispose]: () => read[Symbol.asyncDispose](),
        };
      },
    },
  };
}

/** A chunked body, as far as it came. */
function unchunked(answer: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = answer.indexOf('\r\n\r\n') + 4; ; ) {
    const end = answer.indexOf('\r\n', at);
    const size = end < 0 ? 0 : Number.parseInt(answer.toString('latin1', at, end), 16);
    if (size === 0) return Buffer.concat(pieces);
    pieces.push(answer.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

test('an account that does not read gets 503 CAPACITY until it does, other accounts all they want [SEC-36] [SEC-37]', async () => {
  const [idle, other] = [await service.customer(), await service.customer()];
  const unread: SlowReader[] = [];
  const bytes = () => unread.reduce((sum, reader) => sum + reader.writableLength, 0);
  while (bytes() < 64 * 1024) {
    unread.push(
      await waits(new SlowReader(server).ask(requestOf('GET /v1/instruments?dataset=SIM', idle))),
    );
  }
  const refused = await service.get('/v1/usage', { key: idle });
  assert.equal(refused.status, 503);
  assert.equal(refused.body.code, 'CAPACITY');
  assert.equal(refused.headers['retry-after'], '10');
  assert.equal((await service.get('/v1/usage', { key: other })).status, 200);
  assert.equal((await service.get('/v1/openapi.json')).status, 200);
  for (const reader of unread) await readAll(reader, isDocument);
  assert.equal((await service.get('/v1/usage', { key: idle })).status, 200);
});

test('of hundreds of requests sent ahead on a real socket that is not read few are worked at [SEC-36]', async () => {
  const port = await service.listen();
  let begun = 0;
  service.http.app.server.on('request', () => {
    begun += 1;
  });
  const secret = await service.customer('live_history');
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).pause();
  await once(socket, 'connect');
  const gone = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  const cut = service.unread.cutTotal.flood;
  socket.write(requestOf('GET /v1/indicators', secret).repeat(600));
  while (service.unread.cutTotal.flood === cut) await turn();
  assert.ok(begun > 64);
  assert.ok(service.unread.bytes < 2 * MIB);
  socket.resume();
  await gone;
});

test('broken HTTP behind an answer that is being written is no part of it', async () => {
  const reader = await waits(new SlowReader(server).ask(requestOf('GET /v1/openapi.json')));
  reader.consume(1_000);
  reader.ask('this is not HTTP\r\n\r\n');
  while (!reader.destroyed) await turn();
  reader.consume(EVERYTHING);
  assert.doesNotMatch(reader.received.toString('latin1'), /HTTP\/1\.1 400/);
});
