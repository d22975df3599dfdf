/**
 * Checks the pages against the checkout: every link resolves, every named path, npm script, benchmark, torture run,
 * `tapeloom` command and `TAPELOOM_` variable exists, and a page names every such variable. In the changelog and
 * laboratory notes, which describe the past, and in pages generated from types, only links are checked.
 */

import { posix } from 'node:path';
import { type Finding, isSource, isTest, lineAt, type Tree } from './tree.ts';

const pages =
  /^(?:[A-Z]+\.md|docs\/.+\.md|(?:packages|examples)(?:\/[\w-]+)?\/README\.md|bench\/notes\/.+\.md)$/;
const linksOnly = /^(?:CHANGELOG\.md|docs\/client\/|bench\/notes\/)/;
const pathRoots = /^(?:packages|tools|docs|contract|bench|tests|simulation|deploy|\.ci)\//;
/** Names of files that a running system creates, and of other projects' files. */
const isPlaceholder = /[<>*…{}]|\.\.\./;

type Check = (tree: Tree, page: string, text: string) => Iterable<readonly [number, string]>;

export function checkDocsDrift(tree: Tree): readonly Finding[] {
  const found: Finding[] = [];
  for (const [path, text] of tree.texts) {
    if (!pages.test(path)) continue;
    const checks = linksOnly.test(path) ? [brokenLinks] : allChecks;
    for (const check of checks) {
      for (const [index, message] of check(tree, path, text)) {
        found.push({ path, line: lineAt(text, index), message, level: 'error' });
      }
    }
  }
  return [...found, ...undocumentedVariables(tree)];
}

const allChecks: readonly Check[] = [
  brokenLinks,
  missingPaths,
  missingScripts,
  missingCommands,
  missingVariables,
];

function* brokenLinks(tree: Tree, page: string, text: string): ReturnType<Check> {
  for (const match of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    const [target, anchor] = match[1]!.split('#') as [string, string | undefined];
    if (/^[a-z]+:/.test(target)) continue;
    const path = target === '' ? page : posix.normalize(posix.join(posix.dirname(page), target));
    if (!exists(tree, path)) {
      yield [match.index, `the link ${match[1]} leads nowhere`];
    } else if (anchor !== undefined && !anchorsOf(tree.texts.get(path) ?? '').has(anchor)) {
      yield [match.index, `${path} has no heading #${anchor}`];
    }
  }
}

function* missingPaths(tree: Tree, _page: string, text: string): ReturnType<Check> {
  for (const match of text.matchAll(/`([^`\s]+)`/g)) {
    const name = match[1]!.replace(/:\d+$/, '');
    if (isPlaceholder.test(name)) continue;
    if (pathRoots.test(name)) {
      if (!exists(tree, name)) yield [match.index, `${name} does not exist`];
    } else if (isSource(name) && !/^(?:https?:|\/)/.test(name)) {
      const isThere = [...tree.paths].some((path) => path === name || path.endsWith(`/${name}`));
      if (!isThere && !isPackage(tree, name)) yield [match.index, `no file is called ${name}`];
    }
  }
}

/** `highlight.js` is a dependency, not a file. */
function isPackage(tree: Tree, name: string): boolean {
  return [...tree.texts].some(
    ([path, text]) => path.endsWith('package.json') && text.includes(`"${name}":`),
  );
}

function* missingScripts(tree: Tree, _page: string, text: string): ReturnType<Check> {
  const manifest: { readonly scripts?: Readonly<Record<string, string>> } = JSON.parse(
    tree.texts.get('package.json') ?? '{}',
  );
  const scripts = manifest.scripts ?? {};
  for (const match of text.matchAll(/\bnpm (?:run )?([a-z][\w:-]*)(?: -- ([\w-]+))?/g)) {
    const [words, name, argument] = match as unknown as [string, string, string | undefined];
    const isScript = words.startsWith('npm run ') || name === 'test' || name === 'start';
    if (!isScript) continue;
    if (scripts[name] === undefined) yield [match.index, `package.json has no script "${name}"`];
    const file =
      name === 'bench'
        ? `bench/${argument}/${argument}.bench.ts`
        : name === 'torture'
          ? `tests/torture/${argument}.ts`
          : null;
    if (argument !== undefined && file !== null && !tree.paths.has(file)) {
      yield [match.index, `"${words}" has no file ${file}`];
    }
  }
}

function* missingCommands(tree: Tree, _page: string, text: string): ReturnType<Check> {
  const known = commandPaths(tree);
  const spans = /(?:`|^(?:\$ )?)(?:npx |npm run )?tapeloom(?: --)?((?: [a-z]+(?:-[a-z]+)*)+)/gm;
  for (const match of text.matchAll(spans)) {
    const words = match[1]!.trim().split(' ');
    const isKnown = known.some((path) => path.every((word, index) => words[index] === word));
    if (!isKnown) yield [match.index, `tapeloom has no command "${words.join(' ')}"`];
  }
}

function* missingVariables(tree: Tree, _page: string, text: string): ReturnType<Check> {
  const sources = [...tree.texts].filter(([path]) => path.startsWith('packages/') && !isTest(path));
  for (const match of text.matchAll(/\bTAPELOOM_[A-Z_]+\b/g)) {
    if (!sources.some(([, source]) => source.includes(match[0]))) {
      yield [match.index, `nothing reads the variable ${match[0]}`];
    }
  }
}

function* undocumentedVariables(tree: Tree): Iterable<Finding> {
  const documented = [...tree.texts].filter(([path]) => pages.test(path)).map(([, text]) => text);
  for (const [path, text] of tree.texts) {
    if (!path.startsWith('packages/') || !isSource(path) || isTest(path)) continue;
    for (const match of text.matchAll(/\bTAPELOOM_[A-Z_]+\b/g)) {
      if (documented.some((page) => page.includes(match[0]))) continue;
      const message = `no page tells of the variable ${match[0]}`;
      yield { path, line: lineAt(text, match.index), message, level: 'error' };
    }
  }
}

function commandPaths(tree: Tree): readonly (readonly string[])[] {
  // A command names itself, or the list of commands does.
  return [...tree.texts]
    .filter(([path]) => /^packages\/cli\/src\/commands[./]/.test(path) && !isTest(path))
    .flatMap(([, text]) => [...text.matchAll(/\bpath: \[([^\]]+)\]/g)])
    .map((match) => [...match[1]!.matchAll(/'([^']+)'/g)].map(([, word]) => word!));
}

function exists(tree: Tree, path: string): boolean {
  const folder = path.endsWith('/') ? path : `${path}/`;
  return tree.paths.has(path) || [...tree.paths].some((other) => other.startsWith(folder));
}

/** A page's anchors as GitHub makes them, equal ones numbered, and explicit ones. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!));
  const counts = new Map<string, number>();
  for (const [, heading] of text.matchAll(/^#+ +(.+)$/gm)) {
    const name = heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    anchors.add(count === 0 ? name : `${name}-${count}`);
  }
  return anchors;
}
