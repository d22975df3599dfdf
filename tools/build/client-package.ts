/** Builds the package `@tapeloom/client`. The used parts of the protocol are inside, so it has no dependencies. */

import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import {
  compilePackage,
  homeOf,
  publishedEntries,
  sourceManifest,
  write,
  writeManifest,
} from './compiled-package.ts';

const CLIENT = { name: 'client', inside: ['protocol'] } as const;
const home = homeOf(CLIENT);

export function buildClientPackage(into: string): void {
  compilePackage(CLIENT, into);
  for (const name of globSync('bin/*.js', { cwd: home })) {
    const text = readFileSync(join(home, name), 'utf8');
    write(join(into, name), text.replace(/'\.\.\/src\/(.*)\.ts'/, "'../lib/$1.js'"));
  }
  writeManifest(into, publishedManifest());
}

function publishedManifest(): object {
  const { name, version, license, exports } = sourceManifest(CLIENT);
  const commands = globSync('bin/*.js', { cwd: home }).map((path) => {
    return [posix.basename(path, '.js'), path];
  });
  return {
    name,
    version,
    description: 'Order-flow indicators of futures: live streams, history and exports of Tapeloom',
    license,
    keywords: ['futures', 'order flow', 'footprint', 'market data', 'websocket'],
    type: 'module',
    engines: { node: '>=22' },
    sideEffects: false,
    exports: { ...publishedEntries(exports), './package.json': './package.json' },
    bin: Object.fromEntries(commands),
  };
}
