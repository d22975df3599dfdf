import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import {
  MisconfiguredError,
  StartRefusedError,
} from '../../operations/start/start-refused-error.ts';
import { listen, listenPublicly } from './listen.ts';

const linuxMissing = process.platform !== 'linux' && 'only Linux shares a port out among sockets';
const CLIENTS = 64;
const DOOR = { host: 'TAPELOOM_HOST', port: 'TAPELOOM_PORT' };

async function refusalOf(host: string, port: number): Promise<StartRefusedError> {
  const server = createServer();
  try {
    await listen(server, host, port, DOOR);
  } catch (error) {
    assert.ok(error instanceof StartRefusedError, String(error));
    return error;
  } finally {
    server.close();
  }
  return assert.fail('the port was opened');
}

test('an address that this machine does not have is a wrong setting, named by both variables', async () => {
  const error = await refusalOf('192.0.2.77', 8080);
  assert.ok(error instanceof MisconfiguredError);
  assert.equal(
    error.message,
    'cannot listen on 192.0.2.77:8080 (TAPELOOM_HOST, TAPELOOM_PORT): this machine does not have that address',
  );
});

test('a port that is in use may be free later, so the start may be tried again', async () => {
  const first = createServer();
  const { port } = new URL(await listen(first, '127.0.0.1', 0, DOOR));
  const error = await refusalOf('127.0.0.1', Number(port));
  first.close();
  assert.ok(!(error instanceof MisconfiguredError));
  assert.match(error.message, /\(TAPELOOM_PORT\): the port is in use$/);
});

test('a public port accepts several connections in one turn of the event loop', {
  skip: linuxMissing,
}, async () => {
  const server = createServer();
  using port = await listenPublicly(server, '127.0.0.1', 0, DOOR);
  const { promise: isDone, resolve } = Promise.withResolvers<void>();
  let [accepted, turn, inTurn, most] = [0, 0, 0, 0];
  const count = () => {
    turn += 1;
    if (accepted < CLIENTS) setImmediate(count);
  };
  let last = -1;
  server.on('connection', (socket) => {
    inTurn = turn === last ? inTurn + 1 : 1;
    last = turn;
    most = Math.max(most, inTurn);
    accepted += 1;
    socket.destroy();
    if (accepted === CLIENTS) resolve();
  });
  setImmediate(count);
  const clients = Array.from({ length: CLIENTS }, () =>
    connect(Number(new URL(port.address).port), '127.0.0.1').on('error', () => {}),
  );
  await isDone;
  assert.ok(most > 1, `${most} in one turn`);
  for (const client of clients) client.destroy();
  server.close();
});

test('nobody listens on a public port beside another service, nor beside a socket of any kind', async () => {
  for (const open of [listen, listenPublicly]) {
    const first = createServer();
    const opened = await open(first, '127.0.0.1', 0, DOOR);
    const address = typeof opened === 'string' ? opened : opened.address;
    const second = createServer();
    await assert.rejects(
      listenPublicly(second, '127.0.0.1', Number(new URL(address).port), DOOR),
      /the port is in use$/,
    );
    assert.equal(second.listening, false);
    if (typeof opened !== 'string') opened[Symbol.dispose]();
    first.close();
  }
});
