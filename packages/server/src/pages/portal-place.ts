/** The portal lies beside the program: built there in a checkout when its sources are newer, or installed built. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, ConfigError } from '../config/config.ts';
import type { Log } from '../platform/log/log.ts';
import { Portal } from './portal.ts';
import { PortalBuild } from './portal-build.ts';

const BUILT = new URL('../../../portal/dist/', import.meta.url);
/** The page that every address of the portal responds with. */
const APP = 'app.html';
/** Below the portal's package. */
const SOURCES = [
  'src/',
  'recording/',
  'build-steps/',
  'build.ts',
  'theme.js',
  'icon.svg',
  'index.html',
  'app.html',
  'docs.html',
  'charts.html',
];
/** Its sources in other packages and folders. */
const SOURCES_ELSEWHERE = [
  'client/src/',
  'client/README.md',
  'charts/src/',
  'protocol/src/',
  'core/src/',
  '../docs/',
  '../contract/',
  '../CHANGELOG.md',
];

/** A configured portal must exist: otherwise visitors would find none, though the start reported no error. */
export function requirePortal(
  { portal }: Pick<Config, 'portal'>,
  readFile: (path: string) => string,
): void {
  if (portal === null) return;
  const path = join(portal, APP);
  try {
    readFile(path);
  } catch (error) {
    const why = (error as Error).message;
    throw new ConfigError([`TAPELOOM_PORTAL: ${portal} contains no built portal: ${why}`]);
  }
}

export function openPortal(config: Config, log: Log, say: (line: string) => void): Portal {
  if (config.portal !== null) return new Portal({ directory: config.portal, build: null, log });
  const home = new URL('../', BUILT);
  const build = PortalBuild.start({
    program: fileURLToPath(new URL('build.ts', home)),
    made: fileURLToPath(new URL(APP, BUILT)),
    sources: [
      ...SOURCES.map((name) => new URL(name, home)),
      ...SOURCES_ELSEWHERE.map((name) => new URL(`../${name}`, home)),
    ].map((url) => fileURLToPath(url)),
    say,
  });
  return new Portal({ directory: fileURLToPath(BUILT), build, log });
}
