/**
 * A file replaces days of a contract while its streams, pages and exports run. Each shows either
 * the old or the new version, never both.
 */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { addDays } from '@tapeloom/core/utc-day';
import { ago, ImportedRig, timeText, tradesOver } from './imported-rig.ts';
import { killServices, RunningService, type StreamMessage } from './running-service.ts';

const DAYS = [ago(3), ago(1)] as const;
const TRADES_A_DAY = 1_440;
const ROUNDS = 2;
const RANGE = { instrument: 'QQB', from: timeText(DAYS[0]), to: timeText(addDays(DAYS[1], 1)) };
const BARS = { indicator: 'bars', params: JSON.stringify({ bar: 'tick', size: 1 }) };
const HOURLY = { indicator: 'footprint', params: { bar: 'time', size: 3_600 } };

/** Both versions have the same times, sizes and sides; only prices differ. */
const versions = {
  low: tradesOver(DAYS, TRADES_A_DAY, (index) => String(1_000 + (index % 5))),
  high: tradesOver(DAYS, TRADES_A_DAY, (index) => String(2_000 + (index % 5))),
};
type Version = keyof typeof versions;

let rig: ImportedRig;
let service: RunningService;
before(async () => {
  rig = await ImportedRig.make('round-the-clock');
  await rig.import(versions.low, DAYS);
  service = new RunningService({ data: rig.data });
  await service.ready();
});
after(() => {
  killServices();
  rig[Symbol.dispose]();
});

interface Item {
  readonly data: { readonly open: number };
}

/** The version of the items; fails if they mix both. */
function versionOf(items: readonly Item[], what: string): Version {
  const found = new Set(items.map(({ data }) => (data.open >= 3_000 ? 'high' : 'low')));
  assert.equal(found.size, 1, `${what} is of one version`);
  return [...found][0] as Version;
}

const ask = (path: string, fields: Readonly<Record<string, string>>) =>
  service.get(`${path}?${new URLSearchParams(fields)}`, service.authorized);

async function page(): Promise<Version> {
  const answer = await ask('/v1/history', { ...RANGE, ...BARS, limit: '3000' });
  assert.equal(answer.status, 200);
  return versionOf(((await answer.json()) as { items: readonly Item[] }).items, 'a page');
}

/** Null if the export was cut. */
async function exportBody(answer: Response): Promise<string | null> {
  let bytes: ArrayBuffer;
  try {
    bytes = await answer.arrayBuffer();
  } catch {
    return null;
  }
  return zstdDecompressSync(Buffer.from(bytes)).toString();
}

/** The version of a whole export. */
function exportedVersion(text: string): Version {
  const lines = text.trimEnd().split('\n');
  const items = lines.slice(1, -1).map((line) => JSON.parse(line) as Item);
  const count = versions.low.length;
  assert.deepEqual(JSON.parse(lines.at(-1)!), { t: 'end', items: count });
  assert.equal(items.length, count);
  return versionOf(items, 'an export');
}

const isReset = ({ t }: StreamMessage) => t === 'reset';
const isSnapshot = ({ t }: StreamMessage) => t === 'snapshot';

async function subscribed() {
  const subscriber = await service.open();
  await subscriber.send({ t: 'subscribe', sub: 'q', instrument: 'QQB', ...HOURLY });
  await subscriber.first(isSnapshot);
  subscriber.messages.length = 0;
  return subscriber;
}

test('files that replace days again and again mix nothing on a page, in an export or on a stream', async () => {
  const subscriber = await subscribed();
  let isDone = false;
  const seen = { pages: new Set<Version>(), exports: new Map<Version, string>(), cut: 0 };
  const readPages = async () => {
    while (!isDone) seen.pages.add(await page());
  };
  const readExports = async () => {
    while (!isDone) {
      const answer = await ask('/v1/export', { ...RANGE, ...BARS });
      assert.equal(answer.status, 200);
      const text = await exportBody(answer);
      if (text === null) {
        seen.cut += 1;
        continue;
      }
      const version = exportedVersion(text);
      // After the header, every export of a version is identical.
      const lines = text.slice(text.indexOf('\n'));
      assert.equal(lines, seen.exports.getOrInsert(version, lines));
    }
  };
  const reading = Promise.all([readPages(), readExports()]);
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const version = round % 2 === 0 ? 'high' : 'low';
      await rig.import(versions[version], DAYS, '--replace', '--yes');
      const reset = await subscriber.first(isReset);
      assert.deepEqual([reset.sub, reset.reason], ['q', 'source_gap']);
      const snapshot = await subscriber.first(isSnapshot);
      assert.equal(versionOf(snapshot.items as readonly Item[], 'a snapshot'), version);
      assert.equal(await page(), version);
      subscriber.messages.length = 0;
    }
  } finally {
    isDone = true;
    await reading;
  }
  assert.deepEqual(seen.pages, new Set(['low', 'high']));
  assert.ok(seen.exports.size > 0, `of exports some end, ${seen.cut} were cut`);
  await subscriber.close();
});

test('an export whose reader waits while its days are replaced ends as it began, or is cut, and is not gone on with', async () => {
  const subscriber = await subscribed();
  const answer = await ask('/v1/export', { ...RANGE, ...BARS });
  assert.equal(answer.status, 200);
  const token = answer.headers.get('x-export-token')!;
  await rig.import(versions.high, DAYS, '--replace', '--yes');
  await subscriber.first(isReset);
  const text = await exportBody(answer);
  if (text !== null) assert.equal(exportedVersion(text), 'low');
  const resumed = await ask('/v1/export', { resume: token, line: '10' });
  assert.equal(resumed.status, 410, await resumed.text());
  const anew = await ask('/v1/export', { ...RANGE, ...BARS });
  assert.equal(exportedVersion((await exportBody(anew))!), 'high');
  await subscriber.close();
});

test('a file that is refused, or has what is there already, is noticed by nobody', async () => {
  const subscriber = await subscribed();
  await assert.rejects(rig.import(versions.low, DAYS), /trades\.csv is rejected/);
  await rig.import(versions.high, DAYS);
  await rig.import(versions.high, DAYS, '--replace', '--yes');
  assert.equal(await page(), 'high');
  assert.deepEqual(subscriber.messages.filter(isReset), []);
  await subscriber.close();
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
  assert.equal(service.faults, '');
});
