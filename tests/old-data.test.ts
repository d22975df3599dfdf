/**
 * The oldest data directory that every program must start on: made by commit bd15e6c at the
 * smallest scale on 16 November 2026, and left by a kill. `npm run torture -- upgrades` does the
 * same with directories that several earlier programs have just made.
 */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { DATA_FORMAT } from '@tapeloom/server/platform/disk/data-format';
import { killServices, NO_PAST, RunningService } from './running-service.ts';
import { tapeloom } from './tapeloom-command.ts';

interface OldData {
  /** A key of this directory's accounts. */
  readonly key: string;
  /** File contents in base64, by path. */
  readonly files: Readonly<Record<string, string>>;
}

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-old-'));
const data = join(directory, 'data');
const fixture = join(import.meta.dirname, 'fixtures/data-of-bd15e6c.json.zst');
const old = JSON.parse(zstdDecompressSync(readFileSync(fixture)).toString()) as OldData;
const setting = { data, env: { ...NO_PAST, TAPELOOM_SIM_SCALE: '0.001' } };

before(() => {
  for (const [name, content] of Object.entries(old.files)) {
    const path = join(data, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, 'base64');
  }
});
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

test('the oldest data directory starts: its keys work, its days are there, and it gets our format', async () => {
  assert.ok(!existsSync(join(data, 'format.json')));
  const service = new RunningService(setting);
  await service.ready();
  assert.equal(service.printedKeys, null, 'it has its account already');
  const usage = await service.get('/v1/usage', { authorization: `Bearer ${old.key}` });
  assert.equal(usage.status, 200);
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);

  const format = JSON.parse(readFileSync(join(data, 'format.json'), 'utf8'));
  assert.equal(format.format, DATA_FORMAT);
  const sealed = Object.keys(old.files).filter((name) => name.endsWith('.arrow'));
  assert.ok(sealed.length > 0);
  for (const name of sealed) {
    assert.equal(readFileSync(join(data, name), 'base64'), old.files[name], name);
  }
  const verified = await tapeloom(data, 'tape', 'verify');
  assert.equal(verified.code, 0, verified.stdout);
});

test('a directory of a newer program is refused in one sentence that names it, its format and what to do', async () => {
  writeFileSync(join(data, 'format.json'), '{"format":1000,"program":"12.3.4"}');
  const service = new RunningService(setting);
  assert.equal(await service.ended, 1);
  assert.match(service.errors, /^Tapeloom cannot start: the data directory \S+ has format 1000/);
  assert.ok(service.errors.includes(data));
  assert.match(service.errors, /Run Tapeloom 12\.3\.4 or later on it/);
  assert.equal(service.errors.trim().split('\n').length, 1);
});
