/**
 * The lockfile installs on every platform: each optional package that a locked one names is locked too.
 * npm leaves out those that the registry at hand did not have, and `npm ci` then refuses the lockfile.
 */

import type { Finding, Tree } from './tree.ts';

const lockfilePath = 'package-lock.json';

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>
  >;
}

export function checkLockfile(tree: Tree): readonly Finding[] {
  const text = tree.texts.get(lockfilePath);
  if (text === undefined) {
    return [{ path: lockfilePath, line: 1, message: 'the file is missing', level: 'error' }];
  }
  const { packages }: Lockfile = JSON.parse(text);
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
