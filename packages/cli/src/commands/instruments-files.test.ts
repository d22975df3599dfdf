import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { readInstruments } from '@tapeloom/server/markets/instruments/read-instruments';
import {
  CALENDAR_TEMPLATES,
  PRODUCT_TEMPLATE_NAMES,
} from '@tapeloom/server/markets/instruments/templates';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';
import { datasetText, datasetView } from '../instruments/instruments-view.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tapeloom-cli-instruments-'));
after(() => rmSync(scratch, { recursive: true }));
const TEXT = `datasets:
  GLBX:
    products:
      ES: { extends: ES, contracts: { from: 2026-12, to: 2027-06 } }
      6J: { extends: 6J, contracts: { from: 2026-12, to: 2026-12 } }
    aliases:
      ES.c.0: { product: ES, roll: calendar }
      ES.v.0: { product: ES, roll: volume }
`;
const good = fileWith('instruments.yaml', TEXT);
const bad = fileWith('bad.yaml', TEXT.replace('extends: ES,', 'extend: ES,'));

function fileWith(name: string, content: string | Uint8Array): string {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return path;
}

const instruments = (...args: readonly string[]) => runRecorded(commands, ['instruments', ...args]);

test('what a file holds is a table of products, calendars and aliases', () => {
  const now = (epochNs(utcDay(20261116), 0) + 1n) as EpochNs;
  const text = datasetText(datasetView(readInstruments(TEXT).datasets[0]!, now));
  assert.equal(
    text,
    `GLBX: 4 contracts

product  contracts  first  last       tick  lot  a point is worth  calendar
ES               3  ESZ6   ESM7       0.25    1            50 USD  cme-equity
6J               1  6JZ6   6JZ6  0.0000005    1      12500000 USD  cme-fx

calendar    session opens (UTC)  closes
cme-equity  2026-11-15 23:00     2026-11-16 22:00
cme-fx      2026-11-15 23:00     2026-11-16 22:00

alias   rolls by          means today  next roll
ES.c.0  calendar or list  ESZ6         ESH7 on 2026-12-14
ES.v.0  volume            ESZ6         ESH7 on 2026-12-17, or sooner
`,
  );
});

test('check shows it, as text or JSON, beside the customer’s list of instruments', async () => {
  const { code, out } = await runRecorded(commands, ['instruments', 'check', good]);
  assert.equal(code, 0);
  assert.match(out, /^GLBX: 4 contracts\n\nproduct /);
  const json = await runRecorded(commands, ['instruments', 'check', good, '--json']);
  assert.deepEqual(JSON.parse(json.out).datasets[0].products[0].last, 'ESM7');
  const help = await runRecorded(commands, ['instruments', '--help']);
  assert.match(help.out, /^Usage: tapeloom instruments \[<instrument>\]/);
});

test('check names every fault with file, line and column, and exits with 1', async () => {
  const { code, out, err } = await runRecorded(commands, ['instruments', 'check', bad]);
  assert.deepEqual([code, out], [1, '']);
  const [first] = err.split('\n');
  assert.equal(
    first,
    `${bad}:4:13 datasets.GLBX.products.ES.extend is not known here. Did you mean "extends"?`,
  );
  const json = await runRecorded(commands, ['instruments', 'check', bad, '--json']);
  assert.deepEqual([json.code, JSON.parse(json.out).faults[0].line], [1, 4]);
  const none = await runRecorded(commands, ['instruments', 'check', join(scratch, 'none.yaml')]);
  assert.deepEqual([none.code, /there is no file/.test(none.err)], [2, true]);
});

test('what is not a file of text is refused before it is read as YAML', async () => {
  const check = async (path: string) => {
    const { code, err } = await instruments('check', path);
    return [code, err.split('\n')[0]];
  };
  assert.deepEqual(await check(scratch), [
    2,
    `tapeloom instruments check: ${scratch} is not a file`,
  ]);
  const latin = fileWith('latin.yaml', Uint8Array.of(0x61, 0x3a, 0x20, 0xe9));
  assert.match(String((await check(latin))[1]), /is not UTF-8 text/);
  const large = fileWith('large.yaml', new Uint8Array(1_048_577));
  assert.match(String((await check(large))[1]), /has 1048577 bytes; at most 1048576 are allowed/);
  const empty = fileWith('empty.yaml', '');
  assert.deepEqual(await check(empty), [1, `${empty}:1:1 the file is refused: it is empty`]);
});

test('diff says what would change, and exits with 1 where the past would', async () => {
  assert.deepEqual(await instruments('diff', good, good).then(({ code, out }) => [code, out]), [
    0,
    'Nothing changes.\n',
  ]);
  const finer = fileWith('finer.yaml', TEXT.replace('extends: ES,', 'extends: ES, tick: 0.05,'));
  const { code, out } = await instruments('diff', good, finer);
  const sentence = 'The tick of ESZ6, ESH7, ESM7 becomes 0.05, it was 0.25.';
  assert.deepEqual([code, out], [0, `GLBX: ${sentence}\n`]);
  const json = await instruments('diff', good, finer, '--json');
  assert.deepEqual(JSON.parse(json.out).changes, [{ dataset: 'GLBX', isRefused: false, sentence }]);
  const rolls = (symbol: string) => `roll: [{ from: 2020-01-06, symbol: ${symbol} }]`;
  const [first, other] = ['ESZ6', 'ESH7'].map((symbol) =>
    fileWith(`${symbol}.yaml`, TEXT.replace('roll: calendar', rolls(symbol))),
  );
  const past = await instruments('diff', first!, other!);
  assert.equal(past.code, 1);
  assert.match(
    past.out,
    /^REFUSED {2}GLBX: ES\.c\.0 means ESH7 from 2020-01-06 on, it was ESZ6: rolls/,
  );
});

test('diff names the file that has faults, or is missing', async () => {
  for (const pair of [
    [good, bad],
    [bad, good],
  ]) {
    const { code, err } = await instruments('diff', ...pair);
    assert.deepEqual([code, err.startsWith(`${bad}:4:13 `)], [1, true]);
  }
  const { code, err } = await instruments('diff');
  assert.deepEqual([code, /<file> is missing/.test(err)], [2, true]);
  const more = await instruments('diff', good, good, good);
  assert.deepEqual([more.code, /unexpected argument/.test(more.err)], [2, true]);
});

test('the file on the page of operators is right, and holds what the page says', async () => {
  const page = readFileSync(
    new URL('../../../../docs/operating/instruments.md', import.meta.url),
    'utf8',
  );
  const [, text] = /^```yaml [^\n]*\n(.*?)^```$/ms.exec(page)!;
  const { code, out, err } = await instruments('check', fileWith('page.yaml', text!), '--json');
  assert.deepEqual([code, err], [0, '']);
  const { datasets } = JSON.parse(out);
  assert.deepEqual(
    datasets.map(({ dataset, contracts }: Record<string, unknown>) => [dataset, contracts]),
    [
      ['GLBX', 21],
      ['COINS', 3],
    ],
  );
  for (const name of [...PRODUCT_TEMPLATE_NAMES, ...CALENDAR_TEMPLATES.names]) {
    assert.match(page, new RegExp(`\\b${name}\\b`), name);
  }
});

test('apply gives a directory what diff has shown for it, and says from when on', async () => {
  const data = join(scratch, 'data');
  const first = await instruments('diff', good, '--data', data);
  const news = 'GLBX: The dataset is new, with 4 contracts.\n';
  assert.deepEqual([first.code, first.out], [0, news]);
  const applied = await instruments('apply', good, '--data', data);
  const since = 'A running service reads them after a reload (SIGHUP) or restart.\n';
  assert.deepEqual([applied.code, applied.out], [0, news + since]);
  assert.equal(readFileSync(join(data, 'instruments.yaml'), 'utf8'), TEXT);
  const again = await instruments('apply', good, '--data', data);
  assert.deepEqual([again.code, again.out], [0, 'Nothing changes.\n']);
  const faulty = await instruments('apply', bad, '--data', data);
  assert.deepEqual([faulty.code, faulty.err.startsWith(`${bad}:4:13 `)], [1, true]);
  const taken = fileWith('taken.yaml', TEXT.replace('GLBX', 'TIME'));
  assert.match(
    (await instruments('apply', taken, '--data', data)).out,
    /^REFUSED {2}TIME: A live market writes the tape of this name/,
  );
  using _import = lockDirectory(join(data, 'tape/GLBX'));
  const held = await instruments('apply', good, '--data', data);
  assert.equal(held.code, 1);
  assert.match(
    held.err,
    /tape\/GLBX is in use by process \d+\. Wait until the import has finished\./,
  );
});
