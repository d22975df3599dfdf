import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { PlayClock } from '@tapeloom/charts/feed/play-clock';
import { RecordedService } from '@tapeloom/charts/feed/recorded-service';
import { parseRecording } from '@tapeloom/charts/feed/recording';
import { TapeloomClient } from '@tapeloom/client';
import { StreamClient } from '@tapeloom/client/stream';
import { codeParts, codeSamples, lastWeekday } from './code-samples.ts';

const run = promisify(execFile);
const KEY = 'svc_live_notarealkey';
const URL_SHOWN = 'http://127.0.0.1:8080';
const samples = codeSamples(URL_SHOWN, '2026-11-10');
const textOf = (id: string) => samples.find((sample) => sample.id === id)!.text;

const packed = readFileSync(new URL('../../../recording/session.gz', import.meta.url));
const whole = parseRecording(gunzipSync(packed).toString());
/** As if recorded with the default parameters, which the samples omit. */
const recording = {
  ...whole,
  requests: { s1: { indicator: 'footprint', params: {} } },
  frames: whole.frames.filter(({ sub, ms }) => sub === 's1' && ms < 3_000),
};

/** Runs a sample as a module, with our client on the recording; returns its output. */
async function printed(text: string, fetched: string[] = []): Promise<unknown[][]> {
  let now = 0;
  const timers = new Set<{ at: number; call: () => void }>();
  const clock = new PlayClock({
    now: () => now,
    after: (ms, call) => {
      const timer = { at: now + ms, call };
      timers.add(timer);
      return { cancel: () => timers.delete(timer) };
    },
  });
  clock.play();
  const { WebSocket } = new RecordedService({ recording, clock });
  const clients: { close(): Promise<void> }[] = [];
  const onRecording = (Client: typeof StreamClient | typeof TapeloomClient) =>
    function make(options: object) {
      assert.equal((options as { url: string }).url, URL_SHOWN);
      const client = new Client({ ...options, WebSocket, clock });
      clients.push(client);
      return client;
    };
  const lines: unknown[][] = [];
  const given = {
    TapeloomClient: onRecording(TapeloomClient),
    StreamClient: onRecording(StreamClient),
    process: { env: { TAPELOOM_KEY: KEY } },
    console: { log: (...values: unknown[]) => lines.push(values) },
    fetch: async (path: string) => {
      fetched.push(path);
      return new Response('st_a-token');
    },
  };
  const body = text.replace(/^import .*$/gm, '');
  new Function(...Object.keys(given), body)(...Object.values(given));
  for (let i = 0; i < 200; i += 1) {
    now += 20;
    for (const timer of timers) {
      if (timer.at > now) continue;
      timers.delete(timer);
      timer.call();
    }
    await new Promise(setImmediate);
  }
  await Promise.all(clients.map((client) => client.close()));
  return lines;
}

test('every sample has four to eight lines', () => {
  for (const { id, text } of samples) {
    const lines = text.split('\n').length;
    assert.ok(lines >= 4 && lines <= 8, `${id} has ${lines}`);
  }
});

test('the sample for Node prints cursors and deltas as they come', async () => {
  assert.match(textOf('node'), /^import \{ TapeloomClient \} from '@tapeloom\/client';$/m);
  const lines = await printed(textOf('node'));
  const upserts = recording.frames.filter(({ t }) => t === 'upsert');
  const expected = upserts.map(({ text }) => {
    const { cursor, data } = JSON.parse(text);
    return [cursor, data.delta];
  });
  assert.deepEqual(lines, expected);
});

test('the sample for browsers asks its own server for a token and prints levels', async () => {
  assert.match(textOf('browser'), /^import \{ StreamClient \} from '@tapeloom\/client\/stream';$/m);
  const fetched: string[] = [];
  const lines = await printed(textOf('browser'), fetched);
  assert.deepEqual(fetched, ['/stream-token']);
  assert.ok(lines.length > 5);
  assert.ok(lines.every(([id, levels]) => typeof id === 'string' && Array.isArray(levels)));
});

/** Runs a sample against a server with one page; returns its output and its request. */
async function askedBy(id: string, program: string): Promise<readonly [string, IncomingMessage]> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    response.end(JSON.stringify(PAGE));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const text = textOf(id).replaceAll(URL_SHOWN, url);
  try {
    const { stdout } = await run(program, ['-c', text], {
      env: { ...process.env, TAPELOOM_KEY: KEY },
      timeout: 180_000,
    });
    assert.equal(asked.length, 1);
    return [stdout, asked[0]!];
  } finally {
    server.close();
  }
}

const PAGE = { items: [{ cursor: '20261110.7.1', data: { delta: 12 } }], next: null };

/** Checks the request against the contract. */
function checkHistory({ url, headers, method }: IncomingMessage): void {
  const contract = JSON.parse(
    readFileSync(new URL('../../../../../contract/openapi.json', import.meta.url), 'utf8'),
  );
  const parameters: { name: string; required?: boolean }[] =
    contract.paths['/v1/history'].get.parameters;
  const { pathname, searchParams } = new URL(url!, URL_SHOWN);
  assert.deepEqual([method, pathname], ['GET', '/v1/history']);
  assert.equal(headers.authorization, `Bearer ${KEY}`);
  for (const name of searchParams.keys()) assert.ok(parameters.some((it) => it.name === name));
  for (const { name, required } of parameters) {
    if (required === true) assert.ok(searchParams.has(name), name);
  }
  assert.equal(searchParams.get('from'), '2026-11-10');
}

const missing = (program: string) =>
  spawnSync(program, ['--version']).error === undefined ? false : `there is no ${program} here`;
const pythonMissing = missing('python3');
const curlMissing = missing('curl');

test('the sample for Python asks for history and prints it', { skip: pythonMissing }, async () => {
  const [stdout, request] = await askedBy('python', 'python3');
  assert.equal(stdout, '20261110.7.1 12\n');
  checkHistory(request);
});

test('the sample for curl asks for history', { skip: curlMissing }, async () => {
  const [stdout, request] = await askedBy('curl', 'sh');
  assert.deepEqual(JSON.parse(stdout), PAGE);
  checkHistory(request);
});

test('colours lose nothing of a sample', () => {
  for (const { text } of samples) {
    assert.equal(
      codeParts(text)
        .map((part) => part.text)
        .join(''),
      text,
    );
  }
  const kinds = codeParts(textOf('browser')).map(({ kind }) => kind);
  assert.ok(kinds.includes('note') && kinds.includes('text') && kinds.includes('word'));
  assert.ok(!codeParts(textOf('curl')).some(({ kind }) => kind === 'note'), 'http:// is no note');
});

test('the day of a sample is the last weekday', () => {
  const day = (text: string) => lastWeekday(Date.parse(text));
  assert.equal(day('2026-11-16T09:00:00Z'), '2026-11-13');
  assert.equal(day('2026-11-15T09:00:00Z'), '2026-11-13');
  assert.equal(day('2026-11-13T23:00:00Z'), '2026-11-12');
});
