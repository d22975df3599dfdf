/**
 * The lockfile installs on every platform: each optional package of a locked one is locked too. npm omits packages that
 * its registry did not have, and `npm ci` then rejects the lockfile. An entry without a digest was never fetched, and
 * `npm ci` skips it silently; on the platforms we support it would be missing, so there every one has its digest.
 */

import type { Finding, Tree } from './tree.ts';

const lockfilePath = 'package-lock.json';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const promised = { os: 'linux', libc: 'glibc', cpus: ['x64', 'arm64'] };

export function checkLockfile(tree: Tree): readonly Finding[] {
  const text = tree.texts.get(lockfilePath);
  if (text === undefined) {
    return [{ path: lockfilePath, line: 1, message: 'the file is missing', level: 'error' }];
  }
  const { packages }: Lockfile = JSON.parse(text);
  return [...notLocked(packages), ...neverSeen(packages)];
}

function notLocked(packages: Lockfile['packages']): readonly Finding[] {
  const locked = new Set(
    Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')),
  );
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !locked.has(name))
      .map(([name, version]): Finding => {
        const message =
          `${path} may need ${name}, which is not locked: ` +
          `add "node_modules/${name}" with version ${version}, optional, its os and its cpu`;
        return { path: lockfilePath, line: 1, message, level: 'error' };
      }),
  );
}

function neverSeen(packages: Lockfile['packages']): readonly Finding[] {
  return Object.entries(packages)
    .filter(([path, { integrity, link }]) => isInstalled(path) && !link && integrity === undefined)
    .filter(([, { os, cpu, libc }]) => {
      const isOurs = (os ?? [promised.os]).includes(promised.os);
      const isOurLibc = (libc ?? [promised.libc]).includes(promised.libc);
      return isOurs && isOurLibc && promised.cpus.some((one) => (cpu ?? [one]).includes(one));
    })
    .map(([path, { version }]): Finding => {
      const message =
        `${path} ${version} has no integrity, so the registry did not have it: ` +
        'choose a version of the package that needs it which has this platform too';
      return { path: lockfilePath, line: 1, message, level: 'error' };
    });
}

function isInstalled(path: string): boolean {
  return path.includes('node_modules/');
}
