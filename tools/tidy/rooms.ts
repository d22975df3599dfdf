/**
 * The import table of the house: imports go down only. A package names what it may use, a room of the
 * server names the rooms it may use, and another room's adapter is named by nobody but the files that
 * compose a process or a thread. Tests, and files that only tests use, may import anything.
 */

import { type Import, importsOf, testFilesOf } from './imports.ts';
import type { Finding, Tree } from './tree.ts';

/** What each package may import from the others; `core (types)` allows type imports only. */
const packages: Readonly<Record<string, readonly string[]>> = {
  core: [],
  protocol: ['core (types)'],
  client: ['protocol'],
  cli: [
    'client',
    'protocol',
    'core',
    'server/tape',
    'server/engine',
    'server/blocks',
    'server/runs',
    'server/results',
    'server/compute',
    'server/history',
    'server/feeds',
    'server/imports',
    'server/markets',
    'server/accounts',
    'server/billing',
    'server/config',
    'server/platform',
    'server/process',
  ],
  docs: [
    'core',
    'protocol',
    'cli/charts',
    'server/feeds',
    'server/markets',
    'server/accounts',
    'server/exports',
    'server/gateway',
    'server/blocks',
    'server/runs',
    'server/results',
    'server/compute',
    'server/history',
    'server/http',
    'server/platform',
    'server/topics',
  ],
  portal: ['client', 'protocol', 'core', 'cli/charts'],
  server: ['core', 'protocol'],
};

/** Packages that run anywhere: nothing of Node and no foreign package. */
const portable = new Set(['core', 'protocol', 'client']);
/** What of them is for Node alone, and may use it. */
const forNode = /^packages\/client\/src\/node(?:\.ts$|\/)/;

/** What each room of the server may import beside `platform` and `config`. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  config: [],
  feeds: ['tape'],
  markets: ['tape'],
  tape: [],
  imports: ['feeds', 'markets', 'tape'],
  blocks: [],
  topics: ['blocks'],
  runs: ['blocks', 'tape', 'topics'],
  engine: ['blocks', 'tape', 'topics', 'runs'],
  results: ['blocks', 'tape', 'runs'],
  compute: ['blocks', 'tape', 'runs', 'results'],
  history: ['blocks', 'tape', 'topics', 'runs', 'results', 'compute'],
  gateway: ['blocks', 'topics', 'runs', 'compute', 'history', 'accounts'],
  exports: ['blocks', 'runs', 'results', 'compute', 'history'],
  accounts: [],
  billing: ['accounts', 'pages'],
  mail: ['accounts', 'config'],
  pages: [],
  http: [
    'blocks',
    'markets',
    'tape',
    'engine',
    'topics',
    'gateway',
    'runs',
    'results',
    'compute',
    'history',
    'exports',
    'accounts',
    'billing',
    'mail',
    'pages',
  ],
};

/** Composes the process out of the rooms: it may name them all, adapters too, and none may name it. */
const composing = 'process';

/** Adapters: files that bind a port to one technology. */
const adapters: ReadonlySet<string> = new Set([
  'packages/server/src/accounts/store/thread/accounts-handle.ts',
  'packages/server/src/accounts/limits/memory-allowances.ts',
  'packages/server/src/accounts/limits/memory-leases.ts',
  'packages/server/src/accounts/shared/postgres-leases.ts',
  'packages/server/src/accounts/shared/postgres-slices.ts',
  'packages/server/src/accounts/store/postgres/postgres-account-store.ts',
  'packages/server/src/accounts/store/postgres/postgres-database.ts',
  'packages/server/src/accounts/store/sqlite/sqlite-account-store.ts',
  'packages/server/src/accounts/store/sqlite/sqlite-database.ts',
  'packages/server/src/accounts/auth/store-authenticator.ts',
  'packages/server/src/platform/disk/node-disk.ts',
  'packages/server/src/platform/system-clock.ts',
]);

/** Rooms of one adapter, which nobody knows by name but who chooses it, and who is about it. */
const adapterRooms: Readonly<Record<string, readonly string[]>> = {
  'packages/server/src/markets/replay/': [
    'packages/server/src/markets/market-setting.ts',
    'packages/server/src/markets/open-live-market.ts',
    'packages/server/src/markets/open-market.ts',
    'packages/cli/src/replay/replay.ts',
    'packages/cli/src/replay/run-replay.ts',
    'packages/cli/src/replay/tape-replay.ts',
  ],
  'packages/server/src/markets/sim/': [
    'packages/server/src/markets/market-setting.ts',
    'packages/server/src/markets/open-live-market.ts',
    'packages/server/src/markets/open-market.ts',
    'packages/cli/src/commands/sim-fill.ts',
    'packages/docs/src/charts/scene.ts',
  ],
  'packages/server/src/markets/still/': [
    'packages/server/src/markets/open-live-market.ts',
    'packages/server/src/markets/open-market.ts',
  ],
  'packages/server/src/tape/stream/nats/': [
    'packages/server/src/process/cluster/open-stream.ts',
    'packages/server/src/operations/cluster/give-room.ts',
    'packages/server/src/operations/cluster/init-cluster.ts',
    'packages/server/src/operations/cluster/rebuild-cluster.ts',
    'packages/server/src/operations/cluster/cluster-status.ts',
    'packages/server/src/operations/cluster/open-cluster-tape.ts',
  ],
  'packages/server/src/markets/files/': [
    'packages/server/src/process/imported-datasets.ts',
    'packages/cli/src/command-config.ts',
  ],
};

export function checkImports(tree: Tree): readonly Finding[] {
  const links = importsOf(tree);
  const tests = testFilesOf(links);
  return links.flatMap((link) => {
    const message = tests.has(link.from) ? null : complaint(tree, link);
    return message === null ? [] : [{ path: link.from, line: link.line, message, level: 'error' }];
  });
}

function complaint(tree: Tree, link: Import): string | null {
  const { from, to, specifier } = link;
  const home = placeOf(from);
  if (to === null) {
    if (home === null || !portable.has(home.package) || specifier.startsWith('.')) return null;
    if (forNode.test(from) && specifier.startsWith('node:')) return null;
    return `${home.package} runs anywhere and may not import "${specifier}"`;
  }
  if (!tree.paths.has(to)) return `"${specifier}" means ${to}, which does not exist`;
  if (home === null) {
    const isTool = from.startsWith('tools/') && !to.startsWith('tools/');
    return isTool ? `tools stand alone and may not import ${to}` : null;
  }
  for (const [room, known] of Object.entries(adapterRooms)) {
    if (!to.startsWith(room) || from.startsWith(room) || known.includes(from)) continue;
    return `${room} is the room of one adapter: import its port`;
  }
  const there = placeOf(to);
  if (there === null) {
    // Generators and drift tests name the committed files they make by their paths.
    const isContract = link.isAddress && /^(?:contract|docs)\//.test(to);
    const isOwn = to.startsWith(`packages/${home.package}/`);
    return isOwn || isContract
      ? null
      : `a package may not import ${to}, which belongs to no package`;
  }
  if (there.package !== home.package) return betweenPackages(link, home, there);
  if (specifier.startsWith('@tapeloom/')) return `inside a package, import ${to} by relative path`;
  return home.package === 'server' ? betweenRooms(from, to, home.room, there.room) : null;
}

interface Place {
  readonly package: string;
  /** The folder below `src`; null for files directly in it. */
  readonly room: string | null;
}

function betweenPackages(link: Import, home: Place, there: Place): string | null {
  if (link.specifier.startsWith('.')) {
    return `import another package by its name, not by the path "${link.specifier}"`;
  }
  const allowed = packages[home.package];
  if (allowed === undefined) return `package "${home.package}" is not in the import table`;
  if (allowed.includes(there.package)) return null;
  if (allowed.includes(`${there.package}/${there.room ?? fileOf(link.to!)}`)) return null;
  if (allowed.includes(`${there.package} (types)`)) {
    if (link.isTypeOnly) return null;
    return `${home.package} may import types only from ${there.package}`;
  }
  const target = there.package === 'server' ? `server/${there.room ?? ''}` : there.package;
  return `${home.package} may not import ${target} (allowed: ${allowed.join(', ') || 'nothing'})`;
}

function betweenRooms(
  from: string,
  to: string,
  home: string | null,
  there: string | null,
): string | null {
  if (home === composing || composesThread(from) || home === there) return null;
  if (home === null) return `${from} lies in no room`;
  if (there === null || there === composing) {
    return `room ${home} may not import ${to}, which composes the process`;
  }
  const allowed = rooms[home];
  if (allowed === undefined) return `room "${home}" is not in the import table`;
  const always =
    home === 'platform' ? [] : home === 'config' ? ['platform'] : ['platform', 'config'];
  if (![...always, ...allowed].includes(there)) {
    const list = [...allowed, ...always].join(', ') || 'nothing';
    return `room ${home} may not import room ${there} (allowed: ${list})`;
  }
  if (adapters.has(to)) return `${to} is an adapter: import its port, and let process/ name it`;
  return null;
}

/** The first file of a thread composes it, as `process/` composes the process. */
function composesThread(path: string): boolean {
  return path.endsWith('-worker.ts');
}

/** `packages/cli/src/main.ts` → `main`. */
function fileOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.ts$/, '');
}

function placeOf(path: string): Place | null {
  const match = /^packages\/([^/]+)\/src\/(?:([^/]+)\/)?/.exec(path);
  return match === null ? null : { package: match[1]!, room: match[2] ?? null };
}
