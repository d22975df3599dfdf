import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { CacheRig, DAYS } from '../../testing/cache-rig.ts';
import { UsageError } from '../command.ts';

const rig = await CacheRig.make();
beforeEach(() => rmSync(join(rig.data, 'cache'), { recursive: true, force: true }));
after(() => rig[Symbol.dispose]());

interface WarmJson {
  readonly contract: string;
  readonly params: object;
  readonly isComplete: boolean;
  readonly days: readonly { day: number; trades: number; outcome: string }[];
  readonly missingDays: readonly number[];
}

const outcomes = ({ days }: WarmJson) => days.map(({ outcome }) => outcome);

async function warmJson(...words: readonly string[]): Promise<WarmJson> {
  const { out } = await rig.warm([...words, '--json']);
  return JSON.parse(out) as WarmJson;
}

test('every sealed day is computed and kept once; a second run finds all of them there', async () => {
  using _service = lockDirectory(rig.data);
  const first = await rig.warm();
  assert.equal(first.code, 0);
  assert.match(
    first.out,
    /^ESH6 bars \(defaults\), 2026-02-23 to 2026-02-26: 4 cached \([\d.]+ s, [\d,]+ trades\/s\)\.\n$/,
  );
  const lines = first.err.trimEnd().split('\n');
  assert.equal(lines.length, 4);
  assert.match(lines[1]!, /^2026-02-24 {2}[\d,]+ trades {2}cached {2}\(2 of 4\)$/);
  const second = await rig.warm();
  assert.equal(second.code, 0);
  assert.match(second.out, /: 4 already cached \([\d.]+ s\)\.\n$/);
  assert.match(second.err, /^Already cached: 2026-02-23 to 2026-02-26\.$/m);
});

test('--json ends with one document and nothing else is said', async () => {
  const { code, out, err } = await rig.warm(['--to', '2026-02-24', '--json']);
  assert.deepEqual([code, err], [0, '']);
  const told = JSON.parse(out) as WarmJson;
  assert.deepEqual([told.contract, told.isComplete, told.missingDays], ['ESH6', true, []]);
  assert.deepEqual(
    told.days.map(({ day, outcome }) => [day, outcome]),
    DAYS.slice(0, 2).map((day) => [day, 'kept']),
  );
});

test('spelling defaults out, an alias and what only changes the view make no other result', async () => {
  await warmJson();
  const same = ['{"size":60}', '{"bar":"time","session":"full"}', '{"depth":7}'];
  for (const params of same) {
    assert.deepEqual(new Set(outcomes(await warmJson('--params', params))), new Set(['there']));
  }
  const { contract, days } = await warmJson('--instrument', 'ES.c.0');
  assert.equal(contract, 'ESH6');
  assert.deepEqual(new Set(outcomes({ days } as WarmJson)), new Set(['there']));
  assert.deepEqual(
    new Set(outcomes(await warmJson('--params', '{"size":300}'))),
    new Set(['kept']),
  );
});

test('a terminal shows days done, trades a second and the time left in one line', async () => {
  const { err, out } = await rig.warm([], { isTerminal: true });
  const shown = err.split('\r\u001b[2K');
  assert.equal(shown[1], '0 of 4 days  2026-02-23');
  assert.match(shown[3]!, /^2 of 4 days {2}[\d,]+ trades\/s {2}\d+ s left {2}2026-02-24$/);
  assert.equal(shown.at(-1), '', 'the line is erased');
  assert.match(out, /4 cached/);
});

test('days that are missing are told, and those around them kept; nothing there is an error', async () => {
  const sidecar = join(rig.data, 'tape/SIM/days/ESH6/20260225.json');
  const kept = readFileSync(sidecar);
  rmSync(sidecar);
  try {
    const { code, out, err } = await rig.warm(['--from', '2026-02-19']);
    assert.equal(code, 1);
    assert.match(out, /2026-02-22 to 2026-02-26: 4 cached/);
    assert.match(
      err,
      /^Missing on the tape: 2026-02-19 to 2026-02-20 and 2026-02-25\.$/m,
      'a Saturday is not missing',
    );
  } finally {
    writeFileSync(sidecar, kept);
  }
  const nothing = await rig.warm(['--from', '2026-03-02', '--to', '2026-03-03']);
  assert.equal(nothing.code, 1);
  assert.match(nothing.err, /^ESH6 has no sealed day in this range/);
});

test('a damaged day is told and left out; the others are kept', async () => {
  const arrow = join(rig.data, 'tape/SIM/days/ESH6/20260224.arrow');
  const whole = readFileSync(arrow);
  const damaged = Buffer.from(whole);
  damaged[400]! ^= 16;
  writeFileSync(arrow, damaged);
  try {
    const { code, out, err } = await rig.warm(['--params', '{"session":"utc"}']);
    assert.equal(code, 1);
    assert.match(out, /3 cached, 1 damaged/);
    assert.match(err, /^Damaged; see tapeloom tape verify: 2026-02-24\.$/m);
  } finally {
    writeFileSync(arrow, whole);
  }
});

test('what the limit does not allow is told, and 0 keeps nothing', async () => {
  const small = await rig.warm([], { env: { TAPELOOM_CACHE_BYTES: '8KiB' } });
  assert.equal(small.code, 1);
  assert.match(small.out, /4 computed, but not cached/);
  assert.match(
    small.err,
    /^Too large to be cached, or the disk failed: 2026-02-23 to 2026-02-26\.$/m,
  );
  const size = (await rig.warm().then(() => rig.json<{ cache: { bytes: number } }>('ls'))).cache
    .bytes;
  rmSync(join(rig.data, 'cache'), { recursive: true });
  const bytes = String(size * 4);
  const params = [3, 5, 10, 15, 20, 30].map((minutes) => `{"size":${minutes * 4}}`);
  const told: string[] = [];
  for (const one of params) {
    told.push((await rig.warm(['--params', one], { env: { TAPELOOM_CACHE_BYTES: bytes } })).err);
  }
  assert.match(told.join(''), /least recently used results were evicted: the limit is [\d.]+ KiB/);
  await assert.rejects(
    rig.warm([], { env: { TAPELOOM_CACHE_BYTES: '0' } }),
    /the cache is turned off/,
  );
});

test('an interrupted run stops at once, keeps what it has, and goes on the next time', async () => {
  const stop = new AbortController();
  let lines = 0;
  const { code, out } = await rig.warm([], {
    signal: stop.signal,
    stderr: () => {
      lines += 1;
      if (lines === 2) stop.abort();
    },
  });
  assert.equal(code, 130);
  assert.match(out, /^Stopped after 2 of 4 days\. ESH6 bars .*: 2 cached/);
  assert.deepEqual(outcomes(await warmJson()), ['there', 'there', 'kept', 'kept']);
  const before = await rig.warm(['--json'], { signal: AbortSignal.abort() });
  assert.deepEqual([before.code, JSON.parse(before.out).isComplete], [130, false]);
});

test('what is not understood is refused with what would do', async () => {
  const bars = ['warm', '--instrument', 'ESH6', '--indicator', 'bars', '--from', '2026-02-23'];
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [['warm'], /--from is missing/],
    [[...bars.slice(0, 1), ...bars.slice(3)], /--instrument is missing/],
    [[...bars.slice(0, 3), ...bars.slice(5)], /--indicator is missing/],
    [[...bars, '--indicator', 'barz'], /did you mean bars\?/],
    [[...bars, '--instrument', 'ESH66'], /did you mean ESH6\?/],
    [[...bars, '--from', '2026-02-30'], /--from must be a date like 2026-09-01/],
    [[...bars, '--to', '2026-02-22'], /--from 2026-02-23 is after --to 2026-02-22/],
    [[...bars, '--params', '{"size":0}'], /--params does not fit bars/],
    [[...bars, 'now'], /unexpected argument: now/],
  ];
  for (const [words, message] of refused) {
    await assert.rejects(rig.run(words), (error) => {
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(
    rig.warm([], { env: { TAPELOOM_CACHE_BYTES: 'much' } }),
    /TAPELOOM_CACHE_BYTES must be .*; got "much"/,
  );
});
