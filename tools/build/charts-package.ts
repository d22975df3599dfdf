/**
 * Builds the package `@tapeloom/charts`: modules for browsers, and one style sheet. The used parts of core and protocol
 * are inside; the client is its only dependency.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compilePackage,
  homeOf,
  publishedEntries,
  sourceManifest,
  write,
  writeManifest,
} from './compiled-package.ts';

const CHARTS = { name: 'charts', inside: ['core', 'protocol'] } as const;
const IMPORT = /^@import "(.+)";$/gm;

export function buildChartsPackage(into: string): void {
  compilePackage(CHARTS, into);
  write(join(into, 'style.css'), chartStyles());
  writeManifest(into, publishedManifest());
}

/** One file, since a page without a bundler should load one. */
function chartStyles(): string {
  const folder = join(homeOf(CHARTS), 'src');
  const text = readFileSync(join(folder, 'style.css'), 'utf8');
  return text.replace(IMPORT, (_, path: string) => readFileSync(join(folder, path), 'utf8'));
}

function publishedManifest(): object {
  const { name, version, license, exports } = sourceManifest(CHARTS);
  return {
    name,
    version,
    description: 'Order-flow charts for web pages: footprints, profiles and indicators of Tapeloom',
    license,
    keywords: ['futures', 'order flow', 'footprint', 'chart', 'market data'],
    type: 'module',
    sideEffects: ['*.css'],
    exports: {
      ...publishedEntries({ '.': exports['.']! }),
      './style.css': './style.css',
      './package.json': './package.json',
    },
    dependencies: { '@tapeloom/client': `^${version}` },
  };
}
