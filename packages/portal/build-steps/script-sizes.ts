/**
 * The gzipped size of the scripts that a page needs: its entry, the page's own part, and everything that both import.
 */

import { gzipSync } from 'node:zlib';
import type { Rolldown } from 'vite';

/** The limit of the interface; a larger build fails. */
const SCRIPT_BYTES_MAX = 150_000;
/** Swagger UI, which only one page of the documentation loads. */
const REST_REFERENCE_BYTES_MAX = 450_000;
/** The chart workspace when it opens. */
const CHARTS_BYTES_MAX = 120_000;
/** The name under which everything counts that the workspace may load. */
const WHOLE = 'charts, all parts';
const WHOLE_BYTES_MAX = 180_000;
/** Our goal for every first page; the report mentions pages above it. */
const SCRIPT_BYTES_WANTED = 60_000;

export interface EntrySize {
  readonly name: string;
  readonly bytes: number;
}

const OWN_BYTES_MAX: Readonly<Record<string, number>> = {
  'rest-reference': REST_REFERENCE_BYTES_MAX,
  charts: CHARTS_BYTES_MAX,
  [WHOLE]: WHOLE_BYTES_MAX,
};

/** The limit in bytes. */
export function scriptBytesMax(name: string): number {
  return OWN_BYTES_MAX[name] ?? SCRIPT_BYTES_MAX;
}

type Part = Pick<
  Rolldown.OutputChunk,
  'fileName' | 'imports' | 'dynamicImports' | 'name' | 'code'
> & {
  readonly type: 'chunk';
  readonly isEntry: boolean;
  readonly isDynamicEntry: boolean;
};

export function scriptSizes(
  output: readonly (Part | { readonly type: 'asset' })[],
): readonly EntrySize[] {
  const parts = new Map(
    output.filter((part) => part.type === 'chunk').map((part) => [part.fileName, part]),
  );
  const sizes = new Map([...parts.values()].map(({ fileName, code }) => [fileName, gzipped(code)]));
  const sizeOf = (starts: readonly string[], isWhole = false) => {
    const needed = new Set<string>();
    const visit = (fileName: string) => {
      const part = parts.get(fileName);
      if (part === undefined || needed.has(fileName)) return;
      needed.add(fileName);
      part.imports.forEach(visit);
      if (isWhole) part.dynamicImports.forEach(visit);
    };
    starts.forEach(visit);
    return [...needed].reduce((sum, fileName) => sum + sizes.get(fileName)!, 0);
  };
  const all = [...parts.values()];
  const entries = all.filter(({ isEntry, name }) => isEntry && name !== 'portal');
  const app = entries.filter(({ name }) => name === 'app').map(({ fileName }) => fileName);
  const docs = entries.filter(({ name }) => name === 'docs').map(({ fileName }) => fileName);
  const charts = entries.filter(({ name }) => name === 'charts').map(({ fileName }) => fileName);
  const references = all.filter(
    ({ isDynamicEntry, name }) => isDynamicEntry && name.endsWith('-reference'),
  );
  const pages = all.filter(({ isDynamicEntry, name }) => isDynamicEntry && name.endsWith('-page'));
  return [
    ...entries.map(({ name, fileName }) => ({ name, bytes: sizeOf([fileName]) })),
    ...charts.map((fileName) => ({ name: WHOLE, bytes: sizeOf([fileName], true) })),
    ...pages.map(({ name, fileName }) => ({ name, bytes: sizeOf([...app, fileName]) })),
    ...references.map(({ name, fileName }) => ({ name, bytes: sizeOf([...docs, fileName]) })),
  ];
}

export function sizeReport(sizes: readonly EntrySize[]): readonly string[] {
  return sizes
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(({ name, bytes }) => {
      const isLarge = bytes > SCRIPT_BYTES_WANTED;
      const own = scriptBytesMax(name);
      const note =
        own !== SCRIPT_BYTES_MAX
          ? `, allowed are ${own / 1000}`
          : isLarge
            ? `, wanted are ${SCRIPT_BYTES_WANTED / 1000}`
            : '';
      return `  ${name.padEnd(18)} ${(bytes / 1000).toFixed(1).padStart(6)} kB of script${note}`;
    });
}

function gzipped(code: string): number {
  return gzipSync(code).length;
}
