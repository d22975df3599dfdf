/**
 * The slow steps of a release: packages are built, packed, checked by publint, installed into an empty folder, and run
 * there. npm installs from its cache, so no network is needed.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { npm } from '../build/npm.ts';
import type { PackageStep } from './release.ts';
import { ReleaseError } from './release-error.ts';

const CLIENT = 'packages/client/dist';
const INSTALL = ['install', '--offline', '--ignore-scripts', '--no-fund', '--no-audit'];
const CLIENT_PROGRAM = `
  import { TapeloomClient } from '@tapeloom/client';
  import '@tapeloom/client/stream';
  import '@tapeloom/client/node';
  await new TapeloomClient({ key: 'svc_test_x' }).close();
`;

export function packageSteps(root: string, say: (line: string) => void): readonly PackageStep[] {
  return [
    { name: 'build and pack (one to two minutes)', run: (version) => build(root, version, say) },
    { name: 'publint', run: (version) => judge(root, version, say) },
    { name: 'install what was packed, and run it', run: (version) => install(root, version, say) },
  ];
}

function build(root: string, version: string, say: (line: string) => void): void {
  try {
    execFileSync(process.execPath, [join(root, 'tools/build.ts')], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    npm(root, 'pack', `./${CLIENT}`, '--pack-destination', root, '--loglevel', 'error');
  } catch (error) {
    throw new ReleaseError(
      `The packages cannot be built: ${outputOf(error)}\nMend what it names; npm run build tries it alone.`,
      { cause: error },
    );
  }
  for (const name of packedNames(version)) {
    const kib = Math.round(readFileSync(join(root, name)).byteLength / 1024);
    say(`      ${name}, ${kib.toLocaleString('en')} KiB`);
  }
}

async function judge(root: string, version: string, say: (line: string) => void): Promise<void> {
  const faults: string[] = [];
  for (const name of packedNames(version)) {
    const tarball = Uint8Array.from(readFileSync(join(root, name))).buffer;
    const { messages, pkg } = await publint({ pack: { tarball } });
    for (const message of messages) {
      const text = `${name}: ${formatMessage(message, pkg)}`;
      if (message.type === 'suggestion') say(`      ${text}`);
      else faults.push(text);
    }
  }
  if (faults.length > 0) {
    throw new ReleaseError(
      `publint found faults:\n${faults.join('\n')}\nMend the manifests that tools/build/ writes.`,
    );
  }
}

function install(root: string, version: string, say: (line: string) => void): void {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-release-'));
  try {
    for (const name of packedNames(version)) {
      const place = join(directory, name.replace('.tgz', ''));
      mkdirSync(place);
      try {
        installOne(place, join(root, name), version);
      } catch (error) {
        throw new ReleaseError(
          `${name} cannot be installed and run: ${outputOf(error)}\nMend what it names; npm test -- tests/long/installed.test.ts looks at it closer.`,
          { cause: error },
        );
      }
      say(`      ${name} runs`);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function installOne(place: string, packed: string, version: string): void {
  writeFileSync(join(place, 'package.json'), '{"private":true,"type":"module"}\n');
  npm(place, ...INSTALL, packed);
  if (packed.includes('tapeloom-client-')) {
    run(place, ['--input-type=module', '--eval', CLIENT_PROGRAM]);
    return;
  }
  const command = join(place, 'node_modules/tapeloom/bin/tapeloom.js');
  const said = run(place, [command, '--version']).trim();
  if (said !== `tapeloom ${version}`) throw new Error(`its --version is "${said}"`);
  run(place, [command, 'serve', '--help']);
}

function run(cwd: string, args: readonly string[]): string {
  return execFileSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function packedNames(version: string): readonly string[] {
  return [
    `tapeloom-client-${version}.tgz`,
    `tapeloom-${version}.tgz`,
    `slim-tapeloom-${version}.tgz`,
  ];
}

/** The output of a failed program, or else the failure. */
function outputOf(error: unknown): string {
  const { stderr, stdout } = error as { readonly stderr?: string; readonly stdout?: string };
  const said = `${stdout ?? ''}${stderr ?? ''}`.trim();
  return said === '' ? String(error) : said.slice(-4_000);
}
