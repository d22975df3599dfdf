/**
 * Data directories of earlier versions: each commit is checked out, makes a directory and is
 * killed; then the current program opens it twice. Keys still work, final bars are unchanged,
 * streams of the last version resume, and the tape is sound. `rounds` is the number of commits, oldest first; missing ones are skipped.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertContains, finalBars } from '../final-bars.ts';
import { killServices, NO_PAST, RunningService, type StreamMessage } from '../running-service.ts';
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
  '5737bffd': 'one live dataset, version 1.0.0',
};
/** Cursors of earlier versions may belong to results of another version. */
const RESUMES = new Set(['5737bffd']);
/** Bars end every few seconds. */
const FAST = ['--speed', '20'];
const STREAM = { instrument: 'BTC.c.0', indicator: 'bars', params: { size: 1 } };

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
    const args = RESUMES.has(commit) ? FAST : [];
    const mains = ['process/main.ts', 'main.ts'];
    const program = mains
      .map((main) => join(checkout, 'packages/server/src', main))
      .filter(existsSync);
    const older = new RunningService({ data, program: program.slice(0, 1), args });
    await older.ready();
    let bars = await finalBars(older);
    const cursor = RESUMES.has(commit) ? await streamed(older) : null;
    await older.stop('SIGKILL');
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const service = new RunningService({ data, env: NO_PAST, args });
      await service.ready();
      const found = await finalBars(service);
      assertContains(found, bars);
      bars = found;
      if (cursor !== null) await resumed(service, cursor);
      await service.stop(signal);
    }
    const { code, stdout, stderr } = await tapeloom(
      `${data}${args.length > 0 ? '-speed' : ''}`,
      'tape',
      'verify',
    );
    assert.equal(code, 0, `${stdout}${stderr}`);
  } finally {
    killServices();
    git('worktree', 'remove', '--force', checkout);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Streams until a bar ends, and returns the cursor of its last message. */
async function streamed(service: RunningService): Promise<string> {
  const subscriber = service.connect();
  await subscriber.send({ t: 'subscribe', sub: 'a', ...STREAM });
  const ended = await subscriber.first(({ t, final }) => t === 'upsert' && final === true);
  await subscriber.close();
  return String(ended.cursor);
}

/** The stream goes on behind the cursor, with the bars that the history has. */
async function resumed(service: RunningService, cursor: string): Promise<void> {
  const subscriber = service.connect();
  const isEnded = ({ t, final }: StreamMessage) => t === 'upsert' && final === true;
  await subscriber.send({ t: 'subscribe', sub: 'a', ...STREAM, from: { cursor } });
  const ended = await subscriber.first(isEnded);
  await subscriber.send({ t: 'subscribe', sub: 'b', ...STREAM, params: { size: 1, depth: 5_000 } });
  const { items } = await subscriber.first(({ t, sub }) => t === 'snapshot' && sub === 'b');
  await subscriber.close();
  const heard = subscriber.messages.filter(({ sub }) => sub === 'a').map(({ t }) => t);
  assert.ok(!heard.includes('snapshot') && !heard.includes('reset'), heard.join(' '));
  const bar = (items as { readonly id: string; readonly data: unknown }[]).find(
    ({ id }) => id === ended.id,
  );
  assert.deepEqual(bar?.data, ended.data);
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
