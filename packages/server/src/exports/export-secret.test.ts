import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { exposureOf } from '../platform/disk/private-file.ts';
import { ExportSecretError, exportSecret } from './export-secret.ts';

const root = mkdtempSync(join(tmpdir(), 'tapeloom-secret-'));
after(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

function scratch() {
  made += 1;
  const directory = join(root, String(made));
  mkdirSync(directory);
  const warnings: string[] = [];
  const path = join(directory, 'export-secret');
  return {
    directory,
    path,
    warnings,
    mode: () => statSync(path).mode & 0o777,
    secret: async () => Buffer.from(await exportSecret(directory, (what) => warnings.push(what))),
  };
}

test('the secret is made once, for its owner alone; one that is damaged is replaced and told', async () => {
  const { directory, path, warnings, secret, mode } = scratch();
  const first = await secret();
  assert.equal(first.length, 32);
  assert.equal(mode(), 0o600);
  assert.deepEqual(await secret(), first);
  assert.deepEqual(warnings, []);
  writeFileSync(path, 'short');
  const another = await secret();
  assert.equal(another.length, 32);
  assert.notDeepEqual(another, first);
  assert.equal(warnings.length, 1);
  assert.deepEqual(readdirSync(directory), ['export-secret']);
});

test('a secret that others could read is closed to them, kept and told, once', async () => {
  for (const exposed of [0o644, 0o640, 0o604]) {
    const { path, warnings, secret, mode } = scratch();
    const first = await secret();
    chmodSync(path, exposed);
    assert.deepEqual(await secret(), first);
    assert.equal(mode(), 0o600);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /other users could read .*export-secret/);
    assert.deepEqual(await secret(), first);
    assert.equal(warnings.length, 1);
  }
});

test('a secret that others could write is never used: it may have been planted', async () => {
  for (const exposed of [0o666, 0o620, 0o602, 0o777]) {
    const { path, warnings, secret, mode } = scratch();
    const planted = Buffer.alloc(32, 7);
    writeFileSync(path, planted);
    chmodSync(path, exposed);
    const used = await secret();
    assert.notDeepEqual(used, planted);
    assert.deepEqual(readFileSync(path), used);
    assert.equal(mode(), 0o600);
    assert.match(warnings[0]!, /other users could write .*export-secret: the service replaced it/);
    assert.deepEqual(await secret(), used);
  }
});

test('what lies in the way of the new secret is neither written through nor kept', async () => {
  const { directory, path, secret, mode } = scratch();
  const [victim, held] = [join(directory, 'victim'), join(directory, 'held')];
  writeFileSync(victim, 'mine');
  symlinkSync(victim, `${path}.unfinished`);
  await secret();
  assert.equal(readFileSync(victim, 'utf8'), 'mine');
  rmSync(path);
  writeFileSync(held, '', { mode: 0o666 });
  linkSync(held, `${path}.unfinished`);
  await secret();
  assert.equal(readFileSync(held, 'utf8'), '', 'who had it open sees nothing');
  assert.equal(mode(), 0o600);
});

test('a place that cannot hold a secret is refused with its name', async () => {
  const { directory, path } = scratch();
  mkdirSync(path);
  await assert.rejects(
    exportSecret(directory, () => {}),
    (error) => error instanceof ExportSecretError && error.message.startsWith(`${path} cannot be`),
  );
});

test('where files have no modes, none is taken for exposed', () => {
  assert.equal(exposureOf(0o666, 'win32'), 'nothing');
  assert.equal(exposureOf(0o666, 'darwin'), 'write');
  assert.equal(exposureOf(0o100644, 'linux'), 'read');
  assert.equal(exposureOf(0o100600, 'linux'), 'nothing');
});
