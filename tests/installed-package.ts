/**
 * The package `tapeloom` as customers get it: built, packed, installed into an empty prefix with a
 * home of its own, and used from an empty directory. It is also tested after a kill, and its stream
 * with the exact line that it prints.
 */

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DBN_SCHEMAS, DbnWriter } from '../packages/server/testing/feeds/dbn-writer.ts';
import { secondPages } from '../packages/server/testing/feeds/feed-fuzz.ts';
import { npm } from '../tools/build/npm.ts';
import { buildTapeloomPackage, packSlim, packTapeloom } from '../tools/build/tapeloom-package.ts';
import { killServices, NO_PAST, RunningService, WAIT_LIMIT_MS, within } from './running-service.ts';

/** The program takes 9 MB, the portal with the documentation 16, the picture renderer 5. */
const SLIM_BYTES_MAX = 36 * 1024 * 1024;

export interface InstalledOptions {
  /** The Node that runs the command. */
  readonly node: string;
  /** Whether npm installs a Node with it, which needs the registry; else tests the slim package. */
  readonly isWhole: boolean;
}

export async function useInstalled({ node, isWhole }: InstalledOptions): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-installed-'));
  try {
    const command = await install(directory, isWhole);
    const version = execFileSync(node, [command, '--version'], { encoding: 'utf8' });
    const cwd = join(directory, 'empty');
    mkdirSync(cwd);
    readFiles(join(directory, 'files'), [node, command]);
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const program = [command, 'serve'];
      const service = new RunningService({ data: 'data', program, node, cwd, env: NO_PAST });
      await service.ready();
      const status = (await (await service.get('/v1/status')).json()) as { version: string };
      assert.equal(`tapeloom ${status.version}\n`, version);
      await read(service);
      if (service.printedKeys !== null) await watch(service, [node, command]);
      const { code } = await service.stop(signal);
      assert.equal(code, signal === 'SIGKILL' ? null : 0, service.errors);
    }
    assert.deepEqual(readdirSync(cwd), ['data']);
  } finally {
    killServices();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Resolves to the path of the installed command. */
async function install(directory: string, isWhole: boolean): Promise<string> {
  const built = join(directory, 'built');
  const prefix = join(directory, 'prefix');
  await buildTapeloomPackage(built);
  if (isWhole) packTapeloom(built, directory);
  else packSlim(built, directory);
  const packed = readdirSync(directory).find((name) => name.endsWith('.tgz'));
  assert.ok(packed !== undefined);
  const words = ['install', '--global', '--prefix', prefix, '--ignore-scripts', `./${packed}`];
  npm(directory, ...words, ...(isWhole ? [] : ['--offline']));
  if (!isWhole) requireSlim(prefix);
  return join(prefix, 'lib/node_modules/tapeloom/bin/tapeloom.js');
}

/** Requires that no Node was installed, neither as a file nor in the bill of materials. */
function requireSlim(prefix: string): void {
  const home = join(prefix, 'lib/node_modules/tapeloom');
  const files = globSync('**/*', { cwd: prefix, withFileTypes: true }).filter((it) => it.isFile());
  const sizes = files.map((file) => statSync(join(file.parentPath, file.name)).size);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes < SLIM_BYTES_MAX, `${bytes} bytes`);
  for (const name of ['package.json', 'sbom.cdx.json']) {
    assert.doesNotMatch(readFileSync(join(home, name), 'utf8'), /node-(?:linux|darwin|win|bin)-/);
  }
}

/** Requires that every file-reading thread was installed: definitions, CSV and Parquet trades. */
function readFiles(directory: string, [node, ...command]: readonly [string, string]): void {
  mkdirSync(directory);
  const at = (name: string) => join(directory, name);
  const run = (...words: readonly string[]) =>
    execFileSync(node, [...command, ...words], { encoding: 'utf8', cwd: directory });
  writeFileSync(at('definitions.dbn'), definitionFile());
  writeFileSync(at('ES.parquet'), secondPages('SNAPPY'));
  run('instruments', 'from', 'definitions.dbn', '--out', 'instruments.yaml');
  mkdirSync(at('data'));
  run('instruments', 'apply', 'instruments.yaml');
  const { contracts } = JSON.parse(run('import', 'ES.parquet', '--json'));
  assert.equal(contracts[0].contract, 'ESH6');
  assert.equal(contracts[0].days[0].trades, 64);
  assert.match(run('study', 'bars', '--file', 'ES.parquet', '--tail', '--json'), /^\{/);
}

function definitionFile(): Uint8Array {
  const writer = new DbnWriter({
    version: 3,
    schema: DBN_SCHEMAS.definition,
    dataset: 'GLBX.MDP3',
  });
  writer.definition({
    instrumentId: 1,
    rawSymbol: 'ESH6',
    instrumentClass: 'F',
    asset: 'ES',
    exchange: 'XCME',
    currency: 'USD',
    minPriceIncrementNanos: 250_000_000n,
    unitOfMeasureQtyNanos: 50_000_000_000n,
    expiration: Temporal.Instant.from('2026-03-20T13:30:00Z').epochNanoseconds as never,
    maturityYear: 2026,
    maturityMonth: 3,
  });
  return writer.bytes;
}

/** Requires that the portal was installed and that an error type links to its documentation. */
async function read(service: RunningService): Promise<void> {
  const landing = await within(WAIT_LIMIT_MS, 'the portal', portalOf(service));
  assert.equal(landing.status, 200, service.errors);
  assert.match(landing.headers.get('content-security-policy') ?? '', /script-src 'self';/);
  const { type } = (await (await service.get('/v1/nothing')).json()) as { type: string };
  const [address, anchor] = type.split('#') as [string, string];
  const page = await fetch(address);
  assert.equal(page.status, 200, address);
  assert.ok((await page.text()).includes(` id="${anchor}"`), type);
}

/** Waits for the portal, because a start does not. */
async function portalOf(service: RunningService): Promise<Response> {
  for (;;) {
    const answer = await service.get('/', { accept: 'text/html' });
    if (!answer.headers.has('retry-after')) return answer;
    await setTimeout(100);
  }
}

/** The printed line for a second terminal shows the market. */
async function watch(service: RunningService, command: readonly string[]): Promise<void> {
  const line = /^ {2}TAPELOOM_KEY=(\S+) tapeloom (stream .*)$/m.exec(service.output);
  assert.ok(line !== null, service.output);
  const [node, ...words] = [...command, ...line[2]!.split(' '), '--json'];
  const env = { ...process.env, TAPELOOM_KEY: line[1]! };
  const child = spawn(node!, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [first] = await within(WAIT_LIMIT_MS, 'the stream', once(child.stdout!, 'data'));
    assert.match(String(first), /^\{/);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'close');
  }
}
