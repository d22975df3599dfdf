import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { HurriedClock } from '../../../../simulation/clock/client-clock.ts';
import { CuttingProxy } from '../../../../tests/cutting-proxy.ts';
import { InProcessStream, KEY } from '../../../server/testing/stream/in-process-stream.ts';
import { RecordedIo, type RecordedIoOptions } from '../../testing/recorded-io.ts';
import { dispatch } from '../dispatch.ts';
import { ExitCode } from '../exit-codes.ts';
import { readStreamOptions } from '../stream/stream-options.ts';
import { streamCommand } from './stream.ts';

/** Shorter than the silence after which a client gives up a connection, longer than its first attempts. */
const WAIT_LIMIT_MS = 10_000;
const NOW = 1_794_477_600_000_000_000n as EpochNs;

/** A running `tapeloom stream`. */
class Watching {
  readonly io: RecordedIo;
  readonly code: Promise<number>;

  constructor(url: string, words: string, options: RecordedIoOptions = {}) {
    const { env = { TAPELOOM_KEY: KEY } } = options;
    this.io = new RecordedIo({ ...options, env: { TAPELOOM_URL: url, ...env } });
    this.code = dispatch([streamCommand], '1', ['stream', ...words.split(' ')], this.io);
  }

  async interrupted(): Promise<number> {
    this.io.interrupt.abort();
    return this.code;
  }

  jsonLines(): { readonly t: string }[] {
    const lines = this.io.out.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as { readonly t: string });
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

test('in a pipe every finished bar is a line, and ctrl-c ends it with 0', async () => {
  await using stream = await InProcessStream.start();
  const watching = new Watching(stream.url, 'AA bars --params {"size":10}');
  await until(() => watching.io.err.includes('live'));
  stream.trade({ price: 100 }, { price: 104 });
  await stream.pass(15_000);
  await until(() => watching.io.out.includes('\n'));
  assert.equal(await watching.interrupted(), ExitCode.ok);
  const line = 'open 25.00 high 26.00 low 25.00 close 26.00 volume 2 delta +2 trades 2';
  assert.equal(watching.io.out, `11:00:00 ${line}\n`);
});

test('with --json every update is one line in the words of the protocol', async () => {
  await using stream = await InProcessStream.start();
  const watching = new Watching(stream.url, 'AA bars --json', { isTerminal: true });
  await until(() => watching.io.out.includes('"snapshot"'));
  stream.trade({ price: 100 });
  await stream.pass(1_000);
  await until(() => watching.io.out.includes('"upsert"'));
  assert.equal(await watching.interrupted(), ExitCode.ok);
  const messages = watching.jsonLines();
  assert.deepEqual(
    [...new Set(messages.map(({ t }) => t))],
    ['subscribed', 'status', 'snapshot', 'upsert'],
  );
  const [subscribed, , snapshot] = [...new Map(messages.map((it) => [it.t, it])).values()];
  assert.deepEqual(subscribed, {
    t: 'subscribed',
    instrument: 'AA',
    contract: 'AA',
    tickSizeNanos: 250_000_000,
  });
  assert.deepEqual(Object.keys(snapshot!), ['t', 'cursor', 'items']);
  const upsert = messages.find(({ t }) => t === 'upsert')!;
  assert.deepEqual(Object.keys(upsert), ['t', 'cursor', 'id', 'final', 'ts', 'data']);
  assert.equal(typeof (upsert as { ts?: unknown }).ts, 'string');
});

test('a cut line is made again and the stream goes on where it was, and both are told', async () => {
  await using stream = await InProcessStream.start();
  await using line = await CuttingProxy.before(stream.url);
  const hurried = () => ({ clientParts: { clock: new HurriedClock(WAIT_LIMIT_MS) } });
  const watching = new Watching(line.url, 'AA bars --params {"size":10}', hurried());
  const json = new Watching(line.url, 'AA bars --params {"size":10} --json', hurried());
  await until(() => watching.io.err.includes('live') && json.io.out.includes('"snapshot"'));
  stream.trade({ price: 100 });
  await stream.pass(11_000);
  await until(() => watching.io.out.includes('\n') && json.io.out.includes('"final":true'));
  line.cut();
  await until(() => [watching, json].every(({ io }) => io.err.includes('lost')));
  stream.trade({ price: 108 });
  await stream.pass(11_000);
  await until(() => watching.io.out.split('\n').length === 3);
  await until(() => json.io.out.split('"final":true').length === 3);
  for (const each of [watching, json]) {
    assert.equal(await each.interrupted(), ExitCode.ok);
    assert.match(each.io.err, /The connection is lost\. Trying again\.\nConnected again\.\n/);
  }
  assert.match(watching.io.out, /^11:00:00 .* close 25\.00 .*\n11:00:10 .* close 27\.00 .*\n$/);
  const kinds = json.jsonLines().map(({ t }) => t);
  assert.equal(kinds.filter((t) => t === 'snapshot').length, 1, 'it resumed');
});

test('on a terminal it paints on a screen of its own and leaves it as it was', async () => {
  await using stream = await InProcessStream.start();
  stream.trade({ price: 100 });
  await stream.pass(1_000);
  const watching = new Watching(stream.url, 'AA footprint', { isTerminal: true });
  await until(() => watching.io.out.includes('forming'));
  assert.equal(await watching.interrupted(), ExitCode.ok);
  const { out } = watching.io;
  assert.ok(out.startsWith('\u001b[?1049h') && out.endsWith('\u001b[?1049l'));
});

test('what the service refuses, a key that is not accepted and a service that is not there have codes of their own', async () => {
  await using stream = await InProcessStream.start();
  const refused = new Watching(stream.url, 'ZZ bars');
  assert.equal(await refused.code, ExitCode.notFound);
  assert.match(
    refused.io.err,
    /No instrument "ZZ".*tapeloom instruments lists them\. \(UNKNOWN_INSTRUMENT\)\n$/,
  );
  const parameters = new Watching(stream.url, 'AA bars --params {"size":"x"}');
  assert.equal(await parameters.code, ExitCode.usage);
  assert.match(parameters.io.err, /\/params\/size: /);
  const env = { TAPELOOM_KEY: `${KEY.slice(0, -1)}${KEY.endsWith('x') ? 'y' : 'x'}` };
  const unknown = new Watching(stream.url, 'AA bars', { env });
  assert.equal(await unknown.code, ExitCode.refused);
  assert.match(unknown.io.err, /Sign in with tapeloom login/);
  const nobody = new Watching('http://127.0.0.1:1', 'AA bars');
  assert.equal(await nobody.code, ExitCode.unreachable);
  assert.match(nobody.io.err, /127\.0\.0\.1:1 cannot be reached\. Is the service running/);
  const keyless = new Watching(stream.url, 'AA bars', { env: {} });
  assert.equal(await keyless.code, ExitCode.refused);
});

test('wrong arguments are refused before anything is connected', async () => {
  const bad = ['ES.c.0', 'ES.c.0 bars x', 'ES.c.0 bars --params [1]', 'ES.c.0 bars --params {'];
  const options = ['--mode fast', '--url ftp://x', '--nope', '--from soon', '--from 20261112.01.1'];
  for (const words of [...bad, ...options.map((it) => `ES.c.0 bars ${it}`)]) {
    assert.equal(await new Watching('http://127.0.0.1:1', words).code, ExitCode.usage, words);
  }
});

test('a start is live, a cursor, a time, or so long ago', () => {
  const from = (text: string) => readStreamOptions(['AA', 'bars', '--from', text], NOW).from;
  assert.equal(readStreamOptions(['AA', 'bars'], NOW).from, 'live');
  assert.equal(from('live'), 'live');
  assert.deepEqual(from('20261112.5.1'), { cursor: '20261112.5.1' });
  assert.deepEqual(from('2h'), { time: String(NOW - 7_200_000_000_000n) });
  assert.deepEqual(from('2026-11-12'), { time: '1794441600000000000' });
  assert.deepEqual(from('2026-11-12T10:00:00Z'), { time: String(NOW) });
});

test('a stream that starts in the past shows what finished since', async () => {
  await using stream = await InProcessStream.start();
  stream.trade({ price: 100 });
  await stream.pass(30_000);
  stream.trade({ price: 104 });
  await stream.pass(30_000);
  const since = stream.clock.now() - 60_000_000_000n;
  const words = `AA bars --params {"size":10} --from ${since}`;
  const watching = new Watching(stream.url, words);
  await until(() => watching.io.out.split('\n').length === 3);
  assert.equal(await watching.interrupted(), ExitCode.ok);
  assert.match(watching.io.out, /^11:00:00 .*\n11:00:30 .*\n$/);
});
