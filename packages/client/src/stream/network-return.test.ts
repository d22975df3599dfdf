import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { StreamStage } from '../../testing/stream-stage.ts';

/** Stands for the browser's page, which Node lacks. */
let page: EventTarget;
let listeners: number;
const NAMES = ['addEventListener', 'removeEventListener'] as const;
const own = NAMES.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));

beforeEach(() => {
  page = new EventTarget();
  listeners = 0;
  const [add, remove] = [page.addEventListener.bind(page), page.removeEventListener.bind(page)];
  const stubs = {
    addEventListener: (...given: Parameters<typeof add>) => {
      listeners += 1;
      add(...given);
    },
    removeEventListener: (...given: Parameters<typeof remove>) => {
      listeners = 0;
      remove(...given);
    },
  };
  for (const name of NAMES) {
    Object.defineProperty(globalThis, name, { configurable: true, value: stubs[name] });
  }
});
afterEach(() => {
  NAMES.forEach((name, at) => {
    Reflect.deleteProperty(globalThis, name);
    const before = own[at];
    if (before !== undefined) Object.defineProperty(globalThis, name, before);
  });
});

const comeBack = () => page.dispatchEvent(new Event('online'));

test('when the network returns it reconnects at once, and later failures count from the first', () => {
  const stage = new StreamStage();
  stage.subscribed();
  stage.socket.end();
  for (let failures = 0; failures < 6; failures += 1) {
    stage.passToRetry();
    stage.socket.end();
  }
  const before = stage.sockets.length;
  assert.ok(stage.clock.nextInMs! > 5_000, `${stage.clock.nextInMs}`);
  comeBack();
  assert.equal(stage.sockets.length, before + 1);
  assert.equal(stage.client.connection, 'connecting');
  stage.socket.end();
  assert.ok(stage.clock.nextInMs! <= 250, `${stage.clock.nextInMs}`);
});

test('it does not shorten the waits that the server asked for [CLIENT-14] [CLIENT-16]', () => {
  for (const [code, ms] of [
    [1013, 1_000],
    [4029, 5_000],
  ] as const) {
    const stage = new StreamStage();
    stage.subscribe();
    stage.socket.end(code);
    const before = stage.sockets.length;
    comeBack();
    assert.equal(stage.sockets.length, before);
    stage.clock.pass(ms - 1);
    comeBack();
    assert.equal(stage.sockets.length, before);
    stage.clock.pass(1);
    assert.equal(stage.sockets.length, before + 1);
  }
});

test('it is listened for only while an attempt is waited for', async () => {
  const stage = new StreamStage();
  const { subscription } = stage.subscribed();
  assert.equal(listeners, 0);
  stage.socket.end();
  assert.equal(listeners, 1);
  comeBack();
  assert.equal(listeners, 0);
  stage.socket.end();
  assert.equal(listeners, 1);
  await subscription.close();
  assert.equal(listeners, 0);
  const before = stage.sockets.length;
  comeBack();
  assert.equal(stage.sockets.length, before);
});
