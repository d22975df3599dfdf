import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../../../../../simulation/clock/manual-clock.ts';
import { SlowReader } from '../../../../../../simulation/network/slow-reader.ts';
import { digestHere } from '../../../../testing/digest-here.ts';
import { StreamedAnswer, writeStreamed } from './streamed-answer.ts';
import { UnreadAnswers, type UnreadLimits } from './unread-answers.ts';

const KIB = 1_024;
const MIB = KIB * KIB;
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

interface Rig extends Disposable {
  readonly clock: ManualClock;
  readonly unread: UnreadAnswers;
  /** Requests that have begun. */
  turns(): number;
  /** A new client, with a request whose answer counts for its holder. */
  ask(holder?: string): Promise<SlowReader>;
  listen(): Promise<number>;
}

type Answer = (response: ServerResponse, unread: UnreadAnswers) => unknown;

function rig(answer: Answer, limits: Partial<UnreadLimits> = {}): Rig {
  const clock = new ManualClock(0n);
  const unread = new UnreadAnswers(clock, limits);
  let turns = 0;
  const server = createServer(async (request, response) => {
    const { socket } = request;
    try {
      await unread.turn(socket, response);
      turns += 1;
      unread.requireRoom(socket, request.headers.host ?? '');
    } catch {
      response.writeHead(503).end();
      return;
    }
    await answer(response, unread);
    unread.lineOf(socket).recount();
  });
  unread.watch(server);
  return {
    clock,
    unread,
    turns: () => turns,
    ask: async (holder = 'x') => {
      const reader = new SlowReader(server).ask(GET.replace('x', holder));
      await manyTurns(4);
      return reader;
    },
    listen: async () => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return (server.address() as AddressInfo).port;
    },
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function manyTurns(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await turn();
}

/** So many seconds pass, and the client takes so much in each of them. */
async function read(
  { clock }: Pick<Rig, 'clock'>,
  reader: SlowReader,
  seconds: number,
  bytesASecond: number,
) {
  for (let second = 0; second < seconds && !reader.destroyed; second += 1) {
    reader.consume(bytesASecond);
    await turn();
    clock.advance(1_000);
  }
}

const plain =
  (bytes: number): Answer =>
  (response) =>
    response.end(Buffer.alloc(bytes));

function streamed(chunks: () => AsyncGenerator<Uint8Array>): Answer {
  return (response, unread) => {
    response.writeHead(200);
    const answer = new StreamedAnswer({
      headers: {},
      chunks: chunks(),
      digest: digestHere,
      onWritten: async () => {},
    });
    void writeStreamed(response, answer, unread.lineOf(response.socket!));
  };
}

const endless = (bytes: number) =>
  streamed(async function* () {
    for (;;) yield Buffer.alloc(bytes);
  });

test('who reads 5 KiB a second may go on for ever, who reads 3 is cut after a minute [SEC-38]', async () => {
  for (const answer of [plain(4 * MIB), endless(20 * KIB), endless(3 * MIB)]) {
    using service = rig(answer);
    const [steady, slow] = [await service.ask(), await service.ask()];
    await read(service, steady, 200, 5 * KIB);
    assert.equal(slow.destroyed, true, 'who takes nothing at all meanwhile is gone');
    assert.equal(steady.destroyed, false);
    assert.ok(steady.received.length > 900 * KIB);
    // The minute before still counts.
    await read(service, steady, 15, 3 * KIB);
    assert.equal(steady.destroyed, false);
    await read(service, steady, 30, 3 * KIB);
    assert.equal(steady.destroyed, true);
    assert.deepEqual(service.unread.cutTotal, { stalled: 2, share: 0, flood: 0 });
    await turn();
    assert.equal(service.unread.bytes, 0);
    assert.equal(service.clock.timerCount, 0);
  }
});

test('what is too little to be read for a minute at that rate has a minute [SEC-38]', async () => {
  using service = rig(plain(100));
  const reader = await service.ask();
  service.clock.advance(60_000);
  assert.equal(reader.destroyed, false);
  service.clock.advance(5_000);
  assert.equal(reader.destroyed, true);
});

test('a jump of the clock cuts nobody', async () => {
  const ticks: (() => void)[] = [];
  const unread = new UnreadAnswers({
    every: (_ms, run) => {
      ticks.push(run);
      return { [Symbol.dispose]: () => {} };
    },
  });
  const server = createServer((_request, response) => response.end(Buffer.alloc(100)));
  unread.watch(server);
  const reader = new SlowReader(server).ask(GET);
  new SlowReader(server);
  await turn();
  for (let look = 0; look < 12; look += 1) ticks[0]!();
  assert.equal(reader.destroyed, false, 'looks are counted, not hours');
  ticks[0]!();
  assert.equal(reader.destroyed, true);
  assert.equal(ticks.length, 1, 'one timer for all');
});

test('the time in which nothing is there to be read does not count [SEC-38]', async () => {
  const gates: (() => void)[] = [];
  using service = rig(
    streamed(async function* () {
      for (;;) {
        yield Buffer.alloc(KIB);
        await new Promise<void>((resolve) => void gates.push(resolve));
      }
    }),
  );
  const reader = await service.ask();
  for (let minute = 0; minute < 10; minute += 1) {
    // Behind at every check, yet never for long.
    await read(service, reader, 4, 0);
    reader.consume(MIB);
    await manyTurns(2);
    gates.pop()?.();
    await manyTurns(2);
    await read(service, reader, 56, 0);
    reader.consume(MIB);
    await manyTurns(2);
    service.clock.advance(60_000 * (minute % 3));
  }
  assert.equal(reader.destroyed, false);
});

test('a connection has one answer at a time, however many requests are sent ahead [SEC-36] [SEC-38]', async () => {
  using service = rig(plain(100_000));
  const reader = await service.ask();
  reader.ask(GET.repeat(20));
  await manyTurns(4);
  assert.equal(service.turns(), 1);
  reader.consume(100_500);
  await manyTurns(4);
  assert.equal(service.turns(), 2);
  assert.ok(service.unread.bytes < 101_000);
  reader.consume(10 * MIB);
  for (let index = 0; index < 20; index += 1) {
    await manyTurns(4);
    reader.consume(10 * MIB);
  }
  assert.equal(service.turns(), 21);
  assert.equal(reader.received.toString('latin1').match(/HTTP\/1\.1 200/g)?.length, 21);
  assert.equal(reader.destroyed, false);
});

test('of requests without end some are answered, the last with the end of the connection; a flood is cut [SEC-36]', async () => {
  using service = rig(plain(10));
  const reader = await service.ask();
  reader.ask(GET.repeat(40));
  await manyTurns(4);
  for (let index = 0; index < 40; index += 1) {
    reader.consume(MIB);
    await manyTurns(4);
  }
  const text = reader.received.toString('latin1');
  assert.equal(text.match(/HTTP\/1\.1 200/g)?.length, 33);
  assert.match(text.slice(text.lastIndexOf('HTTP/1.1')), /connection: close/i);
  assert.equal(service.unread.cutTotal.flood, 0);
  const flooding = await service.ask();
  flooding.ask(GET.repeat(500));
  await manyTurns(4);
  assert.equal(flooding.destroyed, true);
  assert.equal(service.unread.cutTotal.flood, 1);
});

test('a client that reads nothing of a large answer, on a real socket, is cut within 65 seconds [SEC-38]', async () => {
  using service = rig(plain(64 * MIB));
  const port = await service.listen();
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).pause();
  socket.write(GET.repeat(5));
  await stillUnsent(service);
  const { bytes } = service.unread;
  // Bytes that the system took are not ours any more.
  assert.ok(bytes > 32 * MIB && bytes < 64 * MIB, String(bytes));
  service.clock.advance(60_000);
  assert.equal(service.unread.cutTotal.stalled, 0);
  service.clock.advance(5_000);
  assert.equal(service.unread.cutTotal.stalled, 1);
  assert.equal(service.unread.bytes, 0);
  assert.equal(service.turns(), 1);
  await closed(socket);
});

/** All buffers are full once nothing moves any more. */
async function stillUnsent({ unread }: Rig): Promise<void> {
  for (let before = -1, still = 0; still < 50 || before === 0; ) {
    const { bytes } = unread;
    still = bytes === before ? still + 1 : 0;
    before = bytes;
    await turn();
  }
}

async function closed(socket: Socket): Promise<void> {
  socket.resume();
  await new Promise<void>((resolve) => void socket.once('close', () => resolve()));
}

test('who has more waiting than his share is refused, and his streams wait; nobody else [SEC-36] [SEC-37]', async () => {
  let made = 0;
  const stream = streamed(async function* () {
    for (;;) {
      made += 1;
      yield Buffer.alloc(100 * KIB);
    }
  });
  using service = rig(
    (response, unread) =>
      unread.lineOf(response.socket!).holder.startsWith('stream')
        ? stream(response, unread)
        : plain(400 * KIB)(response, unread),
    { eachMax: 500 * KIB },
  );
  const status = (reader: SlowReader) => reader.received.toString('latin1', 9, 12);
  const answered = async (holder: string) => {
    const reader = await service.ask(holder);
    reader.consume(20);
    return status(reader);
  };
  const readers = [await service.ask('a'), await service.ask('a')];
  assert.equal(await answered('a'), '503');
  assert.equal(await answered('b'), '200');
  readers[0]!.consume(MIB);
  assert.equal(await answered('a'), '200', 'there is room again');
  // Ten streams of one holder together: no more than its share and the first chunk of each.
  const streams = [];
  for (let count = 0; count < 10; count += 1) streams.push(await service.ask('stream'));
  await manyTurns(10);
  const begun = made;
  assert.ok(begun <= 10, `${begun} chunks`);
  service.clock.advance(10_000);
  await manyTurns(10);
  assert.equal(made, begun, 'nothing is made for who does not read');
  for (const reader of streams) reader.consume(MIB);
  await manyTurns(10);
  assert.ok(made > begun);
});

test('when all is full, who has most loses what stands still longest, and nobody else anything [SEC-37]', async () => {
  using service = rig(plain(MIB), { eachMax: 100 * MIB, allMax: 10 * MIB + 100 * KIB });
  const small = [await service.ask('small'), await service.ask('other')];
  const first = await service.ask('large');
  const second = await service.ask('large');
  service.clock.advance(15_000);
  // The first is read a little, so the second has stood still longer.
  first.consume(KIB);
  service.clock.advance(5_000);
  const rest = [];
  for (let count = 0; count < 6; count += 1) rest.push(await service.ask('large'));
  assert.deepEqual(service.unread.cutTotal.share, 0);
  const newcomer = await service.ask('newcomer');
  assert.equal(second.destroyed, true);
  assert.equal(service.unread.cutTotal.share, 1);
  for (const reader of [...small, first, ...rest, newcomer]) assert.equal(reader.destroyed, false);
  assert.ok(service.unread.bytes <= 10 * MIB + 100 * KIB);
});

test('a request to upgrade behind an answer that is not read ends the connection', async () => {
  const clock = new ManualClock(0n);
  const unread = new UnreadAnswers(clock);
  const server = createServer(async (request, response) => {
    await unread.turn(request.socket, response);
    response.end(Buffer.alloc(100_000));
  });
  unread.watch(server);
  let upgrades = 0;
  unread.handOver(server, (request, socket) => {
    upgrades += 1;
    if (request.url === '/refused') socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    else socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  });
  const UPGRADE = GET.replace('Host', 'Connection: Upgrade\r\nUpgrade: websocket\r\nHost');
  const behind = new SlowReader(server).ask(GET, UPGRADE);
  const refused = new SlowReader(server).ask(UPGRADE.replace('/ ', '/refused '));
  const accepted = new SlowReader(server).ask(UPGRADE);
  await manyTurns(4);
  assert.equal(behind.destroyed, true);
  assert.equal(upgrades, 2);
  clock.advance(65_000);
  assert.equal(refused.destroyed, true, 'a refusal is an answer like others');
  assert.equal(accepted.destroyed, false, 'the stream has a rule of its own');
  accepted.destroy();
});
