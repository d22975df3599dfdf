/** The package `@tapeloom/client` as a service offers it: built, packed, installed into an empty project and used. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { rolldown } from 'rolldown';
import { REGISTRATION } from '../packages/client/src/node/types-command.ts';
import { writeClientDownload } from '../tools/build/client-download.ts';
import { buildClientPackage } from '../tools/build/client-package.ts';
import { npm } from '../tools/build/npm.ts';
import { olderNodes, olderNodesMissing } from './older-nodes.ts';

const STREAM_BUNDLE_BYTES_MAX = 12 * 1_024;

const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'tapeloom-client-'));
const built = join(directory, 'built');
const project = join(directory, 'project');
const installed = join(project, 'node_modules/@tapeloom/client');
let packed = '';

interface Manifest {
  readonly [field: string]: unknown;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly engines: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}
let manifest: Manifest;

before(() => {
  buildClientPackage(built);
  packed = join(directory, 'tapeloom-client.tgz');
  writeClientDownload(packed);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
  npm(project, 'install', '--offline', '--ignore-scripts', '--no-fund', '--no-audit', packed);
  manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
});
after(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a program in the project; returns its output. */
function run(node: string, text: string): string {
  const file = join(project, 'program.js');
  writeFileSync(file, text);
  return execFileSync(node, [file], { cwd: project, encoding: 'utf8' });
}

/** The compiler's errors for a file of the project; empty when there are none. */
function typeFaults(text: string): string {
  writeFileSync(join(project, 'program.ts'), text);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    lib: ['es2022', 'dom', 'esnext.disposable'],
    types: [],
  };
  const config = { compilerOptions, files: ['program.ts'] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/lib/tsc.js');
  return spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' }).stdout;
}

function entryPath(entry: string, kind: 'types' | 'default'): string {
  return (manifest.exports[entry] as Readonly<Record<string, string>>)[kind]!;
}

test('code, its maps and types are all that is published, and nothing else comes with it [CLIENT-01]', () => {
  const files = globSync('**/*', { cwd: installed, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name).slice(installed.length + 1));
  const others = files.filter((name) => !/^lib\/[\w/-]+\.(?:js|js\.map|d\.ts)$/.test(name));
  assert.deepEqual(others.sort(), [
    'LICENSE',
    'README.md',
    'bin/tapeloom-types.js',
    'package.json',
  ]);
  const code = files.filter((name) => name.startsWith('lib/') && name.endsWith('.js'));
  for (const name of code) assert.ok(files.includes(name.replace(/js$/, 'd.ts')), name);
  for (const name of files) assert.doesNotMatch(name, /\.test\./);
  for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts']) {
    assert.equal(manifest[field], undefined, field);
  }
  assert.deepEqual(readdirSync(join(project, 'node_modules/@tapeloom')), ['client']);
});

test('publint and are-the-types-wrong find nothing [CLIENT-01] [CLIENT-02]', async () => {
  const tarball = readFileSync(packed);
  const { messages, pkg } = await publint({
    pack: { tarball: Uint8Array.from(tarball).buffer },
  });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
  );
  const result = await checkPackage(createPackageFromTarballData(tarball));
  assert.ok(result.types !== false && 'problems' in result);
  // Only resolution modes that can import ES modules count: the package has no other entry.
  const problems = result.problems.filter(
    (problem) =>
      !('resolutionKind' in problem) || !['node10', 'node16-cjs'].includes(problem.resolutionKind),
  );
  assert.deepEqual(problems, []);
});

test('there is one kind of entry, and it is a module [CLIENT-02]', () => {
  assert.equal(manifest.type, 'module');
  assert.equal(manifest.main, undefined);
  for (const [name, entry] of Object.entries(manifest.exports)) {
    if (name === './package.json') continue;
    assert.deepEqual(Object.keys(entry), ['types', 'default'], name);
    const text = readFileSync(join(installed, entryPath(name, 'default')), 'utf8');
    assert.match(text, /^export /m, name);
    assert.doesNotMatch(text, /\brequire\(|\bmodule\.exports\b/, name);
  }
  assert.deepEqual(globSync('**/*.{cjs,cts}', { cwd: installed }), []);
});

test('Node 22 or later is asked for [CLIENT-03]', () => {
  assert.deepEqual(manifest.engines, { node: '>=22' });
});

const PROGRAM = `
  import * as all from '@tapeloom/client';
  import * as stream from '@tapeloom/client/stream';
  import * as files from '@tapeloom/client/node';
  const client = new all.TapeloomClient({ key: 'svc_test_x' });
  await client.close();
  let refused = null;
  try {
    client.subscribe({ indicator: 'bars', instrument: 'ES.c.0' });
  } catch (error) {
    refused = error;
  }
  if (!(refused instanceof all.TapeloomError)) throw refused;
  if (all.StreamClient !== stream.StreamClient) throw new Error('two of the same class');
  console.log(JSON.stringify([refused.code, typeof files.saveExport]));
`;

function usedHere(node: string): void {
  assert.equal(run(node, PROGRAM).trim(), '["CLOSED","function"]');
  const bin = join(installed, manifest.bin['tapeloom-types']!);
  const help = execFileSync(node, [bin, '--help'], { cwd: project, encoding: 'utf8' });
  assert.match(help, /tapeloom-types \[--url <address>\] > indicators\.ts/);
}

test('an empty project imports it, from every entry', () => usedHere(process.execPath));

test('so it does on Node 22 and 24 [CLIENT-03]', { skip: olderNodesMissing }, () => {
  for (const node of olderNodes.values()) usedHere(node);
});

test('its types are strict, and need none of Node [CLIENT-01]', () => {
  const said = typeFaults(`
    import { TapeloomClient, type Update } from '@tapeloom/client';
    await using client = new TapeloomClient({ token: () => 'one' });
    const bars = client.subscribe({ indicator: 'bars', instrument: 'ES.c.0', params: { size: 5 } });
    for (const { ts, data } of bars.state.objects.values()) {
      const [at, open]: [bigint, number] = [ts, data.open];
      console.log(at, open, data.opening);
    }
    client.subscribe({ indicator: 'bars', instrument: 'ES.c.0', params: { size: 'five' } });
    export type Told = Update<'bars'>['t'];
  `);
  assert.match(said, /^\S+\(7,\d+\): error \S+ Property 'opening' does not exist .* 'BarsData'/m);
  assert.match(said, /^\S+\(9,\d+\): error \S+ Type 'string' is not assignable to type 'number'/m);
  assert.equal(said.match(/: error /g)?.length, 2, said);
});

test('types made from a live catalogue take the place of those it came with', () => {
  const own = `export interface IndicatorTypes {
    readonly moons: { readonly params: object; readonly data: { readonly phase: number } };
  }${REGISTRATION}`;
  writeFileSync(join(project, 'indicators.ts'), own);
  const said = typeFaults(`
    import './indicators.js';
    import { StreamClient } from '@tapeloom/client/stream';
    const client = new StreamClient({ token: () => 'one' });
    const moons = client.subscribe({ indicator: 'moons', instrument: 'ES.c.0' });
    for (const { data } of moons.state.objects.values()) {
      console.log(data.phase);
      console.log(data.levels);
    }
  `);
  assert.match(said, /^\S+\(8,\d+\): error \S+ Property 'levels' does not exist/m);
  assert.equal(said.match(/: error /g)?.length, 1, said);
});

test('what a browser gets imports nothing of Node', async () => {
  for (const entry of ['.', './stream']) {
    const { imports } = await bundled(entryPath(entry, 'default'));
    assert.deepEqual(imports, [], entry);
  }
});

test('the stream alone is at most 12 kB for a browser, minified and gzipped', async (t) => {
  const { code } = await bundled(entryPath('./stream', 'default'));
  const bytes = gzipSync(code, { level: 9 }).length;
  t.diagnostic(`${bytes} bytes of ${STREAM_BUNDLE_BYTES_MAX}`);
  assert.ok(bytes <= STREAM_BUNDLE_BYTES_MAX, `${bytes} bytes`);
});

/** A module bundled with its imports, as a page would load it. */
async function bundled(path: string): Promise<{ code: string; imports: readonly string[] }> {
  await using bundle = await rolldown({ input: join(installed, path), platform: 'browser' });
  const { output } = await bundle.generate({ minify: true, format: 'esm' });
  assert.equal(output.length, 1);
  const { code, imports, dynamicImports } = output[0];
  return { code, imports: [...imports, ...dynamicImports] };
}
