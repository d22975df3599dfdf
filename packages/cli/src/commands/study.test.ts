import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import { formatCursor } from '@tapeloom/core/cursor';
import { type Rank, rank } from '@tapeloom/core/numbers';
import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { parseParams } from '@tapeloom/core/studies/params';
import { StudyRun } from '@tapeloom/core/studies/run';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { runFill } from '@tapeloom/server/markets/sim/fill';
import { createSimUniverse } from '@tapeloom/server/markets/sim/sim-universe';
import { TradeColumns } from '@tapeloom/server/markets/sim/trades/trade-columns';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { RecordedIo, type RecordedIoOptions } from '../../testing/recorded-io.ts';
import { UsageError } from '../command.ts';
import type { LogEntry } from '../study/settled-study.ts';
import { studyCommand } from './study.ts';

const scratch = mkdtempSync(join(tmpdir(), 'study-'));
const sim = { seed: 7, printsScale: 0.01 };
const today = utcDay(20260301);
/** A Sunday: the first session opens at 23:00 UTC. */
const firstDay = utcDay(20260222);
const dayCount = 4;
const WHOLE = ['--from', '2026-02-22', '--to', '2026-02-26'];

before(async () => {
  const items = Array.from({ length: dayCount }, (_, index) => {
    return { symbol: 'ESH6', day: addDays(firstDay, index) };
  });
  const tapeRoot = `${scratch}/tape`;
  await runFill({ tapeRoot, sim, today }, items, () => {}, new AbortController().signal);
});
after(() => rmSync(scratch, { recursive: true }));

async function study(words: readonly string[], io: RecordedIoOptions = {}) {
  const recorded = new RecordedIo({ env: { TAPELOOM_DATA: scratch }, ...io });
  const code = await studyCommand.run(words, recorded);
  return { code, out: recorded.out, err: recorded.err };
}

async function entries(...words: readonly string[]): Promise<LogEntry[]> {
  const { code, out } = await study(words);
  assert.equal(code, 0);
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogEntry);
}

/** The expected result without tape, files or command: the simulated trades fed straight into the study. */
function computedDirectly(id: string, given: object): unknown[] {
  const indicator = indicatorNamed(id)!;
  const parsed = parseParams(indicator, given);
  assert.ok('params' in parsed);
  const { contracts, market } = createSimUniverse(sim, today);
  const { calendar } = contracts.find(({ symbol }) => symbol === 'ESH6')!;
  const last = addDays(firstDay, dayCount);
  const now = epochNs(last, 0);
  const book = extendSessionBook(null, calendarNamed(calendar), firstDay, addDays(last, 9), now);
  const log: unknown[] = [];
  const output = {
    upsert: (version: object, cursor: Parameters<typeof formatCursor>[0]) =>
      log.push({ t: 'upsert', cursor: formatCursor(cursor), ...version }),
    remove: (
      objectId: string,
      final: boolean,
      ts: string,
      cursor: Parameters<typeof formatCursor>[0],
    ) => log.push({ t: 'remove', cursor: formatCursor(cursor), id: objectId, final, ts }),
    openSession: () => {},
    flushed: () => {},
  };
  const start = { at: epochNs(firstDay, 0), rank: 0 as Rank };
  const table = sessionTable(book, indicator.sessionKind(parsed.params));
  const run = new StudyRun(indicator.create(parsed.params), table, start, { output });
  for (let day = firstDay; day < last; day = addDays(day, 1)) {
    const columns = new TradeColumns();
    market.appendDay('ESH6', day, columns);
    run.apply({ day, firstRank: rank(1), ...columns });
  }
  run.advance(epochNs(last, 0));
  return log;
}

test('every indicator gives over the tape what its study gives over the trades [DET-16]', async () => {
  for (const { id } of INDICATORS) {
    const direct = computedDirectly(id, {});
    assert.deepEqual(await entries(id, '--tape', 'ESH6', ...WHOLE), direct, id);
  }
});

test('adjoining ranges add up, also inside a session and a bar [DET-16]', async () => {
  const cuts = ['2026-02-22', '2026-02-24T15:04:59.5Z', '2026-02-24T22:30:00Z', '2026-02-26'];
  for (const { id } of INDICATORS) {
    const parts: LogEntry[] = [];
    for (let cut = 1; cut < cuts.length; cut += 1) {
      const range = ['--from', cuts[cut - 1]!, '--to', cuts[cut]!];
      parts.push(...(await entries(id, '--tape', 'ESH6', ...range)));
    }
    assert.deepEqual(parts, await entries(id, '--tape', 'ESH6', ...WHOLE), id);
  }
});

test('the threshold of large trades comes from the session before the range', async () => {
  const words = ['large-trades', '--tape', 'ESH6', '--params', '{"perSession":5}'];
  const whole = await entries(...words, ...WHOLE);
  const from = ['--from', '2026-02-24T23:00:00Z', '--to', '2026-02-26'];
  const part = await entries(...words, ...from);
  assert.ok(part.length > 0 && part.length < whole.length);
  assert.deepEqual(part, whole.slice(-part.length));
  const cold = await study([...words, '--from', '2026-02-22', '--to', '2026-02-23']);
  assert.equal(cold.out, '');
  assert.match(cold.err, /does not have the earlier sessions/);
});

test('--tail ends with what still forms at --to', async () => {
  const range = ['--from', '2026-02-24T15:00:00Z', '--to', '2026-02-24T15:05:30Z'];
  const words = ['bars', '--tape', 'ESH6', '--params', '{"size":300}', ...range];
  const [first, ...rest] = await entries(...words, '--tail');
  assert.deepEqual([first!.t, first!.final], ['upsert', true]);
  assert.deepEqual(
    rest.map(({ final }) => final),
    [false],
  );
  assert.deepEqual(await entries(...words), [first]);
});

test('CSV has the fields of the schema, lists as JSON', async () => {
  const range = ['--from', '2026-02-24T14:00:00Z', '--to', '2026-02-24T15:00:00Z'];
  const words = ['footprint', '--tape', 'ESH6', '--params', '{"size":900}', ...range];
  const { out } = await study([...words, '--format', 'csv']);
  const [header, ...rows] = out.trimEnd().split('\n');
  const schema = indicatorNamed('footprint')!.data.properties as object;
  assert.equal(header, `t,cursor,id,final,ts,${Object.keys(schema).join(',')}`);
  const objects = await entries(...words);
  assert.equal(rows.length, objects.length);
  const first = objects[0] as Extract<LogEntry, { t: 'upsert' }>;
  const { levels, open } = first.data as { levels: unknown; open: number };
  assert.ok(rows[0]!.startsWith(`upsert,${first.cursor},${first.id},true,${first.ts},${open},`));
  assert.ok(rows[0]!.includes(`"${JSON.stringify(levels)}"`));
  const nothing = await study([
    'bars',
    '--tape',
    'ESH6',
    '--from',
    '2026-02-22',
    '--to',
    '2026-02-22T01:00:00Z',
    '--format',
    'csv',
  ]);
  assert.equal(nothing.out.split('\n').length, 2);
});

test('a terminal gets a table with prices and times, and one line of progress', async () => {
  const range = ['--from', '2026-02-24T15:00:00Z', '--to', '2026-02-24T15:10:00Z'];
  const words = ['bars', '--tape', 'ES.c.0', '--params', '{"size":300}', ...range];
  const { out, err } = await study(words, { isTerminal: true });
  const [titles, first] = out.split('\n');
  assert.match(titles!, /^ +time \(UTC\) +open +high +low +close +volume/);
  assert.match(first!, /^ +2026-02-24 15:00:00\.000 +\d{4}\.(?:00|25|50|75) /);
  assert.match(err.replaceAll('\x1b', ''), /\r\[2K2026-02-2\d {2}[\d,]+ trades/);
  assert.match(err, /2 objects from [\d,]+ trades in [\d.]+ s \([\d,]+ trades\/s\)\n$/);
});

test('--out writes a file and leaves an old one alone when the run is refused', async () => {
  const out = join(scratch, 'bars.ndjson');
  const words = ['bars', '--tape', 'ESH6', '--out', out];
  assert.equal((await study([...words, '--from', '2026-02-22', '--to', '2026-03-01'])).code, 1);
  assert.ok(!existsSync(out));
  const { out: said, code } = await study([...words, ...WHOLE]);
  assert.deepEqual([said, code], ['', 0]);
  assert.deepEqual(
    readFileSync(out, 'utf8'),
    (await study(['bars', '--tape', 'ESH6', ...WHOLE])).out,
  );
});

test('it reads beside a running service', async () => {
  using _ = lockDirectory(scratch);
  assert.equal((await study(['bars', '--tape', 'ESH6', ...WHOLE])).code, 0);
});

test('days that are missing are named, with the first session that is there', async () => {
  const { code, out, err } = await study([
    'bars',
    '--tape',
    'ESH6',
    '--from',
    '2026-02-20',
    '--to',
    '2026-02-28',
  ]);
  assert.deepEqual([code, out], [1, '']);
  assert.match(
    err,
    /^ESH6 has no sealed tape of 2026-02-19 to 2026-02-20 and 2026-02-26 to 2026-02-27\.$/m,
  );
  assert.match(err, /opens at 2026-02-22T23:00:00\.000Z/);
});

test('an interrupted run stops', async () => {
  await assert.rejects(
    study(['bars', '--tape', 'ESH6', ...WHOLE], { signal: AbortSignal.abort() }),
    {
      name: 'AbortError',
    },
  );
});

test('what is not understood is refused with what would do', async () => {
  const bars = ['bars', '--tape', 'ESH6', ...WHOLE];
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [['barz', ...bars.slice(1)], /no indicator is called barz; did you mean bars\?/],
    [['zzzzzzzzz'], /no indicator is called zzzzzzzzz; there are bars /],
    [[], /the indicator is missing; the indicators are bars, /],
    [['bars', 'footprint'], /unexpected argument: footprint/],
    [
      ['bars', '--tape', 'ESH66', ...WHOLE],
      /no contract or alias is called ESH66; did you mean ESH6\?/,
    ],
    [['bars', ...WHOLE], /--tape is missing/],
    [
      ['bars', '--tape', 'ESH6', '--from', '2026-02-30', '--to', '2026-03-01'],
      /--from must be a date like/,
    ],
    [['bars', '--tape', 'ESH6', '--from', '2026-02-22'], /--to is missing/],
    [
      ['bars', '--tape', 'ESH6', '--from', '2026-02-22', '--to', '2026-02-22'],
      /ends at the next date/,
    ],
    [[...bars, '--params', '{'], /--params must be a JSON object like/],
    [
      [...bars, '--params', '{"size":0,"colour":1}'],
      /\/colour {2}"bars" has no parameter.*\n.*\/size {2}Must be/,
    ],
    [[...bars, '--params', '[]'], /\/ {2}Parameters must be an object/],
    [[...bars, '--format', 'xml'], /--format must be one of ndjson, csv, table; got xml/],
    [[...bars, '--json', '--format', 'csv'], /--json means --format ndjson, but --format is csv/],
  ];
  for (const [words, message] of refused) {
    await assert.rejects(study(words), (error) => {
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, message);
      return true;
    });
  }
});
