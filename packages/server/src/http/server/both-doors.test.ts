import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../testing/rest/rest-service.ts';
import { InProcessStream } from '../../../testing/stream/in-process-stream.ts';
import { StreamClient } from '../../../testing/stream/stream-client.ts';
import { newKeyText, newTokenText } from '../../accounts/auth/secret.ts';
import {
  DoorSockets,
  type SocketLimits,
  socketLimits,
} from '../../platform/network/door-sockets.ts';

const guess = () => `Bearer ${newKeyText('live', randomBytes)}`;

/** REST and the stream behind one port, as in production, over the same accounts and the same sockets. */
class BothDoors implements AsyncDisposable {
  readonly rest: RestService;
  readonly port: number;
  readonly #stream: InProcessStream;

  private constructor(rest: RestService, stream: InProcessStream, port: number) {
    this.rest = rest;
    this.#stream = stream;
    this.port = port;
  }

  static async open(limits: Partial<SocketLimits> = {}): Promise<BothDoors> {
    const sockets = new DoorSockets({ ...socketLimits(1_000), ...limits });
    const rest = await RestService.start({
      sockets,
      onUpgrade: (...upgrade) => stream.gateway.handleUpgrade(...upgrade),
    });
    const { clock, authThrottle, authenticator } = rest;
    const stream = await InProcessStream.start({ clock, authThrottle, authenticator, sockets });
    return new BothDoors(rest, stream, await rest.listen());
  }

  get counts() {
    return this.rest.sockets.counts;
  }

  /** The code with which a connection with this header is closed. */
  async closeCode(authorization: string): Promise<number> {
    using client = new StreamClient(this.url, authorization);
    return (await client.closed).code;
  }

  async tokenCloseCode(token: string): Promise<number> {
    using client = await new StreamClient(this.url).opened();
    client.send({ t: 'auth', token });
    return (await client.closed).code;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/v1`;
  }

  get(authorization: string): ReturnType<RestService['get']> {
    return this.rest.get('/v1/usage', { headers: { authorization }, address: '127.0.0.1' });
  }

  async socket(): Promise<Socket> {
    const before = this.counts.all + this.counts.strangersCutTotal;
    const socket = connect(this.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    while (this.counts.all + this.counts.strangersCutTotal === before) await turn();
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stream[Symbol.asyncDispose]();
    await this.rest[Symbol.asyncDispose]();
  }
}

/** One request over a socket that stays open; resolves to the status. */
async function ask(socket: Socket, authorization?: string): Promise<number> {
  const header = authorization === undefined ? '' : `Authorization: ${authorization}\r\n`;
  const path = authorization === undefined ? '/v1/status' : '/v1/usage';
  socket.write(`HEAD ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  return Number(head.toString('latin1').split(' ')[1]);
}

/** A request for the stream, with these header fields in place of good ones; resolves to its answer. */
async function shake(
  port: number,
  fields: Readonly<Record<string, string | null>>,
  method = 'GET',
) {
  const socket = connect(port, '127.0.0.1');
  const all = {
    Host: 'x',
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    'Sec-WebSocket-Version': '13',
    ...fields,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : `${name}: ${value}`,
  );
  socket.write(`${method} /v1 HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  while (!text.includes('\r\n\r\n')) await turn();
  if (text.startsWith('HTTP/1.1 101')) {
    socket.destroy();
    return null;
  }
  await once(socket, 'close');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [status = '', ...rest] = head.split('\r\n');
  const headers = Object.fromEntries(
    rest.map((line) => [line.split(': ')[0]!.toLowerCase(), line.slice(line.indexOf(': ') + 2)]),
  );
  return { status: Number(status.split(' ')[1]), headers, body: body && JSON.parse(body) };
}

test('a handshake gets none of the subprotocols it asks for, and is refused without one good Host', async () => {
  await using doors = await BothDoors.open();
  const socket = connect(doors.port, '127.0.0.1');
  socket.write(
    'GET /v1 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: foo\r\n' +
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  );
  const [first] = await once(socket.setEncoding('latin1'), 'data');
  socket.destroy();
  assert.match(String(first), /^HTTP\/1\.1 101 /);
  assert.doesNotMatch(String(first), /sec-websocket-protocol/i);
  for (const host of [null, 'a b']) {
    const answer = await shake(doors.port, { Host: host });
    checkProblem(answer!, DOCS_URL, { status: 400, code: 'INVALID_PARAMETERS' });
  }
});

test('a handshake that cannot become a stream gets the error document, and version 13 is the only one [ERR-01]', async () => {
  await using doors = await BothDoors.open();
  const bad = { status: 400, code: 'INVALID_PARAMETERS' } as const;
  const cases: readonly (readonly [Readonly<Record<string, string | null>>, string])[] = [
    [{ 'Sec-WebSocket-Version': '8' }, 'Version'],
    [{ 'Sec-WebSocket-Version': '14' }, 'Version'],
    [{ 'Sec-WebSocket-Version': '13.0' }, 'Version'],
    [{ 'Sec-WebSocket-Version': null }, 'Version'],
    [{ 'Sec-WebSocket-Key': null }, 'Key'],
    [{ 'Sec-WebSocket-Key': 'short' }, 'Key'],
    [{ 'Sec-WebSocket-Protocol': 'a, a' }, 'Protocol'],
    [{ 'Sec-WebSocket-Protocol': 'a b' }, 'Protocol'],
    [{ 'Sec-WebSocket-Protocol': '' }, 'Protocol'],
  ];
  for (const [fields, about] of cases) {
    const answer = await shake(doors.port, fields);
    assert.ok(answer !== null, JSON.stringify(fields));
    const { detail } = checkProblem(answer, DOCS_URL, bad);
    assert.ok(detail.includes(`Sec-WebSocket-${about}`), detail);
    assert.equal(answer.headers['sec-websocket-version'], about === 'Version' ? '13' : undefined);
  }
  const posted = await shake(doors.port, {}, 'POST');
  checkProblem(posted!, DOCS_URL, { status: 405, code: 'NOT_FOUND' });
  assert.equal(await shake(doors.port, {}), null);
  assert.equal(await shake(doors.port, { 'Sec-WebSocket-Protocol': 'a, b' }), null);
});

test('failures over REST and the stream, by header and by token, count at one throttle; a valid key passes both doors all the same [SEC-07]', async () => {
  await using doors = await BothDoors.open();
  const unseen = await doors.rest.customer('live');
  for (let count = 0; count < 10; count += 1) {
    assert.equal(await doors.closeCode(guess()), 4001);
    assert.equal(await doors.tokenCloseCode(newTokenText(randomBytes)), 4001);
    checkProblem(await doors.get(guess()), DOCS_URL, { status: 401, code: 'UNAUTHORIZED' });
  }
  // The stream has spent REST's allowance, and the reverse; its close code does not show it.
  const limited = await doors.get(guess());
  checkProblem(limited, DOCS_URL, { status: 429, code: 'RATE_LIMITED' });
  assert.equal(await doors.closeCode(guess()), 4001);
  assert.equal(await doors.tokenCloseCode(newTokenText(randomBytes)), 4001);
  assert.equal(doors.rest.authThrottle.throttledTotal, 3);
  using known = await new StreamClient(doors.url, `Bearer ${unseen}`).opened();
  await known.answered();
  assert.equal((await doors.get(`Bearer ${unseen}`)).status, 200);
  const other = await doors.rest.customer('live');
  assert.equal((await doors.get(`Bearer ${other}`)).status, 200);
});

test('an account that connects and goes without end is closed with 1013, and another is not [CLOSE-07]', async () => {
  await using doors = await BothDoors.open();
  const [restless, calm] = [await doors.rest.customer(), await doors.rest.customer()];
  const caller = await doors.rest.authThrottle.byKey('127.0.0.1', `Bearer ${restless}`);
  assert.ok(caller.verdict === 'accepted');
  for (let count = 0; count < 59; count += 1) doors.rest.authThrottle.connects(caller.caller);
  using last = await new StreamClient(doors.url, `Bearer ${restless}`).opened();
  await last.answered();
  using beyond = new StreamClient(doors.url, `Bearer ${restless}`);
  const { code, reason } = await beyond.closed;
  assert.deepEqual(
    [code, reason],
    [1013, 'Too many new connections from your account; try again in 1 s'],
  );
  using other = await new StreamClient(doors.url, `Bearer ${calm}`).opened();
  await other.answered();
  doors.rest.clock.advance(1_000);
  // With one connection open, the plan is the limit that applies.
  assert.equal(await doors.closeCode(`Bearer ${restless}`), 4029);
});

test('idle sockets of an address give way to its next ones, and those with a key stay [SEC-37]', async () => {
  await using doors = await BothDoors.open({ strangersPerAddress: 4 });
  const key = `Bearer ${await doors.rest.customer()}`;
  const customer = await doors.socket();
  assert.equal(await ask(customer, key), 200);
  using streaming = await new StreamClient(doors.url, key).opened();
  await streaming.answered();
  const idle: Socket[] = [];
  for (let count = 0; count < 4; count += 1) idle.push(await doors.socket());
  assert.equal(await ask(idle[0]!), 200);
  const closed = once(idle[1]!, 'close');
  const next = await doors.socket();
  await closed;
  assert.equal(doors.counts.strangers, 4);
  for (const socket of [customer, next, idle[0]!]) assert.equal(await ask(socket, key), 200);
  await streaming.answered();
  while (doors.counts.requests > 0) await turn();
  const { strangers, streams } = doors.counts;
  assert.deepEqual([strangers, streams], [2, 1]);
  for (const socket of [customer, next, ...idle]) socket.destroy();
  while (doors.counts.all > 1) await turn();
});

test('requests beyond their share are answered 503, and the connection serves later ones [SEC-37]', async () => {
  await using doors = await BothDoors.open({ requests: 1 });
  const key = `Bearer ${await doors.rest.customer()}`;
  const [one, other] = [await doors.socket(), await doors.socket()];
  // A body that does not come keeps a request under way.
  one.write(
    `POST /v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  );
  while (doors.counts.requests === 0) await turn();
  assert.equal(await ask(other, key), 503);
  one.destroy();
  while (doors.counts.requests > 0) await turn();
  assert.equal(await ask(other, key), 200);
  other.destroy();
});
