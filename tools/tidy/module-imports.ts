/**
 * Checks every import against `import-table.ts`, and the table against the imports. Tests, and files that only tests
 * use, may import anything. A thread's main file (`*-worker.ts`) composes it, as `process/` composes the process.
 */

import {
  adapterFolders,
  adapters,
  composing,
  entries,
  modules,
  namingAdapters,
  packages,
  testHomes,
} from './import-table.ts';
import { type Import, importsOf, testFilesOf } from './imports.ts';
import type { Finding, Tree } from './tree.ts';

const TABLE = 'tools/tidy/import-table.ts';

/** Packages for any runtime: they import neither Node nor third-party packages. */
const portable = new Set(['core', 'protocol', 'client']);
/** Their parts for Node alone, which may import it. */
const forNode = /^packages\/client\/src\/node(?:\.ts$|\/)/;

export function checkImports(tree: Tree): readonly Finding[] {
  const links = importsOf(tree);
  const tests = testFilesOf(links);
  return links.flatMap((link) => {
    const message = tests.has(link.from) ? null : complaint(tree, link);
    return message === null ? [] : [{ path: link.from, line: link.line, message, level: 'error' }];
  });
}

/** Test doubles, rigs and builders import only downwards, and packages never import the tests of whole processes. */
export function checkTestHomes(tree: Tree): readonly Finding[] {
  return importsOf(tree).flatMap(({ from, to, line }): Finding[] => {
    const [home, there] = [testHomeOf(from), testHomeOf(to ?? '')];
    if (home < 0 || there <= home) return [];
    const message = `${to} lies above: simulation/ serves packages/*/testing/, and both serve tests/`;
    return [{ path: from, line, message, level: 'error' }];
  });
}

/** The rank of a file's home; -1: none. */
function testHomeOf(path: string): number {
  return testHomes.findIndex((home) => home.test(path));
}

/** The table names only existing imports, and modules name only those above them. */
export function checkTable(tree: Tree): readonly Finding[] {
  const links = importsOf(tree);
  const tests = testFilesOf(links);
  const used = new Set<string>();
  for (const { from, to } of links) {
    const [home, there] = [placeOf(from), placeOf(to ?? '')];
    if (tests.has(from) || home === null || there === null) continue;
    const target = there.module ?? fileOf(to!);
    if (home.package !== there.package) {
      used.add(`${home.package} → ${there.package}`);
      used.add(`${home.package} → ${there.package}/${target}`);
    } else if (!composesThread(from)) {
      used.add(`${home.module} → ${target}`);
    }
    for (const folder of Object.keys(adapterFolders)) {
      if (to!.startsWith(folder)) used.add(`${from} → ${folder}`);
    }
  }
  const unused = [
    ...edgesOf(packages),
    ...edgesOf(modules),
    ...Object.entries(adapterFolders).flatMap(([folder, known]) =>
      known.map((from) => `${from} → ${folder}`),
    ),
  ].filter((edge) => !used.has(edge));
  const names = Object.keys(modules);
  const upward = edgesOf(modules).filter((edge) => {
    const [from, to] = edge.split(' → ') as [string, string];
    return names.indexOf(to) >= names.indexOf(from);
  });
  return [
    ...unused.map((edge) => `${edge}: no import needs this entry`),
    ...upward.map((edge) => `${edge}: a module may import only those above it in the table`),
    ...[...adapters, ...entries].flatMap((path) =>
      tree.paths.has(path) ? [] : [`${path} does not exist`],
    ),
  ].map((message): Finding => ({ path: TABLE, line: 1, message, level: 'error' }));
}

function edgesOf(table: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return Object.entries(table).flatMap(([from, tos]) => tos.map((to) => `${from} → ${to}`));
}

function complaint(tree: Tree, link: Import): string | null {
  const { from, to, specifier } = link;
  const home = placeOf(from);
  if (to === null) {
    if (home === null || !portable.has(home.package) || specifier.startsWith('.')) return null;
    if (forNode.test(from) && specifier.startsWith('node:')) return null;
    return `${home.package} runs anywhere and may not import "${specifier}"`;
  }
  if (!tree.paths.has(to)) return `"${specifier}" means ${to}, which does not exist`;
  if (home === null) {
    const isTool = from.startsWith('tools/') && !to.startsWith('tools/');
    return isTool ? `tools stand alone and may not import ${to}` : null;
  }
  for (const [folder, known] of Object.entries(adapterFolders)) {
    if (!to.startsWith(folder) || from.startsWith(folder) || known.includes(from)) continue;
    return `${folder} is the folder of one adapter: import its port`;
  }
  const there = placeOf(to);
  if (there === null) {
    // Generators and drift tests refer to the committed files they generate by path.
    const isContract = link.isAddress && /^(?:contract|docs)\//.test(to);
    const isOwn = to.startsWith(`packages/${home.package}/`);
    return isOwn || isContract
      ? null
      : `a package may not import ${to}, which belongs to no package`;
  }
  if (there.package !== home.package) return betweenPackages(link, home, there);
  if (specifier.startsWith('@tapeloom/')) return `inside a package, import ${to} by relative path`;
  return home.package === 'server' ? betweenModules(from, to, home.module, there.module) : null;
}

interface Place {
  readonly package: string;
  /** The folder below `src`; null for files directly in it. */
  readonly module: string | null;
}

function betweenPackages(link: Import, home: Place, there: Place): string | null {
  if (link.specifier.startsWith('.')) {
    return `import another package by its name, not by the path "${link.specifier}"`;
  }
  const allowed = packages[home.package];
  if (allowed === undefined) return `package "${home.package}" is not in the import table`;
  if (allowed.includes(there.package)) return null;
  if (allowed.includes(`${there.package}/${there.module ?? fileOf(link.to!)}`)) return null;
  const target =
    there.package === 'server' ? `server/${there.module ?? fileOf(link.to!)}` : there.package;
  return `${home.package} may not import ${target} (allowed: ${allowed.join(', ') || 'nothing'})`;
}

function betweenModules(
  from: string,
  to: string,
  home: string | null,
  there: string | null,
): string | null {
  if (home === composing || entries.has(from) || composesThread(from) || home === there)
    return null;
  if (home === null) return `${from} lies in no module`;
  if (there === null || there === composing) {
    return `module ${home} may not import ${to}, which composes the process`;
  }
  const allowed = modules[home];
  if (allowed === undefined) return `module "${home}" is not in the import table`;
  if (!allowed.includes(there)) {
    const list = allowed.join(', ') || 'nothing';
    return `module ${home} may not import module ${there} (allowed: ${list})`;
  }
  if (adapters.has(to) && !namingAdapters.has(home)) {
    return `${to} is an adapter: import its port, and let process/ name it`;
  }
  return null;
}

function composesThread(path: string): boolean {
  return path.endsWith('-worker.ts');
}

/** `packages/cli/src/main.ts` → `main`. */
function fileOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.ts$/, '');
}

function placeOf(path: string): Place | null {
  const match = /^packages\/([^/]+)\/src\/(?:([^/]+)\/)?/.exec(path);
  return match === null ? null : { package: match[1]!, module: match[2] ?? null };
}
