import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { FEED_LIMITS } from '@tapeloom/server/feeds/guarded/feed-thread';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { secondPages } from '../../../server/testing/feeds/feed-fuzz.ts';
import { stuckAtFirst } from '../../../server/testing/feeds/stuck-feed.ts';
import { zipOf } from '../../../server/testing/feeds/zip-text.ts';
import {
  csv,
  dbn,
  halfHours,
  at as instant,
  MONDAY,
  TUESDAY,
  WEDNESDAY,
} from '../../../server/testing/imports.ts';
import { RecordedIo, type RecordedIoOptions } from '../../testing/recorded-io.ts';
import { UsageError } from '../command.ts';
import { importCommand, runImport } from './import.ts';

const scratch = mkdtempSync(join(tmpdir(), 'import-'));
const at = (name: string) => join(scratch, name);
const data = at('data');
const INSTRUMENTS = {
  datasets: {
    GLBX: { products: { ES: { extends: 'ES', contracts: { from: '2026-03', to: '2026-06' } } } },
  },
};
const monday = dbn(instant(MONDAY, 0), instant(TUESDAY, 0), halfHours(MONDAY, 0, 20));
const tuesday = dbn(instant(TUESDAY, 0), instant(WEDNESDAY, 0), halfHours(TUESDAY, 0, 20));

beforeEach(() => {
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data);
  writeFileSync(join(data, 'instruments.yaml'), JSON.stringify(INSTRUMENTS));
});
after(() => rmSync(scratch, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(at(name), content);
  return at(name);
}

async function run(words: readonly string[], options: RecordedIoOptions = {}) {
  const io = new RecordedIo(options);
  const code = await importCommand.run([...words, '--data', data], io);
  return { code, out: io.out, err: io.err };
}

const imported = () => join(data, 'tape/GLBX/imported.json');
const staged = () => readdirSync(join(data, 'tape/GLBX/staging'));

test('several files by a pattern come in the order of their trades, and a second time change nothing', async () => {
  // By name, the second day would come first.
  file('es-a.dbn', tuesday);
  file('es-b.dbn', monday);
  const { code, out, err } = await run([at('es-*.dbn')]);
  assert.equal(code, 0);
  assert.equal(
    out,
    'contract  days  trades  from        to          what     quality\n' +
      'ESH6         2      80  2026-03-09  2026-03-10  2 added  complete\n',
  );
  assert.ok(err.indexOf('es-b.dbn: DBN version 3') < err.indexOf('es-a.dbn: DBN version 3'), err);
  const before = readFileSync(imported(), 'utf8');
  const again = await run([at('es-b.dbn'), at('es-a.dbn'), at('es-*.dbn'), '--json']);
  const { dataset, files, contracts, rolls } = JSON.parse(again.out);
  assert.equal(dataset, 'GLBX');
  assert.equal(files.length, 2);
  assert.deepEqual(rolls, []);
  const statuses = contracts[0].days.map((one: { status: string }) => one.status);
  assert.deepEqual(statuses, ['same', 'same']);
  assert.equal(readFileSync(imported(), 'utf8'), before);
  assert.deepEqual(staged(), []);
});

test('a dry run over several files holds them against each other, as the import does', async () => {
  const changed = halfHours(MONDAY, 0, 20).map((row) => ({ ...row, size: row.size + 1 }));
  const files = [
    file('one.dbn', monday),
    file('two.dbn', tuesday),
    file('other.dbn', dbn(instant(MONDAY, 0), instant(TUESDAY, 0), changed)),
  ];
  const dry = await run([...files, '--dry-run']);
  assert.equal(dry.code, 1);
  assert.match(
    dry.err,
    /other\.dbn is rejected, .*\n {2}ESH6 2026-03-09: the tape has .*× 7 buy, the file .*× 8 buy/,
  );
  assert.equal(existsSync(join(data, 'tape')), false);
  const wet = await run([...files]);
  assert.equal(wet.code, 1);
  const refusal = (text: string) => text.slice(text.indexOf('other.dbn is refused')).split('\n')[1];
  assert.equal(refusal(dry.err), refusal(wet.err));
  const good = await run([files[0]!, file('same.dbn', monday), '--dry-run', '--json', '--replace']);
  assert.equal(JSON.parse(good.out).contracts[0].days.length, 1);
});

test('equal trades where one file ends and the next begins are asked about', async () => {
  const rows = halfHours(TUESDAY, 6, 12);
  const files = [
    file('a.csv', csv(rows)),
    file('b.csv', csv([rows.at(-1)!, ...halfHours(TUESDAY, 12, 18)])),
  ];
  const { code, err } = await run(files);
  assert.equal(code, 1);
  assert.match(
    err,
    /both have 11:30:00\.000000000 .* where one ends and the other begins\n.*--at-edges two/,
  );
  const two = await run([...files, '--at-edges', 'two', '--json']);
  assert.equal(JSON.parse(two.out).contracts[0].days[0].trades, 12 + 1 + 12);
});

test('a file that would be read for ever is refused with its place, and its dataset is free for the next import', async () => {
  const io = new RecordedIo({});
  const watched = { checkMs: 250, silentChecks: 4, start: stuckAtFirst('stuck') };
  const limits = { ...FEED_LIMITS, ...watched };
  const endless = file('endless.parquet', secondPages('UNCOMPRESSED'));
  const words = [endless, '--contract', 'ESH6', '--data', data];
  assert.equal(await runImport(words, io, limits), 1);
  assert.equal(
    io.err,
    'endless.parquet: The file cannot be read at row group 1, column "price": for 1 s there was no progress. ' +
      'It is probably damaged.\nNothing of this file was imported.\n',
  );
  assert.equal(existsSync(imported()), false);
  lockDirectory(join(data, 'tape/GLBX'))[Symbol.dispose]();
  const { code, out } = await run([file('es.dbn', monday)]);
  assert.equal(code, 0);
  assert.match(out, /ESH6 +1 +40 .* 1 added/);
});

test('a dry run says what would be done, and writes nothing', async () => {
  const { code, out } = await run([file('es.dbn', monday), '--dry-run']);
  assert.equal(code, 0);
  assert.match(out, /ESH6 +1 +40 .* 1 added +complete\nDry run: nothing was written/);
  assert.equal(existsSync(join(data, 'tape')), false);
});

test('other trades are refused with both, files before them stay, those behind are named, and replace takes them', async () => {
  await run([file('es.dbn', tuesday)]);
  const rows = halfHours(TUESDAY, 0, 20);
  const changed = rows.with(3, { ...rows[3]!, price: 20_400 });
  const other = file('other.dbn', dbn(instant(TUESDAY, 0), instant(WEDNESDAY, 0), changed));
  const before = file('before.dbn', monday);
  const later = dbn(instant(WEDNESDAY, 0), instant(WEDNESDAY, 12), halfHours(WEDNESDAY, 0, 20));
  const { code, err } = await run([file('later.dbn', later), other, before]);
  assert.equal(code, 1);
  const size = rows[3]!.size;
  assert.ok(
    err.includes(
      `  ESH6 2026-03-10: the tape has 01:30:00.000000000 5000.75 × ${size} buy, ` +
        `the file 01:30:00.000000000 5100.00 × ${size} buy\nWith --replace`,
    ),
    err,
  );
  assert.match(
    err,
    /Imported before it, and kept: before\.dbn\.\nNot imported, because the import stopped here: later\.dbn\./,
  );
  await assert.rejects(run([other, '--replace']), /no terminal to ask on; add --yes/);
  const replaced = await run([other, '--replace', '--yes']);
  assert.match(replaced.out, /1 replaced/);
});

test('a file that is cut, empty, broken or no contract’s is refused in a sentence, and nothing is imported', async () => {
  const text = csv(halfHours(TUESDAY, 0, 20));
  const broken = text.replace('5003.500000000', '5oo3.5');
  const cases: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    [
      'cut.dbn',
      monday.subarray(0, monday.length - 9),
      /cut\.dbn: The file is cut: it ends at byte/,
    ],
    ['empty.csv', '', /empty\.csv: The file is empty: it has 0 bytes/],
    ['broken.csv', broken, /broken\.csv: .*row 16\b.*5oo3\.5/i],
  ];
  for (const [name, content, expected] of cases) {
    const { code, err } = await run([file(name, content)]);
    assert.equal(code, 1, name);
    assert.match(err, expected);
    assert.match(err, /Nothing of this file was imported\./);
    assert.equal(existsSync(imported()), false, name);
    assert.deepEqual(existsSync(join(data, 'tape/GLBX/staging')) ? staged() : [], []);
  }
  // All files are checked before the first is imported.
  const { err } = await run([file('good.dbn', monday), at('empty.csv')]);
  assert.match(err, /empty\.csv: The file is empty/);
  assert.equal(existsSync(imported()), false);
});

test('a path inside a zip is a name and leads nowhere', async () => {
  const text = Buffer.from(csv(halfHours(TUESDAY, 0, 20)));
  const { code } = await run([file('es.zip', zipOf([{ name: '../../up/es.csv', bytes: text }]))]);
  assert.equal(code, 0);
  assert.match(readFileSync(imported(), 'utf8'), /"sources":\["es\.zip"\]/);
  assert.deepEqual(readdirSync(data).sort(), ['instruments.yaml', 'tape']);
  assert.equal(existsSync(join(scratch, 'up')) || existsSync(join(scratch, '../up')), false);
});

test('a file that grows while it is read is refused', async () => {
  const path = file('growing.csv', csv(halfHours(TUESDAY, 0, 20)));
  const io = { isTerminal: true, stderr: () => appendFileSync(path, '\n') };
  const { code, err } = await run([path], io);
  assert.equal(code, 1);
  assert.match(err, /growing\.csv: The file was changed while it was read/);
  assert.equal(existsSync(imported()), false);
});

test('one import into a dataset at a time: another one is told who is at it', async () => {
  const path = file('es.dbn', monday);
  {
    using _other = lockDirectory(join(data, 'tape/GLBX'));
    const { code, err } = await run([path]);
    assert.equal(code, 1);
    assert.match(
      err,
      new RegExp(`GLBX is being imported into, or changed, by process ${process.pid}`),
    );
    assert.equal((await run([path, '--dry-run'])).code, 0);
  }
  // A service on the directory does not block it.
  using _service = lockDirectory(data);
  assert.equal((await run([path])).code, 0);
});

test('a contract can be said for a file that does not name it, and what it covers', async () => {
  const rows = ['timestamp,price,size', '1773100800000,5000.25,2', '1773104400000,5000.5,1'];
  const path = file('mine.csv', `${rows.join('\n')}\n`);
  const { out, err } = await run([path]);
  assert.equal(out, '');
  assert.match(err, /Left out: trades of mine, no contract of the instruments then \(2\)/);
  assert.match(err, /It has no trades of the dataset's contracts/);
  const said = ['--contract', 'ESH6', '--covers', '2026-03-10..2026-03-11', '--side', 'tick-rule'];
  const named = await run([path, ...said]);
  assert.match(named.out, /ESH6 +1 +2 +2026-03-10 +2026-03-10 +1 added +complete/);
  assert.match(named.err, /Sides of 1 trades were inferred by the tick rule/);
});

test('a day of many trades that are all of one side is pointed at', async () => {
  const rows = Array.from({ length: 250 }, (_, index) => {
    const side = index < 249 ? 'sell' : 'buy';
    return `${1_773_100_800_000 + index * 1_000},ESH6,5000.25,1,${side}`;
  });
  const text = (lines: readonly string[]) =>
    `timestamp,symbol,price,size,side\n${lines.join('\n')}\n`;
  const both = await run([file('both.csv', text(rows)), '--dry-run']);
  assert.doesNotMatch(both.err, /one side/);
  const sold = await run([file('sold.csv', text(rows.slice(0, 249))), '--dry-run']);
  assert.match(sold.err, /Look at its sides: all trades of ESH6 are of one side on 2026-03-10\./);
});

test('parts of a day are complete when the command says that they are, together', async () => {
  const part = (name: string, ...times: readonly string[]) => {
    const rows = times.map((time) => `2026-03-12T${time}Z,ESH6,5000.25,1,buy`);
    return file(name, `timestamp,symbol,price,size,side\n${rows.join('\n')}\n`);
  };
  const parts = [part('b.csv', '12:00:00', '13:00:00'), part('a.csv', '10:00:00', '11:00:00')];
  const partial = await run(parts);
  assert.match(partial.out, /ESH6 +1 +4 .* 1 added +1 partial/);
  assert.match(partial.err, /It counts as covering its first to its last trade/);
  const whole = await run([...parts, '--whole-day']);
  assert.match(whole.out, /ESH6 +1 +4 .* 1 extended +complete/);
  const other = await run([parts[0]!, part('c.csv', '10:00:00'), '--whole-day']);
  assert.equal(other.code, 1);
  assert.match(other.err, /the tape has 11:00:00\.000000000 .* no file has it/);
});

test('trades outside of the calendar are named with their count and their days', async () => {
  const rows = ['20:59:59', '21:00:00', '21:30:00'].map((time) => {
    return `2026-03-11T${time}Z,ESH6,5000.25,1,buy`;
  });
  const text = `timestamp,symbol,price,size,side\n${rows.join('\n')}\n`;
  const { err, out } = await run([file('late.csv', text), '--dry-run']);
  assert.match(err, /Outside of the hours of cme-equity: 2 trades of ESH6 on 2026-03-11\./);
  assert.match(err, /tape rm takes days off the tape before/);
  assert.match(out, /1 with trades outside of the calendar/);
});

test('without instruments it says how to get them, and wrong words are told', async () => {
  const path = file('es.dbn', monday);
  for (const [words, expected] of [
    [[], /<file> is missing/],
    [[at('nothing-*.dbn')], /no file matches/],
    [[path, '--contract', 'NQH6'], /GLBX has no contract NQH6/],
    [[path, '--dataset', 'CME'], /no dataset is called CME; there are GLBX/],
    [[path, '--calendar', 'cme-equity'], /is in its instruments.*instruments from --calendar/],
    [[path, '--covers', '2026-03-10'], /--covers must be like 2026-03-01\.\.2026-04-01/],
    [[path, '--covers', '2026-03-10..2026-03-10'], /ends before it begins/],
  ] as const) {
    await assert.rejects(
      run(words),
      (error) => error instanceof UsageError && expected.test(error.message),
      String(expected),
    );
  }
  rmSync(join(data, 'instruments.yaml'));
  const { code, err } = await run([path]);
  assert.equal(code, 1);
  assert.match(err, /tapeloom instruments from .*\n.*tapeloom instruments apply/);
});
