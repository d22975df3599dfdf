import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { contractsAnswer, exampleKind, registerVenue } from '../../../testing/live/example-kind.ts';
import { readConfig } from '../../config/config.ts';
import { marketBeside } from '../../markets/instruments/market-beside.ts';
import { readInstruments } from '../../markets/instruments/read-instruments.ts';
import type { PageAnswer } from '../../markets/live/feed.ts';
import { lockDirectory } from '../../platform/disk/directory-lock.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { MisconfiguredError, StartRefusedError } from './start-refused-error.ts';
import { WantedFeeds } from './wanted-feeds.ts';

const root = mkdtempSync(join(tmpdir(), 'tapeloom-feeds-'));
const second = { ...exampleKind, name: 'second', title: 'Second exchange' };
const elsewhere = { stream: 'wss://second.invalid', rest: 'https://second.invalid' };
const forgetful = { ...exampleKind, name: 'forgetful', title: 'Forgetful exchange' };
const kinds = [
  exampleKind,
  { ...second, addresses: elsewhere },
  { ...forgetful, beginsEarlier: false },
];
const registered = kinds.map(registerVenue);
after(() => {
  for (const one of registered) one[Symbol.dispose]();
  rmSync(root, { recursive: true, force: true });
});

const UNREACHABLE = () => {
  throw new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND') });
};
const refusedWith = (status: number) => (): PageAnswer => ({ status, headers: {}, body: '' });

let count = 0;

/** `hosts`: what each answers; they may be replaced while it runs. */
function stage(line: string, { data = join(root, `${count++}`), sim = '' } = {}) {
  const hosts: Record<string, () => PageAnswer> = {
    'example.invalid': contractsAnswer,
    'second.invalid': contractsAnswer,
  };
  const asked: string[] = [];
  const said: string[] = [];
  const clock = new ManualClock(Temporal.Instant.from('2026-11-20T00:00:00Z').epochNanoseconds);
  mkdirSync(data, { recursive: true });
  const config = readConfig({
    env: { TAPELOOM_DATA: data, ...(sim === '' ? {} : { TAPELOOM_SIM: sim }) },
    args: line.split(' '),
    readFile: () => '',
  });
  const feeds = new WantedFeeds({
    ...{ requests: config.feeds, kinds, disk: new NodeDisk(), data, clock, random: () => 0 },
    network: {
      connect: () => assert.fail('no stream is needed'),
      request: async ({ url }) => {
        const { host } = new URL(url);
        asked.push(host);
        return hosts[host]!();
      },
    },
    beside: marketBeside(config, clock.now()),
    hasOther: config.sim === 'on',
    say: (text) => said.push(text),
  });
  const path = join(data, 'instruments.yaml');
  const symbols = () =>
    existsSync(path)
      ? readInstruments(readFileSync(path, 'utf8')).datasets.map(
          ({ name, contracts }) => `${name}: ${contracts.map(({ contract }) => contract.symbol)}`,
        )
      : null;
  return { feeds, hosts, asked, said, clock, data, path, symbols, stopping: new AbortController() };
}

async function waitFor(clock: ManualClock, isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3_000 && !isTrue(); tries += 1) {
    clock.advance(5_000);
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(isTrue());
}

test('from nothing, the venue is asked once and the file is there before the start', async () => {
  const { feeds, asked, said, symbols, path, stopping } = stage('--feed example AAA-PERP bbb-perp');
  await feeds.prepare(stopping.signal);
  assert.deepEqual(symbols(), ['example: AAA-PERP.example,BBB-PERP.example']);
  assert.deepEqual(said, [`Example exchange: AAA-PERP.example, BBB-PERP.example added to ${path}`]);
  assert.equal(asked.length, 2, 'as written, and in upper case');
  await feeds.complete(() => assert.fail('nothing is missing'), stopping.signal);
});

test('what the file has starts at once, without a word to the venue', async () => {
  const first = stage('--feed example AAA-PERP');
  await first.feeds.prepare(first.stopping.signal);
  const before = readFileSync(first.path, 'utf8');
  const again = stage('--feed example aaa-perp', { data: first.data });
  await again.feeds.prepare(again.stopping.signal);
  assert.deepEqual([again.asked, again.said], [[], []]);
  assert.equal(readFileSync(first.path, 'utf8'), before);
});

test('a new dataset begins as long ago as --backfill says, and a present one keeps its beginning', async () => {
  const first = stage('--feed example AAA-PERP --backfill 1d');
  await first.feeds.prepare(first.stopping.signal);
  const [dataset] = readInstruments(readFileSync(first.path, 'utf8')).datasets;
  assert.equal((dataset!.live as { readonly backfillMs: number }).backfillMs, 86_400_000);
  const same = stage('--feed example AAA-PERP --backfill 24h', { data: first.data });
  await same.feeds.prepare(same.stopping.signal);
  const other = stage('--feed example AAA-PERP --backfill 12h', { data: first.data });
  await assert.rejects(
    other.feeds.prepare(other.stopping.signal),
    /--backfill is 12h, and the dataset example of .*instruments\.yaml has 1d\. Change it/,
  );
});

test('hours without a network: it says so, now and then, and goes on when it is back', async () => {
  const { feeds, hosts, asked, said, clock, symbols, stopping } = stage('--feed example AAA-PERP');
  hosts['example.invalid'] = UNREACHABLE;
  let isReady = false;
  const preparing = feeds.prepare(stopping.signal).then(() => {
    isReady = true;
  });
  await waitFor(clock, () => asked.length === 45);
  assert.equal(isReady, false);
  const sentence =
    'Example exchange: example.invalid cannot be reached: getaddrinfo ENOTFOUND. Retrying, with pauses of up to a minute.';
  assert.deepEqual(said, [sentence, sentence]);
  hosts['example.invalid'] = refusedWith(503);
  await waitFor(clock, () => said.length === 3);
  assert.match(said[2]!, /example\.invalid refused the request: the venue failed \(503\)/);
  hosts['example.invalid'] = contractsAnswer;
  await waitFor(clock, () => isReady);
  await preparing;
  assert.deepEqual(symbols(), ['example: AAA-PERP.example']);
});

test('with known symbols it starts without the network, and adds the others when it is back', async () => {
  const first = stage('--feed example AAA-PERP');
  await first.feeds.prepare(first.stopping.signal);
  const line = '--feed example AAA-PERP BBB-PERP --feed second AAA-PERP';
  const { feeds, hosts, clock, said, symbols, stopping } = stage(line, { data: first.data });
  hosts['example.invalid'] = UNREACHABLE;
  hosts['second.invalid'] = UNREACHABLE;
  await feeds.prepare(stopping.signal);
  // A running service takes new contracts, but no new dataset.
  assert.deepEqual(symbols(), ['example: AAA-PERP.example', 'second: ']);
  let reloads = 0;
  const completing = feeds.complete(async () => {
    reloads += 1;
  }, stopping.signal);
  await waitFor(clock, () => said.length === 2);
  hosts['second.invalid'] = contractsAnswer;
  await waitFor(clock, () => reloads === 1);
  assert.deepEqual(symbols(), ['example: AAA-PERP.example', 'second: AAA-PERP.second']);
  hosts['example.invalid'] = contractsAnswer;
  await waitFor(clock, () => reloads === 2);
  await completing;
  assert.deepEqual(symbols(), [
    'example: AAA-PERP.example,BBB-PERP.example',
    'second: AAA-PERP.second',
  ]);
});

test('of two venues one is enough to start', async () => {
  const line = '--feed example AAA-PERP --feed second BBB-PERP';
  const { feeds, hosts, said, symbols, stopping } = stage(line);
  hosts['second.invalid'] = UNREACHABLE;
  await feeds.prepare(stopping.signal);
  assert.deepEqual(symbols(), ['example: AAA-PERP.example', 'second: ']);
  assert.match(said[1]!, /^Second exchange: second\.invalid cannot be reached/);
});

test('the simulator, or a dataset of the operator, is not kept waiting', async () => {
  for (const sim of ['on', '']) {
    const data = join(root, `own-${sim}`);
    mkdirSync(data);
    if (sim === '') {
      writeFileSync(
        join(data, 'instruments.yaml'),
        'datasets: { GLBX: { products: { ES: { extends: ES, contracts: { from: 2026-12, to: 2026-12 } } } } }\n',
      );
    }
    const { feeds, hosts, asked, symbols, stopping } = stage('--feed example AAA-PERP', {
      data,
      sim,
    });
    hosts['example.invalid'] = UNREACHABLE;
    await feeds.prepare(stopping.signal);
    assert.deepEqual([asked, symbols()?.at(-1)], [[], 'example: ']);
  }
});

test('what an operator must correct refuses the start, in one sentence', async () => {
  for (const [line, kind, pattern] of [
    ['--feed exampel AAA-PERP', MisconfiguredError, /no venue exampel\. Did you mean "example"/],
    ['--feed example AAB-PERP', MisconfiguredError, /has no AAB-PERP\. Did you mean/],
    [
      '--feed example AAA-PERP --key-file /nowhere',
      MisconfiguredError,
      /key file \/nowhere does not exist/,
    ],
    ['--feed example AAA-PERP --rest-address x', MisconfiguredError, /--rest-address must be/],
    [
      '--feed forgetful AAA-PERP --backfill 1d',
      MisconfiguredError,
      /^--backfill cannot be used with forgetful: the feed of Forgetful exchange cannot request past trades/,
    ],
  ] as const) {
    const { feeds, stopping, path } = stage(line);
    await assert.rejects(feeds.prepare(stopping.signal), (error) => {
      assert.ok(error instanceof kind, line);
      assert.match(error.message, pattern);
      return true;
    });
    assert.equal(existsSync(path), false);
  }
  const refused = stage('--feed example AAA-PERP');
  refused.hosts['example.invalid'] = refusedWith(451);
  await assert.rejects(
    refused.feeds.prepare(refused.stopping.signal),
    /does not serve this country \(451\)/,
  );
  const damaged = stage('--feed example AAA-PERP');
  writeFileSync(damaged.path, 'datasets: {');
  await assert.rejects(damaged.feeds.prepare(damaged.stopping.signal), (error) => {
    assert.ok(error instanceof StartRefusedError);
    return /instruments\.yaml cannot be used/.test(error.message);
  });
});

test('options that the file contradicts are refused, because the file wins', async () => {
  const own = '--rest-address https://second.invalid';
  const first = stage(`--feed example AAA-PERP ${own}`);
  await first.feeds.prepare(first.stopping.signal);
  const { data } = first;
  for (const words of ['', ` ${own}/`]) {
    const same = stage(`--feed example AAA-PERP BBB-PERP${words}`, { data });
    await same.feeds.prepare(same.stopping.signal);
    await same.feeds.complete(async () => undefined, same.stopping.signal);
    assert.deepEqual(same.asked, words === '' ? ['second.invalid'] : []);
  }
  const other = stage('--feed example AAA-PERP --rest-address https://third.invalid', { data });
  await assert.rejects(
    other.feeds.prepare(other.stopping.signal),
    /--rest-address is https:\/\/third\.invalid, and the dataset example .* has https:\/\/second\.invalid\./,
  );
});

test('a contract that another dataset of the venue has is refused, and the file stays as it is', async () => {
  const first = stage('--feed example AAA-PERP');
  await first.feeds.prepare(first.stopping.signal);
  const before = readFileSync(first.path, 'utf8');
  const again = stage('--feed example AAA-PERP --dataset other', { data: first.data });
  await assert.rejects(again.feeds.prepare(again.stopping.signal), (error: Error) => {
    assert.ok(error instanceof MisconfiguredError);
    assert.match(error.message, /^AAA-PERP\.example is in the dataset example of .*\.yaml already/);
    assert.match(error.message, /Start with --dataset example\.$/);
    return true;
  });
  assert.equal(readFileSync(first.path, 'utf8'), before);
  assert.deepEqual(again.asked, []);
});

test('a key in place of its file is not repeated', async () => {
  const key = 'db-EXAMPLEEXAMPLEEXAMPLEEXAAbCdE';
  const { feeds, stopping } = stage(`--feed example AAA-PERP --key-file ${key}`);
  await assert.rejects(feeds.prepare(stopping.signal), (error: Error) => {
    assert.match(error.message, /the key itself was given instead of the path/);
    assert.ok(!error.message.includes(key.slice(3)));
    return true;
  });
});

test('behind a running service, a symbol that does not exist is told, and the others are added', async () => {
  const first = stage('--feed example AAA-PERP');
  await first.feeds.prepare(first.stopping.signal);
  const line = '--feed example AAB-PERP --feed second BBB-PERP';
  const { feeds, said, symbols, stopping } = stage(line, { data: first.data });
  await feeds.prepare(stopping.signal);
  let reloads = 0;
  await feeds.complete(async () => {
    reloads += 1;
  }, stopping.signal);
  assert.equal(reloads, 1);
  assert.ok(
    said.some((it) => /has no AAB-PERP\. Did you mean .*\? Nothing of it was added\./.test(it)),
  );
  assert.deepEqual(symbols(), ['example: AAA-PERP.example', 'second: BBB-PERP.second']);
});

test('an import that runs is waited for, and an abort ends all waiting', async () => {
  const first = stage('--feed example AAA-PERP');
  await first.feeds.prepare(first.stopping.signal);
  const { data } = first;
  const { feeds, said, clock, stopping, symbols } = stage('--feed example BBB-PERP', { data });
  await feeds.prepare(stopping.signal);
  let reloads = 0;
  {
    using _import = lockDirectory(join(data, 'tape/example'));
    void feeds.complete(async () => {
      reloads += 1;
    }, stopping.signal);
    await waitFor(clock, () => said.length === 1);
    assert.match(said[0]!, /tape\/example is in use by .*when the import has finished\. Retrying/);
  }
  await waitFor(clock, () => reloads === 1);
  assert.deepEqual(symbols(), ['example: AAA-PERP.example,BBB-PERP.example']);
  const stopped = stage('--feed second AAA-PERP');
  stopped.hosts['second.invalid'] = UNREACHABLE;
  const preparing = stopped.feeds.prepare(stopped.stopping.signal);
  await waitFor(stopped.clock, () => stopped.said.length === 1);
  stopped.stopping.abort();
  await preparing;
  assert.deepEqual([stopped.symbols(), stopped.clock.timerCount], [null, 0]);
});
