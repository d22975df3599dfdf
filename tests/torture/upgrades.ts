/**
 * Data directories of earlier versions: each commit is checked out, makes a directory and is
 * killed; then the current program opens it twice. Keys still work, final bars are unchanged, and
 * the tape is sound. `rounds` is the number of commits, oldest first; missing ones are skipped.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertContains, finalBars } from '../final-bars.ts';
import { killServices, NO_PAST, RunningService } from '../running-service.ts';
import { tapeloom } from '../tapeloom-command.ts';

const root = join(import.meta.dirname, '../..');
/** The oldest supported directory, one per later schema or layout, the last before packages. */
const COMMITS: Readonly<Record<string, string>> = {
  bd15e6c: 'accounts of schema 1, a tape without a manifest',
  b9ccb6e: 'schema 3',
  '5adfc08': 'a tape with a manifest',
  '8ec4f4c': 'schema 4',
  c312895: 'no format of the directory yet',
  '19a454a6': 'schema 6',
};

export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  for (const [commit, about] of Object.entries(COMMITS).slice(0, rounds)) {
    if (!isThere(commit)) {
      console.log(`${commit} is not part of this clone: skipped`);
      continue;
    }
    const startMs = performance.now();
    await upgradeFrom(commit);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    console.log(`${commit}, ${about}: held in ${seconds} s`);
  }
}

async function upgradeFrom(commit: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-upgrade-'));
  const checkout = join(directory, 'checkout');
  const data = join(directory, 'data');
  try {
    git('worktree', 'add', '--quiet', '--detach', checkout, commit);
    linkPackages(checkout);
    const program = [join(checkout, 'packages/server/src/process/main.ts')];
    const older = new RunningService({ data, program });
    await older.ready();
    let bars = await finalBars(older);
    await older.stop('SIGKILL');
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const service = new RunningService({ data, env: NO_PAST });
      await service.ready();
      const found = await finalBars(service);
      assertContains(found, bars);
      bars = found;
      await service.stop(signal);
    }
    const { code, stdout, stderr } = await tapeloom(data, 'tape', 'verify');
    assert.equal(code, 0, `${stdout}${stderr}`);
  } finally {
    killServices();
    git('worktree', 'remove', '--force', checkout);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Links external packages from this tree, and our own packages from the checkout. */
function linkPackages(checkout: string): void {
  const from = join(root, 'node_modules');
  const to = join(checkout, 'node_modules');
  mkdirSync(join(to, '@tapeloom'), { recursive: true });
  for (const name of readdirSync(from).filter((it) => it !== '@tapeloom' && it !== '.cache')) {
    symlinkSync(join(from, name), join(to, name));
  }
  for (const name of readdirSync(join(checkout, 'packages'))) {
    symlinkSync(join(checkout, 'packages', name), join(to, '@tapeloom', name));
  }
}

function isThere(commit: string): boolean {
  try {
    git('cat-file', '-e', `${commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

function git(...words: readonly string[]): void {
  execFileSync('git', words, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
}
