/**
 * Builds the package `@tapeloom/client`: JavaScript modules with maps and types, one per source file, so that stack
 * traces match the code. The used parts of the protocol are inside, so it has no dependencies.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');
const home = join(root, 'packages/client');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The source of each entry point, by name. */
  readonly exports: Readonly<Record<string, string>>;
}

export function buildClientPackage(into: string): void {
  rmSync(into, { recursive: true, force: true });
  compile(join(into, 'compiled'));
  gather(into);
  for (const name of globSync('bin/*.js', { cwd: home })) {
    const text = readFileSync(join(home, name), 'utf8');
    write(join(into, name), text.replace(/'\.\.\/src\/(.*)\.ts'/, "'../lib/$1.js'"));
  }
  cpSync(join(home, 'README.md'), join(into, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(into, 'LICENSE'));
  write(join(into, 'package.json'), `${JSON.stringify(publishedManifest(), null, 2)}\n`);
}

function compile(outDir: string): void {
  const config = join(home, 'tsconfig.build.json');
  const tsc = join(root, 'node_modules/typescript/lib/tsc.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [tsc, '-p', config, '--outDir', outDir],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the client does not compile:\n${stdout}${stderr}`);
}

/** Merges the two compiled packages: the client as `lib`, the protocol inside it. */
function gather(into: string): void {
  const compiled = join(into, 'compiled');
  for (const path of globSync('*/src/**/*.{js,d.ts,js.map}', { cwd: compiled })) {
    const name = placeOf(path);
    const text = readFileSync(join(compiled, path), 'utf8');
    write(
      join(into, name),
      name.endsWith('.map') ? mapText(text, path) : withOwnProtocol(text, name),
    );
  }
  rmSync(compiled, { recursive: true });
}

/** `client/src/rest/pages.js` → `lib/rest/pages.js`, `protocol/src/problem.js` → `lib/protocol/problem.js`. */
function placeOf(path: string): string {
  return path
    .split('\\')
    .join('/')
    .replace(/^client\/src\//, 'lib/')
    .replace(/^protocol\/src\//, 'lib/protocol/');
}

/** Replaces the protocol's module names by paths, in code and types. */
function withOwnProtocol(text: string, name: string): string {
  return text.replace(/(['"])@tapeloom\/protocol\/([\w-]+)\1/g, (_, quote, module) => {
    const path = posix.relative(posix.dirname(name), `lib/protocol/${module}.js`);
    return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
  });
}

/** The map contains the source; its path is the repository's. */
function mapText(text: string, path: string): string {
  const source = `packages/${path.replace(/\.js\.map$/, '.ts')}`;
  return JSON.stringify({ ...JSON.parse(text), sources: [`tapeloom:///${source}`] });
}

function publishedManifest(): object {
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license } = manifest;
  const exports = Object.entries(manifest.exports).map(([entry, source]) => {
    const stem = `./lib/${relative('src', source).replace(/\.ts$/, '')}`;
    return [entry, { types: `${stem}.d.ts`, default: `${stem}.js` }];
  });
  const commands = globSync('bin/*.js', { cwd: home }).map((path) => {
    return [posix.basename(path, '.js'), path];
  });
  return {
    name,
    version,
    description: 'Order-flow indicators of futures: live streams, history and exports of Tapeloom',
    license,
    keywords: ['futures', 'order flow', 'footprint', 'market data', 'websocket'],
    type: 'module',
    engines: { node: '>=22' },
    sideEffects: false,
    exports: { ...Object.fromEntries(exports), './package.json': './package.json' },
    bin: Object.fromEntries(commands),
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
