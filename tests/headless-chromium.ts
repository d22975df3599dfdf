/**
 * A Chromium for tests. On Linux x64 npm provides it: once per version it is unpacked, with its
 * system libraries, into a directory that appears atomically. So concurrent test files never see a
 * half-written browser. Elsewhere an installed Chromium or Chrome is used; without one,
 * `chromiumMissing` holds the reason for skipping.
 */

import { mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inflate } from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Where Debian, Google and macOS install them. */
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const comesWithNpm = process.platform === 'linux' && process.arch === 'x64';
const installed = INSTALLED.find(exists);

/** Why no browser is available here; false when one is. */
export const chromiumMissing =
  !comesWithNpm && installed === undefined
    ? `npm has no Chromium for ${process.platform} on ${process.arch}, and none is installed`
    : false;

export async function launchChromium(): Promise<Browser> {
  if (!comesWithNpm && installed !== undefined) {
    return await chromium.launch({ executablePath: installed, args: ARGS });
  }
  const home = await unpackedHome();
  return await chromium.launch({
    executablePath: join(home, 'chromium'),
    args: ARGS,
    env: { ...process.env, LD_LIBRARY_PATH: join(home, 'al2023', 'lib') },
  });
}

async function unpackedHome(): Promise<string> {
  const bin = join(
    dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')),
    '../bin',
  );
  const manifest = readFileSync(join(bin, '../package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };
  const home = join(tmpdir(), `tapeloom-chromium-${version}-${process.getuid?.() ?? 0}`);
  if (exists(home)) return home;
  const part = mkdtempSync(`${home}-`);
  await inflateInto(part, [join(bin, 'chromium.br'), join(bin, 'al2023.tar.br')]);
  try {
    renameSync(part, home);
  } catch (error) {
    // Another test file finished first; its copy is equivalent.
    rmSync(part, { recursive: true });
    if (!exists(home)) throw error;
  }
  return home;
}

/** The package can unpack only into the temporary directory of the process. */
async function inflateInto(directory: string, files: readonly string[]): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = directory;
  try {
    for (const file of files) await inflate(file);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
