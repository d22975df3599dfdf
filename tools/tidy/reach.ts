/**
 * Checks the import graph: it has no cycle, type imports included, and every source file is either an entry that is
 * started from outside the graph, or imported by another file.
 */

import { type Import, importsOf } from './imports.ts';
import { type Finding, isSource, isTest, type Tree } from './tree.ts';

/** Found by a runner, installed as a command, exported, or started by people; npm scripts name further ones. */
const entries = [
  /\.test\.ts$/,
  /\/bin\/[^/]+\.js$/,
  /^bench\/[^/]+\/[^/]+\.bench\.ts$/,
  /^tests\/torture\/[^/]+\.ts$/,
  /^tests\/(?:stranger-walk\/run|golden-day\/write)\.ts$/,
  /^packages\/client\/src\/(?:index|stream|node)\.ts$/,
  /^packages\/charts\/(?:src\/index|testing\/bench-page)\.ts$/,
  /^examples\/[^/]+\/[^/]+\.[jt]s$/,
  // Type declarations of third-party code, which the compiler finds by itself.
  /\.d\.ts$/,
  // Started for the server, named by the portal's pages, or built separately.
  /^packages\/portal\/(?:build\.ts|theme\.js|recording\/record\.ts)$/,
  /^packages\/portal\/src\/(?:main|pages\/landing\/landing-(?:main|prerender)|docs\/docs-main|pages\/charts\/charts-main)\.tsx$/,
];

export function checkReach(tree: Tree): readonly Finding[] {
  const links = importsOf(tree);
  const imported = new Set(links.filter(isNotOwnTest).map((link) => link.to));
  const scripts = tree.texts.get('package.json') ?? '';
  const started = new Set(
    [...scripts.matchAll(/\bnode ([\w./-]+\.[jt]s)\b/g)].map(([, path]) => path!),
  );
  const dead = [...tree.texts.keys()]
    .filter((path) => isSource(path) && !imported.has(path))
    .filter((path) => !entries.some((entry) => entry.test(path)) && !started.has(path))
    .map((path): Finding => {
      return { path, line: 1, message: 'no file imports this file', level: 'error' };
    });

  const targets = new Map<string, string[]>();
  for (const { from, to, isAddress } of links) {
    if (to === null || isAddress || isTest(from)) continue;
    targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  return [...dead, ...cyclesIn(targets)];
}

/** A file imported only by its own test is dead. */
function isNotOwnTest({ from, to }: Import): boolean {
  return from.replace(/\.test\.ts$/, '.ts') !== to;
}

/** Depth-first: an edge to a file on the present path closes a cycle. Each is reported once. */
function cyclesIn(targets: ReadonlyMap<string, readonly string[]>): readonly Finding[] {
  const found: Finding[] = [];
  const open: string[] = [];
  const done = new Set<string>();
  const visit = (path: string) => {
    const start = open.indexOf(path);
    if (start !== -1) {
      const cycle = [...open.slice(start), path].join(' → ');
      found.push({ path, line: 1, message: `import cycle: ${cycle}`, level: 'error' });
      return;
    }
    if (done.has(path)) return;
    open.push(path);
    for (const target of targets.get(path) ?? []) visit(target);
    open.pop();
    done.add(path);
  };
  for (const path of targets.keys()) visit(path);
  return found;
}
