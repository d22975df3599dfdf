import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { engineFingerprint } from './engine-fingerprint.ts';

const CORE = join(import.meta.dirname, '../../../core/src');
const copies: string[] = [];
after(() => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});

/** The fingerprint of a copy of core in which one file was edited. */
function fingerprintAfter(file: string, edit: (source: string) => string): string {
  const copy = mkdtempSync(join(tmpdir(), 'tapeloom-core-'));
  copies.push(copy);
  cpSync(CORE, copy, { recursive: true });
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  const edited = edit(source);
  assert.notEqual(edited, source, `the edit of ${file} changes it`);
  writeFileSync(path, edited);
  return engineFingerprint(copy, DEFINITIONS);
}

const DEFINITIONS = [{ id: 'bars', computeUnitsPerTrade: 1 }];
const original = engineFingerprint(CORE, DEFINITIONS);

test('the fingerprint is the same at every call and for every copy of the same computation [CAT-02]', () => {
  assert.match(original, /^[0-9a-f]{64}$/);
  assert.equal(engineFingerprint(CORE, [{ computeUnitsPerTrade: 1, id: 'bars' }]), original);
});

test('a changed constant in a module that the studies reach changes it [CAT-02]', () => {
  const step = (source: string) => source.replace('20_000_000', '20_000_001');
  assert.notEqual(fingerprintAfter('studies/flush-step.ts', step), original);
  const day = (source: string) => source.replace('86_400_000_000_000', '86_400_000_000_001');
  assert.notEqual(fingerprintAfter('utc-day.ts', day), original);
  const operator = (source: string) => source.replace('>= ns', '> ns');
  assert.notEqual(fingerprintAfter('trade-batch.ts', operator), original);
});

test('a changed definition changes it', () => {
  assert.notEqual(engineFingerprint(CORE, [{ id: 'bars', computeUnitsPerTrade: 2 }]), original);
});

test('a changed comment, layout or unrelated file leaves it as it is [CAT-02]', () => {
  const comments = (source: string) =>
    `// A new first line.\n${source.replaceAll('/**', '/** So: ')}\n/* the end */\n`;
  assert.equal(fingerprintAfter('studies/run.ts', comments), original);
  const layout = (source: string) => source.replaceAll('\n', '\n\n').replaceAll('  ', '\t');
  assert.equal(fingerprintAfter('trade-batch.ts', layout), original);
  const unrelated = (source: string) => `${source}\nexport const unrelated = 1;\n`;
  assert.equal(fingerprintAfter('instrument/product.ts', unrelated), original);
  assert.equal(fingerprintAfter('cursor.test.ts', unrelated), original);
});

test('a study that imports a foreign package is refused', () => {
  const foreign = (source: string) => `import 'node:fs';\n${source}`;
  assert.throws(() => fingerprintAfter('studies/run.ts', foreign), /imports node:fs/);
});
