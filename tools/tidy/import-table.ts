/**
 * The import table: which package and which server module may import which. It names only existing imports, and a
 * module imports only modules above it in the table; `module-imports.ts` checks both.
 */

export const packages: Readonly<Record<string, readonly string[]>> = {
  core: [],
  protocol: [],
  client: ['protocol'],
  charts: ['client', 'protocol', 'core'],
  cli: [
    'charts',
    'client',
    'protocol',
    'core',
    'server/platform',
    'server/config',
    'server/tape',
    'server/feeds',
    'server/markets',
    'server/imports',
    'server/runs',
    'server/results',
    'server/accounts',
    'server/billing',
    'server/test-provider',
    'server/operations',
    'server/serve',
  ],
  docs: [
    'core',
    'protocol',
    'charts',
    'server/platform',
    'server/markets',
    'server/topics',
    'server/runs',
    'server/compute',
    'server/history',
    'server/exports',
    'server/accounts',
    'server/gateway',
    'server/http',
  ],
  portal: ['client', 'protocol', 'core', 'charts'],
  server: ['core', 'protocol'],
};

export const modules: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  config: ['platform'],
  tape: ['platform'],
  feeds: ['platform', 'tape'],
  markets: ['platform', 'config', 'tape', 'feeds'],
  imports: ['platform', 'tape', 'feeds', 'markets'],
  blocks: ['platform'],
  topics: ['platform', 'blocks'],
  runs: ['platform', 'tape', 'blocks'],
  engine: ['platform', 'tape', 'blocks', 'topics', 'runs'],
  results: ['platform', 'tape', 'blocks', 'runs'],
  compute: ['platform', 'tape', 'runs', 'results'],
  history: ['platform', 'config', 'tape', 'blocks', 'runs', 'results'],
  exports: ['platform', 'blocks', 'results', 'history'],
  accounts: ['platform'],
  gateway: ['platform', 'config', 'blocks', 'topics', 'runs', 'accounts'],
  echo: ['platform', 'gateway'],
  pages: ['platform', 'config'],
  billing: ['platform', 'config', 'accounts', 'pages'],
  'test-provider': ['platform', 'config', 'accounts', 'pages', 'billing'],
  mail: ['platform', 'config', 'accounts'],
  http: [
    'platform',
    'config',
    'topics',
    'runs',
    'engine',
    'results',
    'history',
    'exports',
    'accounts',
    'pages',
    'billing',
    'mail',
  ],
  operations: [
    'platform',
    'config',
    'tape',
    'markets',
    'topics',
    'engine',
    'compute',
    'accounts',
    'pages',
    'billing',
    'mail',
  ],
};

/** The homes of test support, lowest first: a file imports from its own home and lower ones. */
export const testHomes: readonly RegExp[] = [
  /^simulation\//,
  /^packages\/[^/]+\/testing\//,
  /^(?:tests|bench)\//,
];

/** Composes the process: it may import every module, and only an entry imports it. */
export const composing = 'process';
/** Entry points of the server, directly below `src`. They may import everything. */
export const entries: ReadonlySet<string> = new Set(['packages/server/src/serve.ts']);
/** Modules that may import other modules' adapters, as `process` may. */
export const namingAdapters: ReadonlySet<string> = new Set(['operations', composing]);

/** Adapters: files that bind a port to one technology. */
export const adapters: ReadonlySet<string> = new Set([
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

/** The folders of one adapter each. Only the listed files import them: those that select it or are about it. */
export const adapterFolders: Readonly<Record<string, readonly string[]>> = {
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
    'packages/server/src/operations/cluster/cluster-concerns.ts',
    'packages/server/src/operations/cluster/cluster-facts.ts',
    'packages/server/src/operations/cluster/cluster-status.ts',
    'packages/server/src/operations/cluster/open-cluster-tape.ts',
  ],
  'packages/server/src/markets/live/binance/': ['packages/server/src/markets/live/venues.ts'],
  'packages/server/src/markets/live/bybit/': ['packages/server/src/markets/live/venues.ts'],
  'packages/server/src/markets/live/coinbase/': ['packages/server/src/markets/live/venues.ts'],
  'packages/server/src/markets/live/databento/': ['packages/server/src/markets/live/venues.ts'],
  'packages/server/src/markets/live/deribit/': ['packages/server/src/markets/live/venues.ts'],
  'packages/server/src/markets/live/kraken-futures/': [
    'packages/server/src/markets/live/venues.ts',
  ],
  'packages/server/src/markets/live/okx/': ['packages/server/src/markets/live/venues.ts'],
};
