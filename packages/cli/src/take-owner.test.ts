import assert from 'node:assert/strict';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { runRecorded } from '../testing/recorded-io.ts';
import { commands } from './commands.ts';

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;
const rootMissing = isRoot ? false : 'only root can work as somebody else';
const root = mkdtempSync(join(tmpdir(), 'tapeloom-owner-'));
after(() => rmSync(root, { recursive: true, force: true }));
afterEach(becomeRoot);

function becomeRoot(): void {
  if (!isRoot) return;
  process.seteuid!(0);
  process.setegid!(0);
}

/** Another user's data directory, below one that every user may enter. */
function ownedDirectory(name: string): string {
  chownSync(root, NOBODY, NOBODY);
  const data = join(root, name);
  mkdirSync(data);
  chownSync(data, NOBODY, NOBODY);
  return data;
}

function ownersBelow(directory: string): ReadonlySet<number> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return new Set(entries.map((entry) => statSync(join(entry.parentPath, entry.name)).uid));
}

for (const words of [
  ['account', 'create', 'acme'],
  ['tape', 'trim', '--after', '2026-01-01', '--yes'],
] as const) {
  test(`as root, tapeloom ${words[0]} ${words[1]} leaves files of the directory's owner`, {
    skip: rootMissing,
  }, async () => {
    const data = ownedDirectory(words[0]);
    const outcome = await runRecorded(commands, words, { env: { TAPELOOM_DATA: data } });
    becomeRoot();
    assert.equal(outcome.code, 0, outcome.err);
    assert.ok(readdirSync(data).length > 0);
    assert.deepEqual(
      [...ownersBelow(data)].filter((uid) => uid !== NOBODY),
      [],
    );
  });
}

test('a directory whose owner cannot be read is an error of the command', {
  skip: rootMissing,
}, async () => {
  const loop = join(root, 'loop');
  symlinkSync(loop, loop);
  const outcome = await runRecorded(commands, ['account', 'list', '--data', loop]);
  assert.equal(outcome.code, 1);
  assert.match(outcome.err, /^tapeloom account list: .*ELOOP/);
});

test('as root, a backup is readable by root, and what is restored is the owner’s', {
  skip: rootMissing,
}, async () => {
  const data = ownedDirectory('backed-up');
  const env = { TAPELOOM_DATA: data };
  assert.equal((await runRecorded(commands, ['account', 'create', 'acme'], { env })).code, 0);
  becomeRoot();
  const folder = join(mkdtempSync(join(tmpdir(), 'tapeloom-of-root-')), 'backups');
  const made = await runRecorded(commands, ['backup', folder], { env });
  assert.equal(made.code, 0, made.err);
  assert.equal(process.geteuid!(), 0);
  assert.deepEqual([...ownersBelow(data)], [NOBODY]);
  assert.equal(statSync(folder).uid, 0);
  const restored = ownedDirectory('restored');
  const outcome = await runRecorded(commands, ['restore', folder, '--data', restored], {});
  assert.equal(outcome.code, 0, outcome.err);
  assert.deepEqual([...ownersBelow(restored)], [NOBODY]);
  rmSync(folder, { recursive: true });
});
