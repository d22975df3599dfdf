/** The connection of a page, over the client's own stream and sockets that the test plays. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { StreamClient } from '@tapeloom/client/stream';
import { StageSocket, StandingClock, speech } from '../../../client/testing/stream-stage.ts';
import { FakeBrowser } from '../../testing/tabs.ts';
import { SharedConnection, type StreamingClient, type TabsPort } from './shared-connection.ts';
import type { SharedState } from './sources.ts';

const REQUEST = { indicator: 'bars', instrument: 'ESZ6' };
const refuse = () => Promise.reject(new Error('not asked here'));

class Page {
  readonly clock = new StandingClock();
  readonly sockets: StageSocket[] = [];
  readonly states: SharedState['t'][] = [];
  readonly shared: SharedConnection;
  tokens: () => Promise<string> = () => Promise.resolve('token');
  #isHidden = false;
  readonly #hears = new Set<() => void>();

  constructor(connectionsMax = 5, tabs?: TabsPort) {
    const page = this;
    const { clock, sockets } = this;
    this.shared = new SharedConnection({
      token: () => this.tokens(),
      client: (token) => clientOver(clock, sockets, token),
      ...{ clock, connectionsMax, account: 'a' },
      ...(tabs === undefined ? {} : { tabs }),
      visibility: {
        get isHidden() {
          return page.#isHidden;
        },
        listen: (hear) => {
          this.#hears.add(hear);
          return () => this.#hears.delete(hear);
        },
      },
    });
    this.shared.onState(({ t }) => this.states.push(t));
  }

  get state(): SharedState {
    return this.shared.state;
  }

  get socket(): StageSocket {
    return this.sockets.at(-1)!;
  }

  get open(): number {
    return this.sockets.filter(({ isOver }) => !isOver).length;
  }

  hide(isHidden: boolean): void {
    this.#isHidden = isHidden;
    for (const hear of this.#hears) hear();
  }

  /** A subscription, with what it has heard. */
  subscribe() {
    const subscription = this.shared.subscribe(REQUEST);
    const heard: string[] = [];
    subscription.on('snapshot', ({ cursor }) => heard.push(`snapshot ${cursor}`));
    subscription.on('upsert', ({ cursor }) => heard.push(`upsert ${cursor}`));
    subscription.on('reset', ({ reason }) => heard.push(`reset ${reason}`));
    return { subscription, heard };
  }

  /** Connects the newest socket, and gives its newest subscription a state. */
  async connect(cursor = '20261117.5.1'): Promise<string> {
    await settle();
    this.socket.open();
    await settle();
    const { sub } = this.socket.sentOf('subscribe').at(-1)!;
    const say = speech(sub);
    this.socket.say(say.subscribed, say.status(), say.snapshot(cursor, 'a'));
    return sub;
  }
}

function clientOver(
  clock: StandingClock,
  sockets: StageSocket[],
  token: () => Promise<string>,
): StreamingClient {
  const client = new StreamClient({
    ...{ url: 'https://tape.example', clock, token, random: () => 0, onWarning: () => {} },
    WebSocket: class extends StageSocket {
      constructor(url: string) {
        super(url, null, clock.now());
        sockets.push(this);
      }
    },
  });
  return {
    subscribe: (request) => client.subscribe(request),
    get connection() {
      return client.connection;
    },
    on: (kind, hear) => client.on(kind, hear),
    close: () => client.close(),
    history: () => ({ pages: () => refuse() as never }),
    ...{ estimate: refuse, usage: refuse, instruments: refuse },
  };
}

async function settle(): Promise<void> {
  for (let at = 0; at < 6; at += 1) await turn();
}

test('all charts of a page share one connection', async () => {
  const page = new Page();
  page.subscribe();
  page.subscribe();
  await page.connect();
  assert.equal(page.sockets.length, 1);
  assert.equal(page.socket.sentOf('subscribe').length, 2);
  assert.deepEqual(page.states, ['connecting', 'open']);
});

test('a hidden page gives its stream up after a minute, and resumes after its cursor when it is seen', async () => {
  const page = new Page();
  const { subscription, heard } = page.subscribe();
  const sub = await page.connect();
  page.socket.say(speech(sub).upsert('20261117.6.1', 'a'));
  page.hide(true);
  for (let second = 0; second < 59; second += 1) {
    page.clock.pass(1_000);
    page.socket.say(speech(sub).hb('20261117.6.1'));
  }
  assert.equal(page.open, 1);
  page.clock.pass(1_000);
  assert.deepEqual([page.open, page.state.t], [0, 'paused']);
  assert.equal(subscription.state.cursor, '20261117.6.1');
  assert.equal(subscription.state.contract, 'ESZ6');
  page.clock.pass(3_600_000);
  assert.equal(page.sockets.length, 1, 'nothing is tried while hidden');
  page.hide(false);
  await settle();
  page.socket.open();
  await settle();
  const [asked] = page.socket.sentOf('subscribe');
  assert.deepEqual(asked!.from, { cursor: '20261117.6.1' });
  const say = speech(asked!.sub);
  page.socket.say(
    say.subscribed,
    say.status(),
    say.upsert('20261117.6.1', 'a'),
    say.upsert('20261117.7.1', 'a'),
  );
  assert.deepEqual(heard, ['snapshot 20261117.5.1', 'upsert 20261117.6.1', 'upsert 20261117.7.1']);
  assert.equal(page.state.t, 'open');
});

test('a page that is seen again within the minute keeps its stream', async () => {
  const page = new Page();
  page.subscribe();
  const sub = await page.connect();
  page.hide(true);
  page.clock.pass(4_000);
  page.hide(false);
  for (let second = 0; second < 20; second += 1) {
    page.clock.pass(5_000);
    page.socket.say(speech(sub).hb('20261117.6.1'));
  }
  assert.deepEqual([page.open, page.sockets.length, page.state.t], [1, 1, 'open']);
});

test('on a plan of one connection a hidden page gives it up at once', async () => {
  const page = new Page(1, new FakeBrowser().tab());
  page.subscribe();
  await page.connect();
  page.hide(true);
  assert.deepEqual([page.open, page.state.t], [0, 'paused']);
});

test('a second tab takes no connection by surprise: it waits, asks when its reader wants, and the first waits then', async () => {
  const browser = new FakeBrowser();
  const [one, other] = [new Page(1, browser.tab()), new Page(1, browser.tab())];
  const first = one.subscribe();
  await one.connect();
  other.subscribe();
  await settle();
  other.clock.pass(600_000);
  assert.deepEqual([other.state.t, other.sockets.length], ['other-tab', 0]);
  assert.equal(one.state.t, 'open');
  other.shared.useHere();
  await settle();
  assert.deepEqual([one.state.t, one.open], ['other-tab', 0]);
  await other.connect();
  assert.equal(other.state.t, 'open');
  one.shared.useHere();
  await settle();
  assert.equal(other.state.t, 'other-tab');
  one.socket.open();
  await settle();
  assert.deepEqual(one.socket.sentOf('subscribe')[0]!.from, { cursor: '20261117.5.1' });
  assert.deepEqual(first.heard, ['snapshot 20261117.5.1']);
});

test('when the tab that has the connection is closed or hidden, the one that waits gets it', async () => {
  const browser = new FakeBrowser();
  const [one, other] = [new Page(1, browser.tab()), new Page(1, browser.tab())];
  one.subscribe();
  await one.connect();
  other.subscribe();
  await settle();
  one.hide(true);
  await other.connect();
  assert.equal(other.state.t, 'open');
  other.hide(true);
  one.hide(false);
  await settle();
  assert.equal(one.sockets.length, 2);
  await one.shared.close();
  other.hide(false);
  await settle();
  assert.equal(other.sockets.length, 2);
});

test('a hidden tab does not wait for the connection, so it cannot get it', async () => {
  const browser = new FakeBrowser();
  const [one, other] = [new Page(1, browser.tab()), new Page(1, browser.tab())];
  one.subscribe();
  await one.connect();
  other.subscribe();
  await settle();
  other.hide(true);
  await one.shared.close();
  await settle();
  assert.equal(other.sockets.length, 0);
});

test('another program has the connection: the client tries for two minutes, then a reader decides', async () => {
  const page = new Page(1);
  const { subscription } = page.subscribe();
  await settle();
  page.socket.open();
  page.socket.end(4029, 'too many connections');
  assert.equal(page.state.t, 'other-tab');
  let tries = 1;
  for (let second = 0; second < 200; second += 1) {
    page.clock.pass(1_000);
    await settle();
    if (page.sockets.length === tries) continue;
    tries = page.sockets.length;
    page.socket.open();
    page.socket.end(4029, 'too many connections');
  }
  assert.ok(tries > 5 && tries < 30, String(tries));
  assert.equal(page.state.t, 'other-tab');
  page.clock.pass(600_000);
  assert.equal(page.sockets.length, tries);
  page.shared.useHere();
  await page.connect();
  assert.equal(page.state.t, 'open');
  assert.equal(subscription.state.cursor, '20261117.5.1');
});

test('a lost connection is known with its beginning, and can be tried at once', async () => {
  const page = new Page();
  page.subscribe();
  await page.connect();
  const lostAt = page.clock.now();
  page.socket.end();
  for (let at = 0; at < 6; at += 1) {
    page.clock.pass(10_000);
    await settle();
    if (!page.socket.isOver) page.socket.fail();
  }
  const { state } = page;
  assert.ok(state.t === 'lost' && state.atMs === lostAt && state.retryInMs! > 5_000);
  const tried = page.sockets.length;
  page.shared.tryNow();
  await settle();
  assert.equal(page.sockets.length, tried + 1);
  page.socket.open();
  await settle();
  assert.equal(page.state.t, 'open');
  assert.deepEqual(page.socket.sentOf('subscribe')[0]!.from, { cursor: '20261117.5.1' });
});

test('the session ends: subscriptions keep their places, and go on after a new sign-in', async () => {
  const page = new Page();
  const { subscription, heard } = page.subscribe();
  await page.connect();
  let hasEnded = false;
  void subscription.ended.then(() => {
    hasEnded = true;
  });
  page.socket.end(4003, 'KEY_REVOKED');
  await settle();
  assert.deepEqual([page.state.t, hasEnded], ['signed-out', false]);
  page.clock.pass(600_000);
  assert.equal(page.sockets.length, 1);
  page.shared.resume();
  await settle();
  page.socket.open();
  await settle();
  const [asked] = page.socket.sentOf('subscribe');
  assert.deepEqual(asked!.from, { cursor: '20261117.5.1' });
  page.socket.say(speech(asked!.sub).subscribed, speech(asked!.sub).upsert('20261117.8.1', 'a'));
  assert.deepEqual(heard.at(-1), 'upsert 20261117.8.1');
});

test('no token, since the session has ended: nothing is tried until the reader signs in', async () => {
  const page = new Page();
  page.tokens = () => Promise.reject(Object.assign(new Error('no session'), { status: 401 }));
  page.subscribe();
  await settle();
  assert.equal(page.state.t, 'signed-out');
  page.clock.pass(600_000);
  await settle();
  assert.equal(page.sockets.length, 0);
  page.tokens = () => Promise.resolve('token');
  page.shared.resume();
  await page.connect();
  assert.equal(page.state.t, 'open');
});

test('rights that have changed are said, and a hidden page does not forget it', async () => {
  const page = new Page();
  page.subscribe();
  await page.connect();
  page.socket.end(4003, 'ENTITLEMENTS_CHANGED');
  await settle();
  assert.deepEqual(page.state, { t: 'ended', code: 'ENTITLEMENTS_CHANGED' });
  page.hide(true);
  page.clock.pass(100_000);
  page.hide(false);
  await settle();
  assert.deepEqual([page.state.t, page.sockets.length], ['ended', 1]);
});

test('one subscription is refused: it ends, the others go on', async () => {
  const page = new Page();
  const { subscription } = page.subscribe();
  page.subscribe();
  await settle();
  page.socket.open();
  await settle();
  const [first] = page.socket.sentOf('subscribe');
  page.socket.say(speech(first!.sub).error('QUOTA_EXCEEDED'));
  const error = await subscription.ended;
  assert.equal(error!.code, 'QUOTA_EXCEEDED');
  assert.equal(page.state.t, 'open');
});

test('a laptop that slept comes back with its cursor; a clock that was set back changes nothing', async () => {
  const page = new Page();
  const { heard } = page.subscribe();
  const sub = await page.connect();
  page.clock.sleep(8 * 3_600_000);
  await settle();
  assert.equal(page.state.t, 'lost');
  page.clock.pass(60_000);
  await settle();
  page.socket.open();
  await settle();
  assert.deepEqual(page.socket.sentOf('subscribe')[0]!.from, { cursor: '20261117.5.1' });
  page.clock.jump(-3_600_000);
  page.socket.say(speech(page.socket.sentOf('subscribe')[0]!.sub).upsert('20261117.9.1', 'a'));
  assert.deepEqual([page.state.t, heard.length, sub.length > 0], ['open', 2, true]);
});

test('without charts there is no connection and no claim', async () => {
  const browser = new FakeBrowser();
  const page = new Page(1, browser.tab());
  const { subscription } = page.subscribe();
  await page.connect();
  await subscription.close();
  await settle();
  assert.deepEqual([page.state.t, page.open], ['idle', 0]);
  const other = new Page(1, browser.tab());
  other.subscribe();
  await other.connect();
  assert.equal(other.state.t, 'open');
});
