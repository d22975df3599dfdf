import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { type PackageStep, release } from './release.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-release-test-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const manifest = JSON.stringify({ name: 'sample', version: '0.1.0' });
const FILES = {
  'package.json': manifest,
  'packages/a/package.json': manifest,
  'bench/package.json': manifest,
  'package-lock.json': JSON.stringify({ version: '0.1.0', packages: { '': {}, 'packages/a': {} } }),
  'deploy/helm/tapeloom/Chart.yaml': 'version: 0.1.0\nappVersion: "0.1.0"\n',
  'docs/quick-start.md': 'Tapeloom 0.1.0 is ready after 7.6 s\n',
  'docs/operating/containers.md': 'docker build -t registry.example.com/tapeloom:0.1.0\n',
  'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n- Something.\n',
};
let repositories = 0;

/** A repository on `main` with one commit, without tag signing. */
function repository(files: Readonly<Record<string, string>> = FILES) {
  repositories += 1;
  const root = join(directory, String(repositories));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch', 'main');
  for (const [name, value] of Object.entries({
    'user.name': 'Ada',
    'user.email': 'ada@example.com',
    'user.signingKey': '',
    'commit.gpgSign': 'false',
    'tag.gpgSign': 'false',
  })) {
    git('config', name, value);
  }
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  const run = (
    version: string | null,
    { isDry = false, steps = [] }: { isDry?: boolean; steps?: readonly PackageStep[] } = {},
  ) => release({ root, version, isDry, date: '2026-11-18', say }, steps);
  return { git, read, write, run, output: () => said.join('\n') };
}

test('a release writes the version and the heading, commits and tags, and shows each step', async () => {
  const { git, read, run, output } = repository();
  const built: string[] = [];
  const step = { name: 'build', run: (version: string) => void built.push(version) };
  await run('1.0.0', { steps: [step] });
  assert.deepEqual(built, ['1.0.0']);
  for (const path of Object.keys(FILES)) {
    assert.match(read(path), /1\.0\.0/, path);
    assert.doesNotMatch(read(path), /0\.1\.0/, path);
  }
  assert.match(read('CHANGELOG.md'), /^## 1\.0\.0 - 2026-11-18$/m);
  assert.equal(git('status', '--porcelain'), '');
  assert.equal(git('log', '-1', '--format=%s'), 'release: 1.0.0');
  assert.equal(
    git('tag', '--points-at', 'HEAD', '--format=%(refname:short) %(subject)'),
    'v1.0.0 Tapeloom 1.0.0',
  );
  assert.match(output(), /^\[1\/4\] .*^\[2\/4\] .*^\[3\/4\] build$.*^\[4\/4\] commit and tag$/ms);
  assert.match(output(), /^## 1\.0\.0 - 2026-11-18\n\n- Something\.$/m);
  assert.match(
    output(),
    /The tag is v1\.0\.0 \("Tapeloom 1\.0\.0"\), not signed: .*git push origin main v1\.0\.0/s,
  );
});

test('a dry run changes nothing, builds what is there, and shows the changes and the tag', async () => {
  const { git, run, output } = repository();
  const built: string[] = [];
  const step = { name: 'build', run: (version: string) => void built.push(version) };
  await run('1.0.0', { isDry: true, steps: [step] });
  assert.deepEqual(built, ['0.1.0']);
  assert.equal(git('status', '--porcelain') + git('tag', '--list'), '');
  assert.equal(git('rev-list', '--count', 'HEAD'), '1');
  assert.match(output(), /^## Unreleased\n\n- Something\.$/m);
  assert.match(output(), /The tag would be v1\.0\.0 .*Nothing was changed/s);
});

test('without a version that of the packages is released, whose section may be written already', async () => {
  const changelog = FILES['CHANGELOG.md'].replace('Unreleased', '0.1.0 - 2026-11-17');
  const { git, run } = repository({ ...FILES, 'CHANGELOG.md': changelog });
  await run(null);
  assert.equal(git('rev-list', '--count', 'HEAD'), '1');
  assert.equal(git('tag', '--points-at', 'HEAD'), 'v0.1.0');
});

test('a commit that git refuses leaves the files as they were', async () => {
  const { git, write, run } = repository();
  write('.git/hooks/pre-commit', '#!/bin/sh\necho "not now" >&2\nexit 1\n');
  chmodSync(join(git('rev-parse', '--absolute-git-dir'), 'hooks/pre-commit'), 0o755);
  await assert.rejects(run('1.0.0'), /git commit failed: not now\. Mend that/);
  assert.equal(git('status', '--porcelain') + git('tag', '--list'), '');
});

test('a tag that git refuses can be made by the next run', async () => {
  const { git, run } = repository();
  git('config', 'user.signingKey', 'none');
  git('config', 'gpg.program', 'false');
  await assert.rejects(run('1.0.0'), /git tag failed/);
  git('config', 'user.signingKey', '');
  await run('1.0.0');
  assert.equal(git('tag', '--points-at', 'HEAD'), 'v1.0.0');
  assert.equal(git('rev-list', '--count', 'HEAD'), '2');
});

test('a step that fails leaves the files as they were, without a commit or a tag', async () => {
  const { git, run } = repository();
  const step = {
    name: 'build',
    run: () => {
      throw new Error('it does not build');
    },
  };
  await assert.rejects(run('1.0.0', { steps: [step] }), /it does not build/);
  assert.equal(git('status', '--porcelain') + git('tag', '--list'), '');
  assert.equal(git('rev-list', '--count', 'HEAD'), '1');
});

test('what keeps a release from being made is named with what to do, before anything is built', async () => {
  const steps = [{ name: 'build', run: () => assert.fail('it was built') }];
  const refused = async (of: ReturnType<typeof repository>, fault: RegExp) => {
    const before = of.git('rev-list', '--all', '--count');
    for (const isDry of [true, false])
      await assert.rejects(of.run('1.0.0', { isDry, steps }), fault);
    assert.equal(of.git('rev-list', '--all', '--count'), before);
  };
  const changed = repository();
  changed.write('new.txt', 'new');
  await refused(changed, /new\.txt\nCommit them or put them aside/);

  const elsewhere = repository();
  elsewhere.git('switch', '--quiet', '-c', 'other');
  await refused(elsewhere, /made on main, and this is other\. Run: git switch main/);

  const tagged = repository();
  tagged.git('tag', 'v1.0.0');
  await refused(tagged, /The tag v1\.0\.0 is there already\. Name the next version/);

  await refused(
    repository({ ...FILES, 'CHANGELOG.md': '# Changelog\n' }),
    /has nothing under .*Write what/,
  );
  const other = JSON.stringify({ version: '0.2.0' });
  await refused(
    repository({ ...FILES, 'bench/package.json': other }),
    /bench\/package\.json has 0\.2\.0/,
  );
  const newer = repository();
  await assert.rejects(newer.run('0.0.9', { steps }), /0\.0\.9 is older than 0\.1\.0/);
});
