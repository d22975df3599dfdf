import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createTerminalInput } from './terminal-input.ts';

/** A terminal in raw mode, as readline sees it. */
function terminal(isTerminal = true) {
  const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal, setRawMode: () => {} });
  const stderr = new PassThrough();
  let shown = '';
  stderr.on('data', (chunk) => {
    shown += chunk;
  });
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  const input = createTerminalInput({ stdin: () => stdin, stderr, signal: stop.signal, interrupt });
  return { input, stdin, stop, shown: () => shown };
}

test('a hidden answer is not written anywhere, a plain one is echoed', async () => {
  const { input, stdin, shown } = terminal();
  assert.equal(input.isTerminal, true);
  const hidden = input.ask('Key: ', { isHidden: true });
  stdin.write('secr');
  stdin.write('et\r');
  assert.equal(await hidden, 'secret');
  assert.equal(shown(), 'Key: \n');
  const plain = input.ask('Address: ');
  stdin.write('here\r');
  assert.equal(await plain, 'here');
  assert.match(shown(), /Address: .*here/s);
});

test('ctrl-c at a question is an interruption, the end of the input an answer that never came', async () => {
  const first = terminal();
  const asked = first.input.ask('Key: ', { isHidden: true });
  first.stdin.write('\u0003');
  await assert.rejects(asked, { name: 'AbortError' });
  assert.equal(first.stop.signal.aborted, true);
  const second = terminal();
  const ended = second.input.ask('Go on? ');
  second.stdin.end();
  assert.equal(await ended, null);
});

test('what is piped in is read to its end, up to a limit', async () => {
  const { input, stdin } = terminal(false);
  assert.equal(input.isTerminal, false);
  const text = input.readAll();
  stdin.write('a key');
  stdin.end('\n');
  assert.equal(await text, 'a key\n');
  const flood = terminal(false);
  flood.stdin.end('x'.repeat(100_000));
  await assert.rejects(flood.input.readAll(), /the piped input is too long/);
});
