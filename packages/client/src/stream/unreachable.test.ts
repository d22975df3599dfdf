/** A service that cannot be reached: one warning with the reason, the same in `cause`, and no endless wait. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ownCertificate } from '../../../server/testing/rest/own-authority.ts';
import { StreamStage, speech } from '../../testing/stream-stage.ts';
import type { ClientOptions, ClientWarning, WebSocketConstructor } from '../options.ts';
import type { ConnectionLoss } from './connection-events.ts';
import { StreamClient } from './stream-client.ts';

/** How the first attempt at an address ended, and the warning after three. */
async function attempts(
  url: string,
  options: ClientOptions = {},
): Promise<{ cause: ConnectionLoss; warning: ClientWarning }> {
  const { promise: warned, resolve: onWarning } = Promise.withResolvers<ClientWarning>();
  // Waits before the next attempt end at once.
  const clock = {
    now: () => performance.now(),
    after: (ms: number, call: () => void) => {
      const timer = setTimeout(call, ms > 10_000 ? ms : 0);
      return { cancel: () => clearTimeout(timer) };
    },
  };
  const client = new StreamClient({ url, key: 'svc_test_x', clock, onWarning, ...options });
  const { promise: lost, resolve } = Promise.withResolvers<ConnectionLoss>();
  client.on('connection', ({ cause }) => cause && resolve(cause));
  client.subscribe({ indicator: 'bars', instrument: 'ESZ6' });
  const told = { cause: await lost, warning: await warned };
  await client.close();
  return told;
}

test('a connection that is refused says so, by `cause` and by one warning', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const { cause, warning } = await attempts(`http://127.0.0.1:${port}`);
  assert.deepEqual([cause.code, cause.reason], [1006, 'connection refused']);
  assert.equal(warning.code, 'CONNECTION_FAILED');
  assert.match(warning.message, new RegExp(`ws://127.0.0.1:${port}/v1.*connection refused`));
});

test('a host that does not exist says so', async () => {
  const { cause } = await attempts('http://no-such-host.invalid');
  assert.equal(cause.reason, 'unknown host');
});

test('an answer that is no stream says its HTTP status', async () => {
  const server = createServer((_request, response) => {
    response.statusCode = 404;
    response.end('nothing here');
  });
  server.on('upgrade', (_request, socket) => {
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { cause } = await attempts(`http://127.0.0.1:${port}`);
  assert.equal(cause.reason, 'HTTP 404');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a certificate that nobody vouches for says so', async () => {
  const server = createTlsServer(ownCertificate());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { cause, warning } = await attempts(`https://127.0.0.1:${port}`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  // Newer versions of Node append a hint.
  assert.match(cause.reason, /^certificate: self-signed certificate/);
  assert.match(warning.message, /certificate: self-signed certificate/);
  // A certificate without its intermediate, in Node's words; `ws` reports it in an event.
  const error = Object.assign(new Error('unable to verify the first certificate'), {
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  });
  class Failing extends EventTarget {
    constructor() {
      super();
      queueMicrotask(() => {
        this.dispatchEvent(Object.assign(new Event('error'), { error }));
        this.dispatchEvent(Object.assign(new Event('close'), { code: 1006, reason: '' }));
      });
    }
    close() {}
  }
  const WebSocket = Failing as unknown as WebSocketConstructor;
  const incomplete = await attempts('https://127.0.0.1:1', { WebSocket });
  assert.equal(incomplete.cause.reason, 'certificate: unable to verify the first certificate');
});

test('it is warned of at the third failure in a row, once, and once more after a connection that lasted', () => {
  const stage = new StreamStage();
  const told = () => stage.warnings.filter(({ code }) => code === 'CONNECTION_FAILED').length;
  stage.subscribe();
  for (const count of [0, 0, 1, 1, 1]) {
    stage.socket.end();
    assert.equal(told(), count);
    stage.passToRetry();
  }
  stage.socket.open();
  stage.clock.pass(14_000);
  stage.socket.end();
  stage.passToRetry();
  stage.socket.end();
  stage.passToRetry();
  assert.equal(told(), 1);
  stage.socket.end();
  assert.equal(told(), 2);
});

test('readyTimeout rejects `ready` with what is known; the subscription goes on', async () => {
  const stage = new StreamStage();
  const subscription = stage.subscribe({ readyTimeout: 5_000 });
  stage.socket.end(1013, 'RESTARTING');
  stage.clock.pass(4_999);
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  subscription.ready.then(settle, settle);
  await Promise.resolve();
  assert.equal(isSettled, false);
  stage.clock.pass(1);
  await assert.rejects(subscription.ready, {
    code: 'NETWORK',
    message: 'No state came within 5 s: RESTARTING (1013).',
  });
  stage.passToRetry();
  stage.socket.open();
  const { sub } = stage.socket.sentOf('subscribe').at(-1)!;
  stage.socket.say(speech(sub).subscribed, speech(sub).snapshot('20261112.5.1', 'a'));
  assert.equal(subscription.state.objects.size, 1);
});

test('readyTimeout leaves no timer behind', async () => {
  const stage = new StreamStage();
  const subscription = stage.subscribe({ readyTimeout: 5_000 });
  stage.socket.open();
  const { sub } = stage.socket.sentOf('subscribe').at(-1)!;
  stage.socket.say(speech(sub).subscribed, speech(sub).snapshot('20261112.5.1', 'a'));
  await subscription.ready;
  const another = stage.subscribe({ readyTimeout: 5_000 });
  await another.close();
  await stage.client.close();
  await Promise.resolve();
  assert.equal(stage.clock.timers, 0);
  assert.throws(() => new StreamStage().subscribe({ readyTimeout: 0 }), { code: 'CONFIGURATION' });
});

test('the error page of a proxy is no token: it is warned of, and a token is asked for again', async () => {
  const tokens = ['<html><h1>502 Bad Gateway</h1></html>', '', 'two words', 'st_good'];
  const stage = new StreamStage({ token: () => tokens.shift()! });
  stage.subscribe();
  for (const count of [1, 2, 3]) {
    while (stage.warnings.length < count) await new Promise((resolve) => setTimeout(resolve, 0));
    assert.equal(stage.warnings.at(-1)!.code, 'TOKEN_FAILED');
    assert.equal(stage.sockets.length, 0);
    stage.passToRetry();
  }
  while (stage.sockets.length === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  stage.socket.open();
  assert.deepEqual(stage.socket.sentOf('auth'), [{ t: 'auth', token: 'st_good' }]);
});

test('debug logs the life of a connection, and no token', async () => {
  const lines: string[] = [];
  const stage = new StreamStage({
    debug: (line) => lines.push(line),
    token: () => 'st_secret',
  });
  stage.subscribe();
  await new Promise((resolve) => setTimeout(resolve, 0));
  stage.socket.open();
  const { sub } = stage.socket.sentOf('subscribe').at(-1)!;
  stage.socket.say(speech(sub).subscribed, speech(sub).snapshot('20261112.5.1', 'a'));
  stage.socket.end(1013, 'RESTARTING');
  const text = lines.join('\n');
  for (const said of [
    /connection connecting/,
    /connection open/,
    /sent auth/,
    /sent .*"subscribe".*"bars"/,
    /s1 snapshot 20261112\.5\.1, 1 objects/,
    /connection waiting, next attempt in 1000 ms: RESTARTING \(1013\)/,
  ]) {
    assert.match(text, said);
  }
  assert.ok(!text.includes('st_secret'));
});
