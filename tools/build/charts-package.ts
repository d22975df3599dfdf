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
/** In this order: colours, the chart, and what the component puts around it. */
const STYLES = ['component/tokens.css', 'view/view.css', 'component/component.css'];

export function buildChartsPackage(into: string): void {
  compilePackage(CHARTS, into);
  write(join(into, 'style.css'), chartStyles());
  writeManifest(into, publishedManifest());
}

export function chartStyles(): string {
  return STYLES.map((path) => readFileSync(join(homeOf(CHARTS), 'src', path), 'utf8')).join('\n');
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
