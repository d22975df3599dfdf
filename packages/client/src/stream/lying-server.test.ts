import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  frame,
  type LiedToCaller,
  LyingServer,
} from '../../../../simulation/network/lying-server.ts';
import { STAGE_KEY, StandingClock, speech } from '../../testing/stream-stage.ts';
import type { ClientWarning } from '../options.ts';
import type { ConnectionState } from './connection-events.ts';
import { StreamClient } from './stream-client.ts';

const { subscribed, status, snapshot, upsert, remove, reset } = speech('s1');

describe('over real sockets, a server that', () => {
  const page = '<html><body>Sorry</body></html>';
  const answers = [
    [
      'redirects',
      'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/v1\r\nContent-Length: 0\r\n\r\n',
    ],
    [
      'answers with a page',
      `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\n\r\n${page}`,
    ],
    ['is a proxy without a server', 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'],
    [
      'asks for a retry after a day',
      'HTTP/1.1 503 Busy\r\nRetry-After: 86400\r\nContent-Length: 0\r\n\r\n',
    ],
    ['accepts with a wrong proof', handshakeWith('d3Jvbmc=')],
    ['speaks no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ] as const;
  for (const [what, answer] of answers) {
    test(`${what} is tried again, and no line to it stays open`, async () => {
      await using stage = await LyingStage.start();
      stage.subscribe();
      for (const waitMs of [250, 500]) {
        const caller = (await stage.server.next()).sayBytes(answer);
        await stage.reaches('waiting');
        await caller.gone;
        stage.clock.pass(waitMs);
      }
      (await stage.server.next()).accept();
      await stage.reaches('open');
    });
  }

  test('hangs up is tried again', async () => {
    await using stage = await LyingStage.start();
    stage.subscribe();
    (await stage.server.next()).lose();
    await stage.reaches('waiting');
    stage.clock.pass(250);
    await stage.server.next();
  });

  test('never answers the handshake is given up after 15 s, and its line is cut', async () => {
    await using stage = await LyingStage.start();
    stage.subscribe();
    const caller = await stage.server.next();
    stage.clock.pass(15_000);
    await caller.gone;
    assert.equal(stage.client.connection, 'waiting');
  });

  test('falls silent is given up after 15 s, and its line is cut', async () => {
    await using stage = await LyingStage.start();
    stage.subscribe();
    const caller = (await stage.server.next()).accept();
    await caller.find('subscribe');
    stage.clock.pass(15_000);
    await caller.gone;
    assert.equal(stage.client.connection, 'waiting');
  });

  test('does not answer a close is waited for 2 s, and its line is cut', async () => {
    await using stage = await LyingStage.start();
    stage.subscribe();
    const caller = (await stage.server.next()).accept();
    await caller.find('subscribe');
    const closing = stage.client.close();
    stage.clock.pass(2_000);
    await Promise.all([closing, caller.gone]);
    assert.equal(stage.clock.timers, 0);
  });

  test('is left while it still thinks about the handshake is cut at once', async () => {
    await using stage = await LyingStage.start();
    const subscription = stage.subscribe();
    const caller = await stage.server.next();
    await subscription.close();
    await caller.gone;
  });

  const ends = [
    [1000, '', 'waiting', null],
    [1001, '', 'waiting', null],
    [1002, '', 'stopped', 'PROTOCOL_ERROR'],
    [1003, '', 'stopped', 'BINARY_NOT_SUPPORTED'],
    [1007, '', 'stopped', 'INVALID_UTF8'],
    [1008, '', 'waiting', null],
    [1009, '', 'stopped', 'MESSAGE_TOO_BIG'],
    [1011, '', 'waiting', null],
    [1012, '', 'waiting', null],
    [1013, '', 'waiting', null],
    [4001, '', 'stopped', 'UNAUTHORIZED'],
    [4003, 'KEY_REVOKED', 'stopped', 'KEY_REVOKED'],
    [4003, 'ENTITLEMENTS_CHANGED', 'stopped', 'ENTITLEMENTS_CHANGED'],
    [4008, 'SLOW_CONSUMER', 'connecting', null],
    [4029, '', 'waiting', null],
  ] as const;
  test('closes with any code is gone back to or left as the code says', async () => {
    await using stage = await LyingStage.start();
    for (const [code, reason, state, name] of ends) {
      const client = stage.another();
      const subscription = client.subscribe({ indicator: 'bars', instrument: 'ESZ6' });
      const caller = (await stage.server.next()).accept();
      await caller.find('subscribe');
      const changed = reaches(client, state);
      caller.close(code, reason);
      await changed;
      if (name !== null) assert.equal((await subscription.ended)?.code, name, `${code}`);
      if (state === 'connecting') await stage.server.next();
      await client.close();
    }
  });

  const broken = [
    ['frames of no kind', Buffer.from([0x83, 0x00])],
    ['masked frames', Buffer.from([0x81, 0x81, 1, 2, 3, 4, 5])],
    ['frames of an extension', Buffer.from([0xc1, 0x01, 0x41])],
    ['a text that is no UTF-8', frame(1, Buffer.from([0xff, 0xfe]))],
    ['a close of one byte', frame(8, Buffer.from([3]))],
    ['half a frame, then nothing', Buffer.from([0x81])],
    ['a binary message', frame(2, Buffer.from('{"t":"hb","ts":"1"}'))],
    ['no JSON', frame(1, Buffer.from('Service Unavailable'))],
    ['wrong types', frame(1, Buffer.from('{"t":"upsert","sub":"s1","cursor":7}'))],
  ] as const;
  for (const [what, bytes] of broken) {
    test(`sends ${what} is gone back to, from the last cursor`, async () => {
      await using stage = await LyingStage.start();
      const subscription = stage.subscribe();
      const first = await stage.accepted();
      first.say(subscribed, status(), snapshot('20261112.5.1', 'a'));
      await subscription.ready;
      first.sayBytes(bytes);
      if (bytes.length === 1) first.lose();
      await stage.reaches('waiting');
      await first.gone;
      stage.clock.pass(250);
      const second = await stage.accepted();
      assert.deepEqual((await second.find('subscribe')).from, { cursor: '20261112.5.1' });
      assert.deepEqual([...subscription.state.objects.keys()], ['a']);
    });
  }

  test('repeats itself, goes back and starts over is believed only as far as the rules go', async () => {
    await using stage = await LyingStage.start();
    const subscription = stage.subscribe();
    const caller = await stage.accepted();
    caller.say(upsert('20261112.1.1', 'too early'), subscribed, status());
    caller.say(snapshot('20261112.5.1', 'a'), upsert('20261112.6.1', 'b'));
    caller.say(upsert('20261112.6.1', 'twice'), upsert('20261112.2.1', 'old'));
    caller.say(remove('20261112.6.1', 'a'), snapshot('20261112.3.1', 'c'));
    caller.say(upsert('20261112.4.1', 'd'), reset('source_gap'), upsert('20261112.9.1', 'void'));
    caller.say(snapshot('20261112.1.1', 'e'), { t: 'of a later server' });
    const told: string[] = [];
    for await (const update of subscription) {
      if ('cursor' in update) told.push(`${update.t} ${update.cursor}`);
      else told.push(update.t);
      if (told.length === 7) break;
    }
    assert.deepEqual(told, [
      'status',
      'snapshot 20261112.5.1',
      'upsert 20261112.6.1',
      'snapshot 20261112.3.1',
      'upsert 20261112.4.1',
      'reset',
      'snapshot 20261112.1.1',
    ]);
    assert.deepEqual([...subscription.state.objects.keys()], ['e']);
  });
});

/** A client and a server that sends it invalid messages. */
class LyingStage implements AsyncDisposable {
  readonly clock = new StandingClock();
  readonly server: LyingServer;
  readonly warnings: ClientWarning[] = [];
  readonly client: StreamClient;
  readonly #clients: StreamClient[] = [];

  private constructor(server: LyingServer) {
    this.server = server;
    this.client = this.another();
  }

  static async start(): Promise<LyingStage> {
    return new LyingStage(await LyingServer.start());
  }

  another(): StreamClient {
    const client = new StreamClient({
      url: this.server.url,
      key: STAGE_KEY,
      clock: this.clock,
      random: () => 0,
      onWarning: (warning) => this.warnings.push(warning),
    });
    this.#clients.push(client);
    return client;
  }

  subscribe() {
    return this.client.subscribe({ indicator: 'bars', instrument: 'ESZ6' });
  }

  /** The next caller, after the handshake. */
  async accepted(): Promise<LiedToCaller> {
    const caller = (await this.server.next()).accept();
    assert.equal(caller.request.headers.authorization, `Bearer ${STAGE_KEY}`);
    await caller.find('subscribe');
    return caller;
  }

  reaches(state: ConnectionState): Promise<void> {
    return reaches(this.client, state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closing = Promise.all(this.#clients.map((client) => client.close()));
    this.clock.pass(2_000);
    await closing;
    assert.equal(this.clock.timers, 0);
    await Promise.all(this.server.callers.map(({ gone }) => gone));
    await this.server[Symbol.asyncDispose]();
  }
}

async function reaches(client: StreamClient, state: ConnectionState): Promise<void> {
  if (client.connection === state) return;
  await new Promise<void>((resolve) => {
    const stop = client.on('connection', (change) => {
      if (change.state !== state) return;
      stop();
      resolve();
    });
  });
}

function handshakeWith(proof: string): string {
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${proof}\r\n\r\n`;
}
