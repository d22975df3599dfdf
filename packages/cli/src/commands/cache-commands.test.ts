import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { emptyBlock } from '@tapeloom/server/blocks/block';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { ResultCache } from '@tapeloom/server/results/result-cache';
import { CacheRig } from '../../testing/cache-rig.ts';
import { UsageError } from '../command.ts';

const rig = await CacheRig.make();
const results = join(rig.data, 'cache/settled/SIM/ESH6');
beforeEach(async () => {
  rmSync(join(rig.data, 'cache'), { recursive: true, force: true });
  await rig.warm();
  await rig.warm(['--params', '{"bar":"tick","size":50}', '--to', '2026-02-24']);
});
after(() => rig[Symbol.dispose]());

interface Listed {
  readonly cache: { readonly bytes: number; readonly bytesMax: number; readonly results: number };
  readonly configurations: readonly {
    readonly params: object;
    readonly state: string;
    readonly days: number;
    readonly bytes: number;
    readonly lastUsedAt: string | null;
  }[];
}

/** Caches a result of an earlier computation. */
async function keepOutdated(): Promise<void> {
  const cache = new ResultCache({
    disk: new NodeDisk(),
    root: join(rig.data, 'cache'),
    bytesMax: 1_000_000,
    now: () => 0,
    writer: 'test',
  });
  const key = { dataset: 'SIM', contract: 'ESH6', indicator: 'bars', params: { size: 9 } };
  const inputs = { days: [], sessions: '' };
  const day = utcDay(20260223);
  const result = { trades: 0, isWarm: true, blocks: [], tail: emptyBlock(day, 0, 0) };
  const own = { ...key, day, fingerprint: 'old' };
  cache.keep(own, inputs, result);
  await cache.settled();
}

test('results are listed by configuration, with their size against the limit', async () => {
  const { code, out } = await rig.run(['ls'], { env: { TAPELOOM_CACHE_BYTES: '1MiB' } });
  assert.equal(code, 0);
  const [titles, ...rows] = out.split('\n');
  assert.match(titles!, /^contract +indicator +params +first +last +days +size +last used$/);
  const used = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`;
  const size = String.raw`[\d.]+ KiB`;
  const row = (text: string) => new RegExp(`^${text} +${size} +${used}$`);
  assert.match(rows[0]!, row('ESH6 +bars +bar=tick size=50 +2026-02-23 +2026-02-24 +2'));
  assert.match(rows[1]!, row('ESH6 +bars +defaults +2026-02-23 +2026-02-26 +4'));
  assert.match(out, /\n\nAll: 6 results, [\d.]+ KiB of 1 MiB, \d+\.\d %\.\n$/);
});

test('--entries lists every day, filters choose, and JSON has the same numbers', async () => {
  const { out } = await rig.run(['ls', '--entries', '--contract', 'ESH6', '--indicator', 'bars']);
  assert.equal(out.match(/^ESH6 +bars .*2026-02-2\d +[\d,]+ +[\d.]+ (?:KiB|bytes) /gm)?.length, 6);
  const { cache, configurations } = await rig.json<Listed>('ls');
  assert.deepEqual(
    configurations.map(({ params, state, days }) => [params, state, days]),
    [
      [{ bar: 'tick', session: 'full', size: 50 }, 'good', 2],
      [{ bar: 'time', session: 'full', size: 60 }, 'good', 4],
    ],
  );
  const files = readdirSync(results).map((name) => readFileSync(join(results, name)).length);
  const bytes = files.reduce((sum, size) => sum + size, 0);
  assert.deepEqual([cache.results, cache.bytes, cache.bytesMax], [6, bytes, 2 * 1024 ** 3]);
  assert.equal(configurations[0]!.bytes + configurations[1]!.bytes, bytes);
  assert.ok(Number(configurations[0]!.lastUsedAt) > 1e18);
  for (const filter of [
    ['--contract', 'ESM6'],
    ['--indicator', 'footprint'],
    ['--dataset', 'X'],
  ]) {
    assert.match((await rig.run(['ls', ...filter])).out, /^Nothing in the cache fits\.\nAll: 6/);
  }
});

test('an empty cache says how it is filled, or why it never is', async () => {
  rmSync(join(rig.data, 'cache'), { recursive: true });
  assert.match((await rig.run(['ls'])).out, /is empty; tapeloom cache warm fills it\.\n$/);
  const env = { TAPELOOM_CACHE_BYTES: '0' };
  assert.match((await rig.run(['ls'], { env })).out, /is empty; TAPELOOM_CACHE_BYTES is 0\.\n$/);
});

test('damaged and outdated results are marked; what only --check sees is seen by it', async () => {
  await keepOutdated();
  const [first, second] = readdirSync(results).filter((name) => name.startsWith('20260224'));
  writeFileSync(join(results, first!), 'no result');
  const whole = readFileSync(join(results, second!));
  whole[whole.length - 3]! ^= 1;
  writeFileSync(join(results, second!), whole);
  writeFileSync(join(results, 'x.result.1-1-1.tmp'), 'half');
  const { out } = await rig.run(['ls']);
  assert.equal(out.match(/DAMAGED$/gm)?.length, 1);
  assert.match(out, /^ESH6 +bars +- +2026-02-24 +2026-02-24 +1 +9 bytes +- +DAMAGED$/m);
  assert.match(out, /^ESH6 +bars +size=9 .* OUTDATED$/m);
  assert.match(out, /^1 result damaged: /m);
  assert.match(out, /^1 unfinished: /m);
  const checked = await rig.run(['ls', '--check', '--entries']);
  assert.equal(checked.out.match(/DAMAGED$/gm)?.length, 2);
  assert.match((await rig.run(['clear', '--all'])).out, /^7 results removed/);
  assert.deepEqual(readdirSync(results), []);
});

test('clear removes what fits and says what it freed; a dry run removes nothing', async () => {
  await rig.warm(['--indicator', 'footprint', '--to', '2026-02-23']);
  const dry = await rig.run(['clear', '--indicator', 'bars', '--dry-run']);
  assert.match(dry.out, /^6 results would be removed, [\d.]+ KiB\.\n$/);
  assert.equal(readdirSync(results).length, 7);
  const cleared = await rig.run(['clear', '--indicator', 'bars']);
  assert.match(cleared.out, /^6 results removed, [\d.]+ KiB freed\.\n$/);
  const told = await rig.json<{ results: number; bytes: number }>('clear', '--contract', 'ESH6');
  assert.equal(told.results, 1);
  assert.ok(told.bytes > 0);
  assert.match((await rig.run(['clear', '--all'])).out, /^Nothing in the cache/);
});

test('clear wants to be told what is to go', async () => {
  for (const [words, message] of [
    [[], /name what to remove with --contract/],
    [['--all', '--contract', 'ESH6'], /--all cannot be combined with --contract/],
    [['ESH6'], /unexpected argument: ESH6/],
  ] as const) {
    await assert.rejects(rig.run(['clear', ...words]), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  }
  assert.equal(readdirSync(results).length, 6);
});
