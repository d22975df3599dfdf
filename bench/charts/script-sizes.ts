/** The gzipped script of the page `/charts`, from a build of the portal, and of the component. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '../..');
/** A page that puts a chart into its element, and nothing else. */
const CHART_PAGE = 'page-with-a-chart';
const CHART_PAGE_TEXT = `
  import { createChart } from ${JSON.stringify(join(root, 'packages/charts/src/index.ts'))};
  createChart(document.querySelector('#chart'), { instrument: 'BTC.c.0', url: '/', token: () => '' });
`;
const PAGE_BYTES_MAX = 120_000;
const COMPONENT_BYTES_MAX = 60_000;

export interface ScriptSize {
  readonly name: string;
  readonly bytes: number;
  /** Null: none is set. */
  readonly limit: number | null;
}

export async function scriptSizes(): Promise<readonly ScriptSize[]> {
  const page = await pageBytes();
  const component = await componentBytes();
  return [
    { name: '/charts', bytes: page.first, limit: PAGE_BYTES_MAX },
    { name: '/charts, all that opens later', bytes: page.all, limit: null },
    { name: 'the component', bytes: component.first, limit: COMPONENT_BYTES_MAX },
    { name: 'the component, with all that it loads later', bytes: component.all, limit: null },
  ];
}

/** The build of the portal reports the sizes of its pages, in kilobytes. */
async function pageBytes(): Promise<{ readonly first: number; readonly all: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'tapeloom-bench-portal-'));
  try {
    const words = ['packages/portal/build.ts', '--out', join(folder, 'site')];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root });
    const sizeOf = (name: string) => {
      const size = new RegExp(`^ *${name} +([\\d.]+) kB`, 'm').exec(stdout)?.[1];
      if (size === undefined) throw new Error(`the portal's build reports no size of ${name}`);
      return Math.round(Number(size) * 1_000);
    };
    return { first: sizeOf('charts'), all: sizeOf('charts, all parts') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of a page with a chart, at first and with all that it imports later; the client is a package of its own. */
async function componentBytes(): Promise<{ readonly first: number; readonly all: number }> {
  await using bundle = await rolldown({
    input: CHART_PAGE,
    cwd: root,
    platform: 'browser',
    tsconfig: false,
    external: /^@tapeloom\/client/,
    plugins: [
      {
        name: CHART_PAGE,
        resolveId: (id) => (id === CHART_PAGE ? id : null),
        load: (id) => (id === CHART_PAGE ? CHART_PAGE_TEXT : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  const chunks = output.filter((part) => part.type === 'chunk');
  const sum = (parts: readonly { readonly code: string }[]) =>
    parts.reduce((bytes, { code }) => bytes + gzipSync(code).length, 0);
  const first = new Set<string>();
  const visit = (name: string) => {
    const chunk = chunks.find(({ fileName }) => fileName === name);
    if (chunk === undefined || first.has(name)) return;
    first.add(name);
    chunk.imports.forEach(visit);
  };
  visit(chunks.find(({ isEntry }) => isEntry)!.fileName);
  return { first: sum(chunks.filter(({ fileName }) => first.has(fileName))), all: sum(chunks) };
}
