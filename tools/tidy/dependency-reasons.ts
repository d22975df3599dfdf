/**
 * Every package that a `package.json` depends on is in a table of decision 0001, with the reason not to write it
 * ourselves. A package without dependents is not in it.
 */

import { type Finding, lineAt, type Tree } from './tree.ts';

const reasons = 'docs/decisions/0001-dependencies.md';
const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

export function checkDependencyReasons(tree: Tree): readonly Finding[] {
  const found: Finding[] = [];
  const text = tree.texts.get(reasons) ?? '';
  const told = new Map(namesIn(text));
  const wanted = new Set<string>();
  for (const [path, manifest] of tree.texts) {
    if (!/(?:^|\/)package\.json$/.test(path)) continue;
    for (const [name, index] of dependenciesIn(manifest)) {
      wanted.add(name);
      if (told.has(name)) continue;
      const message = `${reasons} does not say why ${name} is needed`;
      found.push({ path, line: lineAt(manifest, index), message, level: 'error' });
    }
  }
  for (const [name, index] of told) {
    if (wanted.has(name)) continue;
    const message = `no package.json asks for ${name}`;
    found.push({ path: reasons, line: lineAt(text, index), message, level: 'error' });
  }
  return found;
}

/** With their positions. Our own packages need no reason; an alias counts as its target. */
function* dependenciesIn(manifest: string): Iterable<readonly [string, number]> {
  const parsed: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> =
    JSON.parse(manifest);
  for (const kind of kinds) {
    for (const [name, version] of Object.entries(parsed[kind] ?? {})) {
      if (name.startsWith('@tapeloom/')) continue;
      const target = /^npm:(@?[^@]+)@/.exec(version)?.[1] ?? name;
      yield [target, Math.max(0, manifest.indexOf(`"${name}":`))];
    }
  }
}

/** The names in the first column of the tables. */
function* namesIn(text: string): Iterable<readonly [string, number]> {
  for (const row of text.matchAll(/^\| (`[^|]+) \|/gm)) {
    for (const [, name] of row[1]!.matchAll(/`([^`]+)`/g)) yield [name!, row.index];
  }
}
