/**
 * Compiles one of our packages for npm: JavaScript modules with maps and types, one per source file, so that stack
 * traces match the code. The parts of our other packages that it uses go inside it, below `lib/<package>`.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');

export interface CompiledPackage {
  /** Its folder below `packages`. */
  readonly name: string;
  /** Our packages whose modules go inside. */
  readonly inside: readonly string[];
}

export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The source of each entry point, by name. */
  readonly exports: Readonly<Record<string, string>>;
}

export function homeOf({ name }: CompiledPackage): string {
  return join(root, 'packages', name);
}

/** Empties `into` and fills it with modules, types, README and licence; the manifest comes from the caller. */
export function compilePackage(it: CompiledPackage, into: string): void {
  rmSync(into, { recursive: true, force: true });
  compile(it, join(into, 'compiled'));
  gather(it, into);
  prune(it, into);
  cpSync(join(homeOf(it), 'README.md'), join(into, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(into, 'LICENSE'));
}

export function sourceManifest(it: CompiledPackage): SourceManifest {
  return JSON.parse(readFileSync(join(homeOf(it), 'package.json'), 'utf8')) as SourceManifest;
}

/** The published entry points of sources, by name. */
export function publishedEntries(
  exports: Readonly<Record<string, string>>,
): Readonly<Record<string, { readonly types: string; readonly default: string }>> {
  const entries = Object.entries(exports).map(([entry, source]) => {
    const stem = `./lib/${relative('src', source).replace(/\.ts$/, '')}`;
    return [entry, { types: `${stem}.d.ts`, default: `${stem}.js` }] as const;
  });
  return Object.fromEntries(entries);
}

export function writeManifest(into: string, manifest: object): void {
  write(join(into, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function compile(it: CompiledPackage, outDir: string): void {
  const config = join(homeOf(it), 'tsconfig.build.json');
  const tsc = join(root, 'node_modules/typescript/lib/tsc.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [tsc, '-p', config, '--outDir', outDir],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the package ${it.name} does not compile:\n${stdout}${stderr}`);
}

/** Merges the compiled packages: its own as `lib`, the others inside it. */
function gather(it: CompiledPackage, into: string): void {
  const compiled = join(into, 'compiled');
  for (const path of globSync('*/src/**/*.{js,d.ts,js.map}', { cwd: compiled })) {
    const name = placeOf(it, path);
    if (name === null) continue;
    const text = readFileSync(join(compiled, path), 'utf8');
    write(
      join(into, name),
      name.endsWith('.map') ? mapText(text, path) : withPaths(it, text, name),
    );
  }
  rmSync(compiled, { recursive: true });
}

/**
 * `client/src/rest/pages.js` → `lib/rest/pages.js`, `protocol/src/problem.js` → `lib/protocol/problem.js`. Null: it
 * belongs to another published package.
 */
function placeOf({ name, inside }: CompiledPackage, path: string): string | null {
  const [from, , ...rest] = path.split('\\').join('/').split('/');
  if (from === name) return ['lib', ...rest].join('/');
  return inside.includes(from!) ? ['lib', from, ...rest].join('/') : null;
}

/** Replaces the names of inner modules by paths, in code and types. */
function withPaths({ inside }: CompiledPackage, text: string, name: string): string {
  const names = new RegExp(`(['"])@tapeloom/(${inside.join('|')})/([\\w/-]+)\\1`, 'g');
  return text.replace(names, (_, quote: string, from: string, module: string) => {
    const path = posix.relative(posix.dirname(name), `lib/${from}/${module}.js`);
    return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
  });
}

/** Removes inner modules that only other packages of ours need. */
function prune(it: CompiledPackage, into: string): void {
  const reached = new Set<string>();
  const own = globSync('lib/**/*.js', { cwd: into }).map((path) => path.split('\\').join('/'));
  const isInner = (path: string) => it.inside.some((name) => path.startsWith(`lib/${name}/`));
  const visit = (module: string) => {
    if (reached.has(module)) return;
    reached.add(module);
    for (const path of [module, module.replace(/\.js$/, '.d.ts')]) {
      const text = readFileSync(join(into, path), 'utf8');
      for (const [, to] of text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+\.[jt]s)['"]/g)) {
        // Types name their modules as the sources do.
        visit(posix.join(posix.dirname(path), to!.replace(/\.ts$/, '.js')));
      }
    }
  };
  for (const module of own) if (!isInner(module)) visit(module);
  for (const module of own.filter((path) => !reached.has(path))) {
    const stem = join(into, module.replace(/\.js$/, ''));
    for (const ending of ['.js', '.js.map', '.d.ts']) rmSync(`${stem}${ending}`, { force: true });
  }
}

/** The map contains the source; its path is the repository's. */
function mapText(text: string, path: string): string {
  const source = `packages/${path.replace(/\.js\.map$/, '.ts')}`;
  return JSON.stringify({ ...JSON.parse(text), sources: [`tapeloom:///${source}`] });
}
