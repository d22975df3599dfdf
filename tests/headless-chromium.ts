/**
 * A Chromium for tests. On Linux x64 it comes with npm alone: it is unpacked once per version, with the
 * system libraries it needs, into a directory that appears whole or not at all, so that test files which
 * run at the same time cannot meet a half-written browser. Elsewhere an installed Chromium or Chrome is
 * used, and where there is none `chromiumMissing` is the sentence to skip with.
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

/** Where Debian, Google and macOS put them. */
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const comesWithNpm = process.platform === 'linux' && process.arch === 'x64';
const installed = INSTALLED.find(exists);

/** Why no browser can be had here, false where one can. */
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
    // Another test file was first: its copy is as good.
    rmSync(part, { recursive: true });
    if (!exists(home)) throw error;
  }
  return home;
}

/** The package unpacks into the temporary directory of the process and nowhere else. */
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
