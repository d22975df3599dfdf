import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { databentoText } from '../../../server/testing/feeds/csv-texts.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const data = mkdtempSync(join(tmpdir(), 'tapeloom-rolls-'));
after(() => rmSync(data, { recursive: true }));

const INSTRUMENTS = {
  datasets: {
    GLBX: {
      products: { ES: { extends: 'ES', contracts: { from: '2025-12', to: '2026-06' } } },
      aliases: { 'ES.v.0': { product: 'ES', roll: 'volume', from: '2026-03-02' } },
    },
    OTHER: { products: { NQ: { extends: 'NQ', contracts: { from: '2026-03', to: '2026-03' } } } },
  },
};
/** A Friday: removals cut at weekends, so that no session is cut. */
const FIRST = 20260306 as UtcDay;
const SECOND = 20260309 as UtcDay;

const rolls = (...words: readonly string[]) =>
  runRecorded(commands, ['instruments', 'rolls', '--data', data, ...words]);

/** A day with these volumes per contract. */
async function importDay(day: UtcDay, volumes: Readonly<Record<string, number>>): Promise<void> {
  const trades = Object.entries(volumes).map(([symbol, size]) => ({
    symbol,
    ts: epochNs(day, 0),
    price: '5000.00',
    size: String(size),
    side: 1 as const,
  }));
  const path = join(data, `${day}.csv`);
  writeFileSync(path, databentoText(trades, { isPretty: true }));
  const words = [
    'import',
    path,
    '--dataset',
    'GLBX',
    '--whole-day',
    '--replace',
    '--yes',
    '--data',
    data,
  ];
  const { code, err } = await runRecorded(commands, words);
  assert.equal(code, 0, err);
}

before(async () => {
  writeFileSync(join(data, 'instruments.yaml'), JSON.stringify(INSTRUMENTS));
  await importDay(FIRST, { ESH6: 10, ESM6: 20 });
});

test('the rolls of every dataset are shown with what decided them', async () => {
  const { code, out } = await rolls();
  assert.equal(code, 0);
  assert.equal(
    out,
    'GLBX\n' +
      '  ES.v.0 means ESH6 from 2026-03-02 on, by calendar.\n' +
      '  ES.v.0 means ESM6 from 2026-03-07 on, by volume.\n' +
      'OTHER\n' +
      '  No alias rolls by volume, or nothing is imported.\n',
  );
  const { datasets } = JSON.parse((await rolls('--dataset', 'GLBX', '--json')).out);
  assert.deepEqual(
    datasets.map((one: { dataset: string; isFrozen: boolean }) => [one.dataset, one.isFrozen]),
    [['GLBX', false]],
  );
  assert.deepEqual(datasets[0].rolls[1], {
    alias: 'ES.v.0',
    symbol: 'ESM6',
    from: 20260307,
    by: 'volume',
  });
  assert.equal('changed' in datasets[0], false);
});

test('asked to, all are decided again by the days that are there now', async () => {
  await importDay(SECOND, { ESH6: 10, ESM6: 20 });
  const removal = [
    'tape',
    'rm',
    '--before',
    '2026-03-08',
    '--dataset',
    'GLBX',
    '--contract',
    'ESH6',
  ];
  const removed = await runRecorded(commands, [...removal, '--yes', '--data', data]);
  assert.equal(removed.code, 0, removed.err);
  // The rolls decided from a removed day stay until `--again`.
  assert.match((await rolls()).out, /ESM6 from 2026-03-07 on, by volume/);
  const again = await rolls('--again', '--yes', '--dataset', 'GLBX');
  assert.equal(again.code, 0);
  assert.match(again.out, /ESM6 from 2026-03-10 on, by volume\.\n {2}Changed: 1\.\n/);
  assert.match((await rolls('--again', '--yes', '--dataset', 'GLBX')).out, / {2}Changed: 0\.\n/);
});

test('while somebody imports nothing is decided, and a dataset that is not there is named', async () => {
  const lock = lockDirectory(join(data, 'tape/GLBX'));
  try {
    const { code, err } = await rolls('--again', '--yes', '--dataset', 'GLBX');
    assert.notEqual(code, 0);
    assert.match(err, /GLBX is being imported into, or changed, by process \d+/);
    assert.equal((await rolls()).code, 0);
  } finally {
    lock[Symbol.dispose]();
  }
  const { code, err } = await rolls('--dataset', 'NYMEX');
  assert.equal(code, 2);
  assert.match(err, /no dataset is called NYMEX; there are GLBX, OTHER/);
});
