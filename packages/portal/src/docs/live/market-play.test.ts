import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { StreamClient, type WebSocketLike } from '@tapeloom/client/stream';
import { PortalError } from '../../api/portal-error.ts';
import { MarketPlay } from './market-play.ts';

type Kind = 'open' | 'message' | 'close' | 'error';

/** Sockets that open at once; the test sends their messages. */
class ToldSockets {
  readonly all: ToldSocket[] = [];
  tokens = 0;

  get open(): number {
    return this.all.filter(({ isOver }) => !isOver).length;
  }

  play(token = () => Promise.resolve('token')): MarketPlay {
    const made = (socket: ToldSocket) => this.all.push(socket);
    return new MarketPlay({
      token: () => {
        this.tokens += 1;
        return token();
      },
      client: (ask) =>
        new StreamClient({
          url: 'http://service.invalid',
          token: ask,
          WebSocket: class extends ToldSocket {
            constructor() {
              super();
              made(this);
            }
          },
        }),
    });
  }
}

class ToldSocket implements WebSocketLike {
  readonly sent: string[] = [];
  isOver = false;
  readonly #listeners: [Kind, (event: never) => void][] = [];

  constructor() {
    queueMicrotask(() => this.say('open', {}));
  }

  addEventListener(kind: Kind, hear: (event: never) => void): void {
    this.#listeners.push([kind, hear]);
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(code = 1000, reason = ''): void {
    this.end(code, reason);
  }

  end(code: number, reason = ''): void {
    if (this.isOver) return;
    this.isOver = true;
    this.say('close', { code, reason });
  }

  say(kind: Kind, event: object): void {
    for (const [it, hear] of this.#listeners) if (it === kind) hear(event as never);
  }

  refuse(sub: string, code: string): void {
    const data = JSON.stringify({ t: 'error', sub, code, message: 'no' });
    this.say('message', { data });
  }
}

const REQUEST = { indicator: 'delta', instrument: 'ES.c.0', params: {} };

async function settle(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await turn();
}

test('one connection at a time: what is asked for next replaces it, a hidden page gives it up, a click opens it again', async () => {
  const sockets = new ToldSockets();
  const play = sockets.play();
  play.open(REQUEST);
  await settle();
  assert.equal(play.stage.t, 'open');
  const asked = sockets.all[0]!.sent.map(
    (text) => JSON.parse(text) as { t: string; indicator?: string },
  );
  assert.deepEqual(
    asked.flatMap(({ indicator }) => indicator ?? []),
    ['delta', 'bars'],
  );
  play.open({ ...REQUEST, params: { size: 5 } });
  await settle();
  assert.deepEqual(
    [play.stage.t, sockets.open, sockets.all.length, sockets.tokens],
    ['open', 1, 2, 2],
  );
  play.hide();
  await settle();
  assert.deepEqual([play.stage.t, sockets.open], ['hidden', 0]);
  play.reopen();
  await settle();
  assert.deepEqual([play.stage.t, sockets.open], ['open', 1]);
  play.close();
  await settle();
  assert.deepEqual([play.stage.t, sockets.open], ['closed', 0]);
});

test('two clicks in a row open one connection', async () => {
  const sockets = new ToldSockets();
  const play = sockets.play();
  play.open(REQUEST);
  play.open({ ...REQUEST, instrument: 'BTC.c.0' });
  await settle();
  assert.deepEqual([play.stage.t, sockets.open], ['open', 1]);
  assert.equal(play.stream?.request.instrument, 'BTC.c.0');
  play.close();
});

test('a page that is hidden before its token has come opens nothing', async () => {
  const sockets = new ToldSockets();
  const token = Promise.withResolvers<string>();
  const play = sockets.play(() => token.promise);
  play.open(REQUEST);
  await settle();
  play.hide();
  token.resolve('token');
  await settle();
  assert.deepEqual([play.stage.t, sockets.all.length], ['hidden', 0]);
});

test('a plan without room, a full house and a session that is over are told in words', async () => {
  const sockets = new ToldSockets();
  const play = sockets.play();
  play.open(REQUEST);
  await settle();
  const sub = (
    JSON.parse(sockets.all[0]!.sent.find((text) => text.includes('delta'))!) as { sub: string }
  ).sub;
  sockets.all[0]!.refuse(sub, 'QUOTA_EXCEEDED');
  await settle();
  assert.deepEqual(play.stage.t, 'failed');
  assert.match((play.stage as { text: string }).text, /Other programs use all/);
  assert.equal(sockets.open, 0);

  const full = new ToldSockets();
  const waiting = full.play();
  waiting.open(REQUEST);
  await settle();
  full.all[0]!.end(4029, 'too many connections');
  await settle();
  assert.match((waiting.stage as { text: string }).text, /All connections of your plan are in use/);
  waiting.close();

  const over = new ToldSockets().play(() =>
    Promise.reject(new PortalError('UNAUTHORIZED', 'no session', { status: 401 })),
  );
  over.open(REQUEST);
  await settle();
  assert.deepEqual(over.stage, {
    t: 'failed',
    text: 'You are signed out. Sign in, then open the stream again.',
  });
});
