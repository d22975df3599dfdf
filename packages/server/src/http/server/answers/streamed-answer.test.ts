import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../../../../../simulation/clock/manual-clock.ts';
import { digestHere } from '../../../../testing/digest-here.ts';
import { freeMemory } from '../../../platform/memory/free-memory.ts';
import { StreamedAnswer, writeStreamed } from './streamed-answer.ts';
import { UnreadAnswers } from './unread-answers.ts';

interface Outcome {
  /** Each number of bytes reported as written. */
  readonly told: readonly number[];
  readonly fault: unknown;
  readonly isClosed: boolean;
}

/** Serves one answer of these chunks to one client, and returns the outcome. */
async function served(
  chunks: () => AsyncGenerator<Uint8Array>,
  client: (socket: Socket, told: readonly number[]) => Promise<void>,
  clock = new ManualClock(0n),
  { version = '1.0', digest = digestHere } = {},
): Promise<Outcome> {
  const told: number[] = [];
  let isClosed = false;
  const ended = Promise.withResolvers<unknown>();
  async function* watched() {
    try {
      yield* chunks();
    } finally {
      isClosed = true;
    }
  }
  const onWritten = async (bytes: number) => void told.push(bytes);
  const unread = new UnreadAnswers(clock);
  const server = createServer((request, response) => {
    response.writeHead(200);
    const answer = new StreamedAnswer({ headers: {}, chunks: watched(), digest, onWritten });
    const line = unread.lineOf(request.socket);
    const over = writeStreamed(response, answer, line).finally(() => {
      // As the sender does with an answer that was cut.
      if (!response.writableEnded) response.destroy();
    });
    over.then(() => ended.resolve(null), ended.resolve);
  });
  unread.watch(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET / HTTP/${version}\r\nHost: x\r\nConnection: close\r\n\r\n`);
  await client(socket, told);
  const fault = await ended.promise;
  socket.destroy();
  await once(server.close(), 'close');
  assert.equal(clock.timerCount, 0);
  assert.equal(unread.bytes, 0);
  return { told, fault, isClosed };
}

/** All that comes, without the head. */
async function body(socket: Socket): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece);
  const all = Buffer.concat(pieces);
  return all.subarray(all.indexOf('\r\n\r\n') + 4);
}

test('what was written is told once, before the client can know that it is over [SEC-28]', async () => {
  const sizes = [1, 100_000, 65_536, 3_000_000, 0, 7];
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  const { told, fault, isClosed } = await served(
    async function* () {
      for (const size of sizes) yield Buffer.alloc(size, size % 251);
    },
    async (socket, toldSoFar) => {
      assert.equal((await body(socket)).length, whole);
      assert.deepEqual(toldSoFar, [whole]);
    },
  );
  assert.deepEqual([told, fault, isClosed], [[whole], null, true]);
});

test('a client that takes nothing for a minute is cut off; what it took is counted [SEC-28]', async () => {
  const clock = new ManualClock(0n);
  let sent = 0;
  const { told, fault, isClosed } = await served(
    async function* () {
      for (;;) {
        yield Buffer.alloc(1_000_000);
        sent += 1_000_000;
      }
    },
    async (socket) => {
      socket.pause();
      // All buffers are full when nothing moves any more.
      for (let before = -1, still = 0; still < 200; still = before === sent ? still + 1 : 0) {
        before = sent;
        await turn();
      }
      clock.advance(65_000);
    },
    clock,
  );
  assert.equal(fault, null);
  assert.ok(isClosed);
  assert.equal(told.length, 1);
  assert.ok(told[0]! > 0 && told[0]! <= sent + 1_000_000);
});

test('a fault in the middle cuts the answer off, so that nobody takes it for whole', async () => {
  const { told, fault, isClosed } = await served(
    async function* () {
      yield Buffer.alloc(1_000);
      throw new Error('a damaged day');
    },
    async (socket) => {
      const received = await body(socket).catch(() => Buffer.alloc(0));
      assert.ok(received.length <= 1_000);
    },
  );
  assert.match(String(fault), /a damaged day/);
  assert.ok(isClosed);
  assert.equal(told.length, 1);
});

test('a client that goes ends the reading, and is no fault', async () => {
  let sent = 0;
  const { told, fault, isClosed } = await served(
    async function* () {
      for (;;) {
        yield Buffer.alloc(100_000);
        sent += 100_000;
        await turn();
      }
    },
    async (socket) => {
      await once(socket, 'data');
      socket.destroy();
    },
  );
  assert.equal(fault, null);
  assert.ok(isClosed);
  assert.ok(told[0]! <= sent + 100_000);
});

test('an answer in chunks ends with the digest of all that has left, and gives its memory away', async () => {
  const chunks = [300, 100_000, 65_536, 1_000_000].map((size) => new Uint8Array(size).fill(size));
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  const expected = hash.digest('base64');
  // One comes in pieces, as those of exports do.
  const [small, first, second, large] = chunks;
  const pieces = [small, first, second, large!.subarray(0, 300_000), large!.subarray(300_000)];
  const added: number[] = [];
  const digest = () => {
    const here = digestHere();
    return {
      ...here,
      add: (part: Uint8Array) => {
        added.push(part.length);
        here.add(part);
        freeMemory(part.buffer);
      },
    };
  };
  const { fault } = await served(
    async function* () {
      for (const piece of pieces) yield piece!;
    },
    async (socket) => {
      const text = (await body(socket)).toString('latin1');
      assert.ok(text.endsWith(`0\r\nContent-Digest: sha-256=:${expected}:\r\n\r\n`));
    },
    undefined,
    { version: '1.1', digest },
  );
  assert.equal(fault, null);
  assert.deepEqual(added, [300, 100_000, 65_536, 1_000_000]);
});

test('an answer whose digest is lost is cut off, and what was written is told all the same [SEC-28]', async () => {
  const digest = () => ({ ...digestHere(), end: () => Promise.reject(new Error('lost')) });
  const { told, fault } = await served(
    async function* () {
      yield Buffer.alloc(100_000);
    },
    async (socket) => {
      const received = await body(socket).catch(() => Buffer.alloc(0));
      assert.ok(!received.toString('latin1').endsWith('0\r\n\r\n'));
    },
    undefined,
    { version: '1.1', digest },
  );
  assert.match(String(fault), /lost/);
  assert.deepEqual(told, [100_000]);
});

/** A response whose socket has ended: Node keeps later writes and never reports on them. */
class EndedResponse extends EventEmitter {
  destroyed = false;
  readonly socket = null;
  readonly writableNeedDrain = false;

  write(): boolean {
    return true;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

test('an answer ends with its connection, though nothing is told of its writes [SEC-28]', async () => {
  const response = new EndedResponse();
  const told: number[] = [];
  const answer = new StreamedAnswer({
    headers: {},
    chunks: (async function* () {
      yield Buffer.alloc(100);
    })(),
    digest: digestHere,
    onWritten: async (bytes) => void told.push(bytes),
  });
  const line = new UnreadAnswers(new ManualClock(0n)).lineOf(new Socket());
  const over = writeStreamed(response as never as ServerResponse, answer, line);
  await turn();
  assert.deepEqual(told, [], 'it waits for its writes');
  response.destroy();
  await over;
  assert.deepEqual(told, [0]);
});
