/** The built command, as customers get it, with its worker threads for external files. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { secondPages } from '../packages/server/testing/feeds/feed-fuzz.ts';
import { tapeloom, tapeloomJson } from './tapeloom-command.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-import-command-'));
after(() => rmSync(directory, { recursive: true }));

test('a file is imported by the command as a process of its own, and a damaged one ends it with a sentence', async () => {
  const data = join(directory, 'data');
  mkdirSync(data);
  const products = { ES: { extends: 'ES', contracts: { from: '2026-03', to: '2026-06' } } };
  const instruments = JSON.stringify({ datasets: { GLBX: { products } } });
  writeFileSync(join(data, 'instruments.yaml'), instruments);
  const path = join(directory, 'ES.parquet');
  const whole = secondPages('SNAPPY');
  writeFileSync(path, whole.subarray(0, -1));
  const refused = await tapeloom(data, 'import', path);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^ES\.parquet: .*\nNothing of this file was imported\.\n$/);
  writeFileSync(path, whole);
  const { contracts } = await tapeloomJson<{
    readonly contracts: readonly { contract: string; days: readonly { trades: number }[] }[];
  }>(data, 'import', path);
  assert.deepEqual([contracts[0]!.contract, contracts[0]!.days[0]!.trades], ['ESH6', 64]);
});
