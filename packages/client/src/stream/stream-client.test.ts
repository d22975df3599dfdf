import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STAGE_KEY, StreamStage, speech } from '../../testing/stream-stage.ts';
import type { ClientOptions } from '../options.ts';
import { StreamClient } from './stream-client.ts';

describe('options', () => {
  const wrong: readonly (readonly [string, object, RegExp])[] = [
    ['an address that is none', { url: 'tape.example' }, /"url"/],
    ['an address of another kind', { url: 'ftp://tape.example' }, /"url"/],
    ['an address with a password', { url: 'https://a:b@tape.example' }, /"url"/],
    ['a key with a line break', { key: `${STAGE_KEY}\n` }, /"key"/],
    ['a token that is no function', { token: 'svc_token_x' }, /"token"/],
    ['both a key and a token', { key: STAGE_KEY, token: () => 'x' }, /not both/],
  ];
  for (const [what, options, message] of wrong) {
    test(`${what}: CONFIGURATION [CLIENT-27]`, () => {
      assert.throws(() => new StreamClient(options as ClientOptions), {
        name: 'TapeloomError',
        code: 'CONFIGURATION',
        message,
      });
    });
  }

  test('a wrong key is never told', () => {
    try {
      new StreamClient({ key: `${STAGE_KEY} ` });
      assert.fail('it was taken');
    } catch (error) {
      assert.doesNotMatch(String(error), /svc_test/);
    }
  });

  test('neither a key nor a token: CONFIGURATION at the first subscription [CLIENT-27]', () => {
    const client = new StreamClient({});
    assert.throws(() => client.subscribe({ indicator: 'bars', instrument: 'ESZ6' }), {
      code: 'CONFIGURATION',
    });
  });

  test('what cannot be asked for costs no connection [CLIENT-27]', () => {
    const stage = new StreamStage();
    const requests = [
      { indicator: '' },
      { instrument: 5 },
      { queueMax: 0 },
      { keepFinal: -1 },
      { params: { text: 'x'.repeat(70_000) } },
      { from: { time: new Date(Number.NaN) } },
    ];
    for (const request of requests) {
      assert.throws(() => stage.subscribe(request), { code: 'CONFIGURATION' });
    }
    assert.equal(stage.sockets.length, 0);
  });

  test('a platform that takes no headers stops with CONFIGURATION [CLIENT-27]', async () => {
    const stage = new StreamStage({
      WebSocket: class {
        constructor() {
          throw new SyntaxError("The subprotocol '[object Object]' is invalid.");
        }
      } as unknown as NonNullable<ClientOptions['WebSocket']>,
    });
    const error = await stage.subscribe().ended;
    assert.equal(error?.code, 'CONFIGURATION');
    assert.ok(error.cause instanceof SyntaxError);
  });
});

describe('tokens', () => {
  test('are asked for before each connection, and are the first message', async () => {
    let count = 0;
    const stage = new StreamStage({
      token: () => {
        count += 1;
        return Promise.resolve(`svc_token_${count}`);
      },
    });
    stage.subscribe();
    for (const token of ['svc_token_1', 'svc_token_2', 'svc_token_3']) {
      await turns();
      assert.equal(stage.socket.headers, null);
      stage.socket.open();
      assert.deepEqual(stage.socket.sent[0], { t: 'auth', token });
      assert.equal(stage.socket.sent[1]?.t, 'subscribe');
      stage.socket.end();
      stage.passToRetry();
    }
  });

  const faults: readonly (readonly [string, () => unknown])[] = [
    ['throws', () => assert.fail('no backend')],
    ['rejects', () => Promise.reject(new Error('no backend'))],
    ['gives no text', () => 42],
    ['gives an empty text', () => ''],
  ];
  for (const [what, fault] of faults) {
    test(`a function that ${what} is asked again, ever later, and it is told`, async () => {
      let isFaulty = true;
      const stage = new StreamStage({
        token: () => (isFaulty ? (fault() as string) : 'svc_token_1'),
      });
      stage.subscribe();
      await turns();
      assert.equal(stage.passToRetry(), 250);
      await turns();
      assert.equal(stage.passToRetry(), 500);
      await turns();
      isFaulty = false;
      assert.equal(stage.passToRetry(), 1_000);
      await turns();
      assert.equal(stage.sockets.length, 1);
      assert.deepEqual(
        stage.warnings.map(({ code }) => code),
        ['TOKEN_FAILED', 'TOKEN_FAILED', 'TOKEN_FAILED'],
      );
    });
  }

  test('a function that hangs is asked again, and its late answer is not used', async () => {
    const asked: ((token: string) => void)[] = [];
    const stage = new StreamStage({ token: () => new Promise((resolve) => asked.push(resolve)) });
    stage.subscribe();
    await turns();
    stage.clock.pass(15_000);
    assert.equal(stage.client.connection, 'waiting');
    asked[0]!('svc_token_late');
    await turns();
    assert.equal(stage.sockets.length, 0);
    stage.passToRetry();
    await turns();
    asked[1]!('svc_token_2');
    await turns();
    stage.socket.open();
    assert.deepEqual(stage.socket.sent[0], { t: 'auth', token: 'svc_token_2' });
  });
});

describe('a closed client', () => {
  test('takes no subscription, and has ended those it had [CLIENT-28]', async () => {
    const stage = new StreamStage();
    const { subscription } = stage.subscribed();
    await stage.client.close();
    await stage.client.close();
    assert.equal(await subscription.ended, null);
    assert.deepEqual(stage.socket.closedWith, { code: 1000, reason: 'closed' });
    assert.throws(() => stage.subscribe(), { name: 'TapeloomError', code: 'CLOSED' });
  });

  test('leaves no timer and no socket, wherever it was', async () => {
    const places: readonly ((stage: StreamStage) => void)[] = [
      () => {},
      (stage) => stage.subscribe(),
      (stage) => stage.subscribed(),
      (stage) => {
        stage.subscribed();
        stage.socket.end();
      },
      (stage) => {
        stage.subscribed();
        stage.socket.end(4029);
      },
      (stage) => {
        stage.subscribed();
        stage.socket.say(speech('s1').subscribed, speech('s1').error('CAPACITY'));
      },
    ];
    for (const goTo of places) {
      const stage = new StreamStage();
      goTo(stage);
      await stage.client[Symbol.asyncDispose]();
      assert.equal(stage.clock.timers, 0);
      assert.ok(stage.sockets.every(({ isOver }) => isOver));
      const count = stage.sockets.length;
      stage.clock.pass(600_000);
      assert.equal(stage.sockets.length, count);
    }
    const asking = new StreamStage({ token: () => new Promise(() => {}) });
    asking.subscribe();
    await asking.client.close();
    assert.equal(asking.clock.timers, 0);
  });

  test('waits for a server that does not answer the close, but not for long', async () => {
    const stage = new StreamStage();
    stage.subscribed();
    stage.socket.close = () => {};
    let isClosed = false;
    const closing = stage.client.close().then(() => {
      isClosed = true;
    });
    stage.clock.pass(1_999);
    await turns();
    assert.equal(isClosed, false);
    stage.clock.pass(1);
    await closing;
    assert.equal(stage.clock.timers, 0);
  });
});

describe('the connection', () => {
  test('tells each change, how long it waits and why', () => {
    const stage = new StreamStage();
    const told: unknown[] = [];
    const stop = stage.client.on('connection', (change) => told.push(change));
    stage.client.on('connection', () => assert.fail('mine'));
    stage.subscribe();
    stage.socket.open();
    stage.socket.end(1013, 'The server restarts');
    stop();
    stage.passToRetry();
    assert.deepEqual(told, [
      { state: 'connecting', retryInMs: null, cause: null },
      { state: 'open', retryInMs: null, cause: null },
      { state: 'waiting', retryInMs: 1_000, cause: { code: 1013, reason: 'The server restarts' } },
    ]);
    assert.ok(stage.warnings.every(({ code }) => code === 'LISTENER_FAILED'));
  });

  const garbage: readonly (readonly [string, unknown])[] = [
    ['no JSON', 'Bad Gateway'],
    ['half a message', '{"t":"upsert","sub":"s1","cur'],
    ['a binary message', new Uint8Array([1, 2])],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '5'],
    ['no kind', '{}'],
    ['a kind that is no text', '{"t":7}'],
    ['a cursor that is none', change({ cursor: '20261112.6' })],
    ['a cursor with leading zeros', change({ cursor: '20261112.06.1' })],
    ['a cursor that is a number', change({ cursor: 6 })],
    ['an id that is a number', change({ id: 6 })],
    ['a time that is a number', change({ ts: 6 })],
    ['a time that is no count', change({ ts: '-6' })],
    ['final that is a text', change({ final: 'true' })],
    ['no data', change({ data: undefined })],
    [
      'a snapshot without items',
      JSON.stringify({ ...speech('s1').snapshot('20261112.9.1'), items: 5 }),
    ],
    [
      'a snapshot with bad items',
      JSON.stringify({ ...speech('s1').snapshot('20261112.9.1'), items: [null] }),
    ],
    ['a status without a state', '{"t":"status","sub":"s1","lagMs":0}'],
    ['an error without a code', '{"t":"error","sub":"s1","message":"x"}'],
    ['an hb with a bad cursor', '{"t":"hb","sub":"s1","cursor":"x","ts":"1"}'],
  ];
  for (const [what, data] of garbage) {
    test(`goes on from the last cursor after ${what}`, () => {
      const stage = new StreamStage();
      const { sub, subscription } = stage.subscribed();
      stage.socket.say(speech(sub).snapshot('20261112.5.1', 'a'));
      const [first] = stage.sockets;
      first!.sayRaw(data);
      first!.say(speech(sub).upsert('20261112.7.1', 'late'));
      assert.equal(stage.client.connection, 'waiting');
      assert.ok(first!.isOver);
      assert.deepEqual([...subscription.state.objects.keys()], ['a']);
      assert.deepEqual(
        stage.warnings.map(({ code }) => code),
        ['BAD_MESSAGE'],
      );
      stage.passToRetry();
      stage.socket.open();
      assert.deepEqual(stage.socket.sentOf('subscribe')[0]?.from, { cursor: '20261112.5.1' });
    });
  }

  test('passes over kinds and fields of a later server, and what belongs to nobody', () => {
    const stage = new StreamStage();
    const { sub, subscription } = stage.subscribed();
    stage.socket.say({ t: 'snapshot-2', sub }, { t: 'toString' }, { t: '__proto__' });
    stage.socket.say(
      speech('nobody').upsert('20261112.9.1', 'x'),
      speech('nobody').error('CAPACITY'),
    );
    stage.socket.say({ ...speech(sub).snapshot('20261112.5.1', 'a'), more: { later: true } });
    stage.socket.say(speech(sub).status('a state to come'), speech(sub).reset('a reason to come'));
    assert.equal(stage.client.connection, 'open');
    assert.equal(subscription.state.status, 'a state to come');
    assert.equal(stage.warnings.length, 0);
  });

  test('an error without a subscription is told and ends nothing', () => {
    const stage = new StreamStage();
    stage.subscribed();
    stage.socket.say({ t: 'error', code: 'INVALID_PARAMETERS', message: 'No JSON.' });
    assert.equal(stage.client.connection, 'open');
    assert.deepEqual(
      stage.warnings.map(({ code }) => code),
      ['BAD_MESSAGE'],
    );
  });

  test('a warning that throws harms nobody', () => {
    const { error } = console;
    const told: unknown[] = [];
    console.error = (...words: unknown[]) => told.push(words);
    try {
      const stage = new StreamStage({ onWarning: () => assert.fail('mine') });
      stage.subscribed();
      stage.socket.sayRaw('garbage');
      assert.equal(stage.client.connection, 'waiting');
    } finally {
      console.error = error;
    }
    assert.equal(told.length, 1);
  });
});

function change(more: object): string {
  return JSON.stringify({ ...speech('s1').upsert('20261112.6.1', 'x'), ...more });
}

/** Lets pending promises settle. */
async function turns(): Promise<void> {
  for (let count = 0; count < 10; count += 1) await Promise.resolve();
}
