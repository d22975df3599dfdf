/**
 * Reads an image's digest through the registry's HTTP API (OCI distribution), without a container engine: that of the
 * multi-platform index if there is one. The digest is computed from the bytes and must equal the registry's.
 */

import { createHash } from 'node:crypto';
import type { Image } from './pin-text.ts';

const ACCEPT = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const HOSTS: Readonly<Record<string, string>> = {
  'docker.io': 'https://registry-1.docker.io',
  'ghcr.io': 'https://ghcr.io',
  'quay.io': 'https://quay.io',
};

/** `host`: the registry's address, if not its public one. */
export async function registryDigest(
  { registry, name, tag }: Image,
  host: string | undefined = HOSTS[registry],
): Promise<string> {
  if (host === undefined) throw new Error(`the registry ${registry} is not known`);
  const url = `${host}/v2/${name}/manifests/${tag}`;
  let response = await fetch(url, { headers: { accept: ACCEPT } });
  if (response.status === 401) {
    const token = await tokenFor(response.headers.get('www-authenticate') ?? '', name);
    const authorization = `Bearer ${token}`;
    response = await fetch(url, { headers: { accept: ACCEPT, authorization } });
  }
  if (!response.ok)
    throw new Error(`${registry}/${name}:${tag}: ${host} answers ${response.status}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const told = response.headers.get('docker-content-digest');
  if (told !== null && told !== digest) {
    throw new Error(
      `${registry}/${name}:${tag}: the registry names ${told}, its bytes are ${digest}`,
    );
  }
  return digest;
}

/** A public image is readable with an anonymous token. */
async function tokenFor(challenge: string, name: string): Promise<string> {
  const part = (key: string) => new RegExp(`\\b${key}="([^"]*)"`).exec(challenge)?.[1];
  const realm = part('realm');
  if (realm === undefined) throw new Error(`${name}: the registry does not say who gives tokens`);
  const url = new URL(realm);
  url.searchParams.set('service', part('service') ?? '');
  url.searchParams.set('scope', part('scope') ?? `repository:${name}:pull`);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${name}: ${url.origin} gives no token (${response.status})`);
  const { token, access_token } = (await response.json()) as Partial<Record<string, string>>;
  const given = token ?? access_token;
  if (given === undefined) throw new Error(`${name}: ${url.origin} gives no token`);
  return given;
}
