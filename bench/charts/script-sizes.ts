/** The gzipped script of the page `/charts`, from a build of the portal, and of the component. */

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '../..');
const COMPONENT = join(root, 'packages/charts/src/component/index.ts');
const PAGE_BYTES_MAX = 120_000;
const COMPONENT_BYTES_MAX = 60_000;

export interface ScriptSize {
  readonly name: string;
  /** Null: there is no such build yet. */
  readonly bytes: number | null;
  readonly limit: number;
}

export async function scriptSizes(): Promise<readonly ScriptSize[]> {
  return [
    { name: '/charts', bytes: await pageBytes(), limit: PAGE_BYTES_MAX },
    { name: 'the component', bytes: await componentBytes(), limit: COMPONENT_BYTES_MAX },
  ];
}

/** The build reports the sizes of its pages, in kilobytes. */
async function pageBytes(): Promise<number | null> {
  const folder = mkdtempSync(join(tmpdir(), 'tapeloom-bench-portal-'));
  try {
    const words = ['packages/portal/build.ts', '--out', join(folder, 'site')];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root });
    const size = /^ *charts +([\d.]+) kB/m.exec(stdout)?.[1];
    return size === undefined ? null : Number(size) * 1_000;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The client is a package of its own and stays outside. */
async function componentBytes(): Promise<number | null> {
  if (!existsSync(COMPONENT)) return null;
  await using bundle = await rolldown({
    input: COMPONENT,
    cwd: root,
    platform: 'browser',
    tsconfig: false,
    external: /^@tapeloom\/client/,
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  return output.reduce(
    (sum, part) => sum + (part.type === 'chunk' ? gzipSync(part.code).length : 0),
    0,
  );
}
