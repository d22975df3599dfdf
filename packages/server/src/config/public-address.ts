/**
 * The public address of the service: the one source of links, of the servers in the contract, and of addresses in the
 * documentation. The operator configures it; it never comes from request headers. The default is the public port on
 * this machine.
 */

import {
  type IpRange,
  includes,
  isIpv4,
  parseIpRange,
  rangeText,
} from '@tapeloom/core/entitlement/ip-range';

const LOOPBACK_HOST = /^(?:localhost|[^/]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** These hosts mean listening on all addresses; they are no destination. */
const ANY_HOST = /^(?:0\.0\.0\.0|\[::\])$/;

/** Private networks may have any size, since no connection from the internet comes from there. */
const PRIVATE = [
  '10.0.0.0/8',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
  'fe80::/10',
].map((text) => parseIpRange(text)!);
/** The largest public network of proxies: the published ranges of a CDN. */
const IPV4_BITS_MAX = 20n;
const IPV6_BITS_MAX = 104n;

export const PUBLIC_URL_ACCEPTS =
  'an http or https address without a path, such as https://tapeloom.example.com';

/** Whether a text is an origin in the form that browsers use. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && origin === text;
}

/** Whether the address is reachable from this machine only. */
export function isLoopbackUrl(url: string): boolean {
  return LOOPBACK_HOST.test(new URL(url).hostname);
}

/** The origin at which this machine reaches a port that is open at `address`. */
export function addressHere(address: string): string {
  const url = new URL(address);
  if (ANY_HOST.test(url.hostname)) url.hostname = '127.0.0.1';
  return url.origin;
}

export class PublicAddress {
  readonly #isConfigured: boolean;
  #origin: string;

  /** `port`: the configured one, until `opened` sets the actual one. */
  constructor(configured: string | null, port: number) {
    this.#isConfigured = configured !== null;
    this.#origin = configured ?? `http://127.0.0.1:${port}`;
  }

  /** `https://tapeloom.example.com`, without a trailing slash. */
  get origin(): string {
    return this.#origin;
  }

  /** The same for the stream: `wss://tapeloom.example.com`. */
  get streamOrigin(): string {
    return this.#origin.replace(/^http/, 'ws');
  }

  get isSecure(): boolean {
    return this.#origin.startsWith('https:');
  }

  get isLoopback(): boolean {
    return isLoopbackUrl(this.#origin);
  }

  /** Warnings for the operator at the start. The service has no TLS of its own, so an https address implies a proxy. */
  concerns(trustedProxies: readonly IpRange[]): readonly string[] {
    const far = trustedProxies.filter(isFarTooWide).map(rangeText);
    return [
      ...far.map(
        (range) =>
          `TAPELOOM_TRUSTED_PROXIES contains ${range}, which is more than your proxies: every client in that range can claim any address and so bypass rate limits and the allowed addresses of keys`,
      ),
      ...this.#addressConcerns(trustedProxies.length > 0),
    ];
  }

  #addressConcerns(trustsProxies: boolean): readonly string[] {
    if (this.isLoopback) return [];
    if (!this.isSecure) {
      return ['users sign in without TLS: set TAPELOOM_PUBLIC_URL to an https address'];
    }
    if (trustsProxies) return [];
    return [
      'all users behind your proxy share one address and its limits of links and new accounts: set TAPELOOM_TRUSTED_PROXIES',
    ];
  }

  opened(address: string): void {
    if (this.#isConfigured) return;
    this.#origin = addressHere(address);
  }
}

function isFarTooWide(range: IpRange): boolean {
  if (PRIVATE.some((own) => includes(own, range))) return false;
  const bitsMax = isIpv4(range.first) ? IPV4_BITS_MAX : IPV6_BITS_MAX;
  return range.last - range.first >= 1n << bitsMax;
}
