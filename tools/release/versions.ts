/**
 * The product's version, wherever it is written: all packages, the lockfile, the Helm chart, and examples in two
 * guides. Functions from texts to texts, without file access.
 */

import { ReleaseError } from './release-error.ts';

export const MANIFESTS = ['package.json', 'packages/*/package.json', 'bench/package.json'];
export const LOCKFILE = 'package-lock.json';
export const CHART = 'deploy/helm/tapeloom/Chart.yaml';
/** Guides that show the version. */
export const GUIDES = ['docs/quick-start.md', 'docs/operating/containers.md'];

const SEMANTIC = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[\w.]+)?$/;

interface Manifest {
  version?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** The common version of all manifests; throws if one differs, or depends on another version of our packages. */
export function commonVersion(manifests: ReadonlyMap<string, string>): string {
  const version = manifestIn(manifests, 'package.json').version ?? '';
  requireSemantic(version);
  const differing = [...manifests.keys()].flatMap((path) => {
    const manifest = manifestIn(manifests, path);
    const own = manifest.version === version ? [] : [`${path} has ${manifest.version}`];
    const named = ownDependencies(manifest).filter(([, of]) => of !== version);
    return [...own, ...named.map(([name, of]) => `${path} needs ${name} ${of}`)];
  });
  if (differing.length > 0) {
    throw new ReleaseError(
      `The packages do not have one version: package.json has ${version}, but ${differing.join(', ')}. ` +
        'Give them all the same version and commit that.',
    );
  }
  return version;
}

/** Throws if `next` is older than `current`. */
export function requireNotOlder(next: string, current: string): void {
  requireSemantic(next);
  if (compare(next, current) < 0) {
    throw new ReleaseError(
      `${next} is older than ${current}, which package.json has. Name a version from ${current} on.`,
    );
  }
}

export function withVersion(path: string, text: string, current: string, next: string): string {
  if (path === LOCKFILE) return lockfileText(text, next);
  if (path === CHART) {
    return text
      .replace(/^version: .*$/m, `version: ${next}`)
      .replace(/^appVersion: .*$/m, `appVersion: "${next}"`);
  }
  if (GUIDES.includes(path)) {
    return text
      .replaceAll(`Tapeloom ${current} is ready`, `Tapeloom ${next} is ready`)
      .replaceAll(`/tapeloom:${current}`, `/tapeloom:${next}`);
  }
  const manifest = JSON.parse(text) as Manifest;
  manifest.version = next;
  nameOwn(manifest, next);
  return json(manifest);
}

function lockfileText(text: string, next: string): string {
  const lockfile = JSON.parse(text) as Manifest & { packages: Record<string, Manifest> };
  lockfile.version = next;
  for (const [path, manifest] of Object.entries(lockfile.packages)) {
    if (path.includes('node_modules/')) continue;
    manifest.version = next;
    nameOwn(manifest, next);
  }
  return json(lockfile);
}

function nameOwn(manifest: Manifest, next: string): void {
  for (const dependencies of [manifest.dependencies, manifest.devDependencies]) {
    for (const name of Object.keys(dependencies ?? {})) {
      if (isOwn(name)) dependencies![name] = next;
    }
  }
}

function ownDependencies(manifest: Manifest): readonly [string, string][] {
  const all = { ...manifest.dependencies, ...manifest.devDependencies };
  return Object.entries(all).filter(([name]) => isOwn(name));
}

function isOwn(name: string): boolean {
  return name.startsWith('@tapeloom/');
}

function manifestIn(manifests: ReadonlyMap<string, string>, path: string): Manifest {
  return JSON.parse(manifests.get(path) ?? '{}') as Manifest;
}

function requireSemantic(version: string): void {
  if (!SEMANTIC.test(version)) {
    throw new ReleaseError(`"${version}" is no version. Name one such as 1.2.0.`);
  }
}

/** A prerelease such as 1.0.0-rc.1 is older than its release. */
function compare(one: string, other: string): number {
  const parts = (version: string) => SEMANTIC.exec(version)!.slice(1, 4).map(Number);
  const [a, b] = [parts(one), parts(other)];
  const at = a.findIndex((part, index) => part !== b[index]);
  if (at >= 0) return a[at]! - b[at]!;
  const [aEnd, bEnd] = [one, other].map((version) => version.split('-')[1] ?? '');
  if (aEnd === bEnd) return 0;
  if (aEnd === '' || bEnd === '') return aEnd === '' ? 1 : -1;
  return aEnd!.localeCompare(bEnd!, 'en', { numeric: true });
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
