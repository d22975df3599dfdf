import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { InProcessStream, KEY } from '../../../../simulation/in-process-stream.ts';
import type { CommandIo } from '../command.ts';
import { dispatch } from '../dispatch.ts';
import { closeSentence } from '../stream/close-reason.ts';
import { readStreamOptions } from '../stream/stream-options.ts';
import { streamCommand } from './stream.ts';

class Terminal implements CommandIo {
  out = '';
  err = '';
  readonly env = {};
  readonly isTerminal: boolean;
  readonly interrupt = new AbortController();
  readonly signal = this.interrupt.signal;

  constructor(isTerminal: boolean) {
    this.isTerminal = isTerminal;
  }

  readonly stdout = (text: string) => {
    this.out += text;
  };
  readonly stderr = (text: string) => {
    this.err += text;
  };

  run(...words: string[]): Promise<number> {
    return dispatch([streamCommand], '1', ['stream', ...words], this);
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

test('in a pipe every finished bar is a line, and ctrl-c ends it with 0', async () => {
  await using stream = await InProcessStream.start();
  const terminal = new Terminal(false);
  const options = ['--url', stream.url, '--key', KEY, '--params', '{"size":10}'];
  const code = terminal.run('AA', 'bars', ...options);
  await until(() => terminal.err.includes('live'));
  stream.trade({ price: 100 }, { price: 104 });
  await stream.pass(15_000);
  await until(() => terminal.out.includes('\n'));
  terminal.interrupt.abort();
  assert.equal(await code, 0);
  const line = 'open 25.00 high 26.00 low 25.00 close 26.00 volume 2 delta +2 trades 2';
  assert.equal(terminal.out, `11:00:00 ${line}\n`);
});

test('with --json every message is one line as it came', async () => {
  await using stream = await InProcessStream.start();
  const terminal = new Terminal(true);
  const code = terminal.run('AA', 'bars', '--json', '--url', stream.url, '--key', KEY);
  await until(() => terminal.out.includes('"snapshot"'));
  terminal.interrupt.abort();
  assert.equal(await code, 0);
  const messages = terminal.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).t);
  assert.deepEqual(
    messages.filter((t) => t !== 'pong'),
    ['subscribed', 'status', 'status', 'snapshot'],
  );
});

test('on a terminal it paints on a screen of its own and leaves it as it was', async () => {
  await using stream = await InProcessStream.start();
  stream.trade({ price: 100 });
  await stream.pass(1_000);
  const terminal = new Terminal(true);
  const code = terminal.run('AA', 'footprint', '--url', stream.url, '--key', KEY);
  await until(() => terminal.out.includes('forming'));
  terminal.interrupt.abort();
  assert.equal(await code, 0);
  assert.ok(terminal.out.startsWith('\u001b[?1049h') && terminal.out.endsWith('\u001b[?1049l'));
});

test('a refusal, a bad key and a service that is not there end it with 1 and a sentence', async () => {
  await using stream = await InProcessStream.start();
  const refused = new Terminal(false);
  assert.equal(await refused.run('ZZ', 'bars', '--url', stream.url, '--key', KEY), 1);
  assert.match(refused.err, /^UNKNOWN_INSTRUMENT: No instrument "ZZ"/);
  const unknown = new Terminal(false);
  const wrong = `${KEY.slice(0, -1)}x`;
  assert.equal(await unknown.run('AA', 'bars', '--url', stream.url, '--key', wrong), 1);
  assert.match(unknown.err, /did not accept the key/);
  const nobody = new Terminal(false);
  assert.equal(await nobody.run('AA', 'bars', '--url', 'ws://127.0.0.1:1/v1', '--key', KEY), 1);
  assert.match(nobody.err, /npm start/);
});

test('wrong arguments are refused before anything is connected', async () => {
  const bad = [
    [],
    ['ES.c.0'],
    ['ES.c.0', 'bars', 'x'],
    ['ES.c.0', 'bars', '--params', '[1]'],
    ['ES.c.0', 'bars', '--params', '{'],
    ['ES.c.0', 'bars', '--mode', 'fast'],
    ['ES.c.0', 'bars', '--url', 'http://x'],
    ['ES.c.0', 'bars', '--nope'],
    ['ES.c.0', 'bars', '--url', 'wss://example.com/v1'],
  ];
  for (const words of bad) {
    const terminal = new Terminal(false);
    assert.equal(await terminal.run(...words), 2, words.join(' '));
  }
});

test('the key comes from --key, else from TAPELOOM_KEY, and must look like one', () => {
  const other = 'svc_live_abcdefghijklmnopqrstuvwxyz0123456';
  const key = (args: readonly string[], env = {}) =>
    readStreamOptions(['A', 'bars', ...args], env).key;
  assert.equal(key([], { TAPELOOM_KEY: other }), other);
  assert.equal(key(['--key', KEY], { TAPELOOM_KEY: other }), KEY);
  assert.throws(() => key([]), /a key is needed: set TAPELOOM_KEY/);
  assert.throws(() => key([], { TAPELOOM_KEY: '' }), /a key is needed/);
  assert.throws(
    () => key(['--key', 'hunter2\n']),
    (error: Error) => {
      return /must begin with svc_live_/.test(error.message) && !error.message.includes('hunter2');
    },
  );
});

test('every close code has a sentence', () => {
  for (const code of [1000, 1006, 1008, 1009, 1013, 4001, 4003, 4008, 4029]) {
    assert.match(closeSentence(code, '', 'ws://x/v1'), /^[A-Z].*[.?]$/);
  }
  const reasons = ['KEY_REVOKED', 'ENTITLEMENTS_CHANGED', 'FORBIDDEN', ''];
  const sentences = reasons.map((reason) => closeSentence(4003, reason, 'ws://x/v1'));
  assert.equal(new Set(sentences).size, reasons.length);
});
