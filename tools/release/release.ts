/**
 * The steps of a release: checks, build, pack, trial of the packages, then commit and tag. A dry run changes no file of
 * the repository. Nothing is pushed or published.
 */

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releasedText, type Section, sectionOf } from './changelog.ts';
import { ReleaseError } from './release-error.ts';
import {
  CHART,
  commonVersion,
  GUIDES,
  LOCKFILE,
  MANIFESTS,
  requireNotOlder,
  withVersion,
} from './versions.ts';

const BRANCH = 'main';
const CHANGELOG = 'CHANGELOG.md';

export interface ReleaseOptions {
  readonly root: string;
  /** Null: the version of package.json. */
  readonly version: string | null;
  readonly isDry: boolean;
  /** `2026-11-18` */
  readonly date: string;
  readonly say: (line: string) => void;
}

/** A slow step, which throws to stop the release. */
export interface PackageStep {
  readonly name: string;
  readonly run: (version: string) => void | Promise<void>;
}

export async function release(
  options: ReleaseOptions,
  packageSteps: readonly PackageStep[],
): Promise<void> {
  const { root, isDry, date, say } = options;
  const total = packageSteps.length + 3;
  let step = 0;
  const begin = (name: string) => {
    step += 1;
    say(`[${step}/${total}] ${name}`);
  };

  begin('the working tree and its branch');
  requireReleasable(root);
  begin('versions and changelog');
  const { version, current, section } = plan(options);
  const tag = `v${version}`;
  requireNewTag(root, tag);
  say(`      ${version}${version === current ? '' : `, after ${current}`}`);

  const before = isDry ? new Map<string, string>() : write(root, current, version, date);
  try {
    for (const { name, run } of packageSteps) {
      begin(name);
      await run(isDry ? current : version);
    }
    begin(isDry ? 'commit and tag: left out by --dry-run' : 'commit and tag');
    if (before.size > 0) git(root, 'commit', '--quiet', '-am', `release: ${version}`);
  } catch (error) {
    for (const [path, text] of before) writeFileSync(join(root, path), text);
    throw error;
  }

  const isSigned = signs(root);
  const message = `Tapeloom ${version}`;
  if (!isDry) git(root, 'tag', isSigned ? '-s' : '-a', tag, '-m', message);
  say(`\n## ${isDry ? section.heading : headingOf(root, version)}\n\n${section.body}\n`);
  say(
    `${isDry ? 'The tag would be' : 'The tag is'} ${tag} ("${message}"), ${isSigned ? 'signed' : 'not signed: git has no user.signingKey'}.`,
  );
  say(
    isDry
      ? 'Nothing was changed. The same without --dry-run writes version and heading, commits and tags.'
      : `Nothing was pushed or published. After .ci/run and .ci/long passed on this commit: git push origin ${BRANCH} ${tag}`,
  );
}

function plan({ root, version: asked, say }: ReleaseOptions): {
  readonly version: string;
  readonly current: string;
  readonly section: Section;
} {
  const manifests = new Map(manifestPaths(root).map((path) => [path, textOf(root, path)]));
  const current = commonVersion(manifests);
  const version = asked ?? current;
  requireNotOlder(version, current);
  if (version !== current) say(`      packages get ${version} in place of ${current}`);
  const section = sectionOf(textOf(root, CHANGELOG), version);
  if (section === null) {
    throw new ReleaseError(
      `${CHANGELOG} has nothing under "${version}" or "Unreleased". Write what customers and operators notice, and commit it.`,
    );
  }
  return { version, current, section };
}

function requireReleasable(root: string): void {
  const changed = git(root, 'status', '--porcelain');
  if (changed !== '') {
    throw new ReleaseError(
      `The working tree has changes that no commit has:\n${changed}\nCommit them or put them aside (git stash -u), then try again.`,
    );
  }
  const branch = git(root, 'rev-parse', '--abbrev-ref', 'HEAD');
  if (branch !== BRANCH) {
    throw new ReleaseError(
      `A release is made on ${BRANCH}, and this is ${branch}. Run: git switch ${BRANCH}`,
    );
  }
}

function requireNewTag(root: string, tag: string): void {
  if (git(root, 'tag', '--list', tag) === '') return;
  throw new ReleaseError(
    `The tag ${tag} is there already. Name the next version: npm run release -- <version>`,
  );
}

/** Writes the version everywhere, and returns the previous texts of the changed files. */
function write(
  root: string,
  current: string,
  version: string,
  date: string,
): ReadonlyMap<string, string> {
  const before = new Map<string, string>();
  const change = (path: string, to: (text: string) => string) => {
    const text = textOf(root, path);
    const changed = to(text);
    if (changed === text) return;
    before.set(path, text);
    writeFileSync(join(root, path), changed);
  };
  const naming = version === current ? [] : [...manifestPaths(root), LOCKFILE, CHART, ...GUIDES];
  for (const path of naming) change(path, (text) => withVersion(path, text, current, version));
  change(CHANGELOG, (text) => releasedText(text, version, date));
  return before;
}

function headingOf(root: string, version: string): string {
  return sectionOf(textOf(root, CHANGELOG), version)!.heading;
}

function signs(root: string): boolean {
  return git(root, 'config', '--default', '', '--get', 'user.signingKey') !== '';
}

function manifestPaths(root: string): readonly string[] {
  return globSync(MANIFESTS, { cwd: root }).sort();
}

function textOf(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function git(root: string, ...args: readonly string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    throw new ReleaseError(
      `git ${args[0]} failed: ${(stderr ?? String(error)).trim()}. Mend that and try again.`,
      { cause: error },
    );
  }
}
