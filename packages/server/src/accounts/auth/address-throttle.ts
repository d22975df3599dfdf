/**
 * Limits per address for callers without a key: failed authentications, unsigned webhooks, public requests and pages.
 * Only failures count as guesses, so a valid key is never rejected for the guesses of a neighbour. An IPv6 address
 * counts with its whole /64, which is what one customer is given. The number of remembered addresses is bounded; beyond
 * it the least recently active is evicted: an attacker with that many has an allowance for each anyway.
 */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import { isIpv4, parseIp } from '@tapeloom/core/entitlement/ip-range';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AllowanceVerdict } from '@tapeloom/core/quota/allowance';
import { DAY_NS_BIG } from '@tapeloom/core/units';
import { MemoryAllowances } from '../limits/memory-allowances.ts';

export const FAILURES_PER_MINUTE = 30;
export const PUBLIC_REQUESTS_PER_MINUTE = 600;
/** About fifty visits: a page and all that it loads. */
export const PAGE_REQUESTS_PER_MINUTE = 2_400;
/** For requests that payment providers should have signed. */
export const UNSIGNED_PER_MINUTE = 30;
const ADDRESSES_MAX = 100_000;
/** Addresses that sent a good signature; all providers together have a few dozen. */
const SIGNING_MAX = 1_000;
/** After a good signature an address stays admitted this long, whatever else it sends: it may be a proxy's address. */
const SIGNING_NS = DAY_NS_BIG;
const NETWORK_BITS = 64n;

export interface AddressThrottleLimits {
  readonly failuresPerMinute?: number;
  readonly publicRequestsPerMinute?: number;
  readonly pageRequestsPerMinute?: number;
  readonly unsignedPerMinute?: number;
  readonly addressesMax?: number;
}

export class AddressThrottle {
  readonly #failures: MemoryAllowances;
  readonly #publicRequests: MemoryAllowances;
  readonly #pageRequests: MemoryAllowances;
  readonly #unsigned: MemoryAllowances;
  /** When each address last sent a good signature; the latest is last. */
  readonly #signing = new Map<string, EpochNs>();
  readonly #failuresPerMinute: CountedLimit;
  readonly #publicRequestsPerMinute: CountedLimit;
  readonly #pageRequestsPerMinute: CountedLimit;
  readonly #unsignedPerMinute: CountedLimit;

  constructor(limits: AddressThrottleLimits = {}) {
    const { addressesMax = ADDRESSES_MAX } = limits;
    this.#failures = new MemoryAllowances(addressesMax);
    this.#publicRequests = new MemoryAllowances(addressesMax);
    this.#pageRequests = new MemoryAllowances(addressesMax);
    this.#unsigned = new MemoryAllowances(addressesMax);
    const { failuresPerMinute = FAILURES_PER_MINUTE } = limits;
    const { publicRequestsPerMinute = PUBLIC_REQUESTS_PER_MINUTE } = limits;
    this.#failuresPerMinute = { limit: failuresPerMinute, testLimit: null };
    const { pageRequestsPerMinute = PAGE_REQUESTS_PER_MINUTE } = limits;
    this.#publicRequestsPerMinute = { limit: publicRequestsPerMinute, testLimit: null };
    this.#pageRequestsPerMinute = { limit: pageRequestsPerMinute, testLimit: null };
    const { unsignedPerMinute = UNSIGNED_PER_MINUTE } = limits;
    this.#unsignedPerMinute = { limit: unsignedPerMinute, testLimit: null };
  }

  /** Addresses that were evicted early. */
  get forgottenTotal(): number {
    const kinds = [this.#failures, this.#publicRequests, this.#pageRequests, this.#unsigned];
    return kinds.reduce((sum, { forgottenTotal }) => sum + forgottenTotal, 0);
  }

  /** Counts a failed authentication. If it is not granted, respond that there were too many, not what was wrong. */
  failedAuthentication(now: EpochNs, address: string): AllowanceVerdict {
    return this.#failures.take(now, neighbourhood(address), this.#failuresPerMinute);
  }

  /** Whether one more failure of this address would be granted; counts nothing. */
  mayFail(now: EpochNs, address: string): boolean {
    return this.#failures.wouldGrant(now, neighbourhood(address), this.#failuresPerMinute);
  }

  /** Remembered addresses, counted once each for failures, requests, pages and unsigned requests. */
  get size(): number {
    return (
      this.#failures.size +
      this.#publicRequests.size +
      this.#pageRequests.size +
      this.#unsigned.size
    );
  }

  /** Counts a request to a public route. If it is not granted, reject the request. */
  publicRequest(now: EpochNs, address: string): AllowanceVerdict {
    return this.#publicRequests.take(now, neighbourhood(address), this.#publicRequestsPerMinute);
  }

  /**
   * Null admits a request that should be signed; it is not read yet, so nothing is counted. An address that sent too
   * much unsigned is rejected, unless it sent a good signature lately: a flood, even through the same proxy, keeps no
   * provider out.
   */
  signedRequest(now: EpochNs, address: string): AllowanceVerdict | null {
    const from = neighbourhood(address);
    if (this.isSigning(now, address)) return null;
    if (this.#unsigned.wouldGrant(now, from, this.#unsignedPerMinute)) return null;
    return this.#unsigned.take(now, from, this.#unsignedPerMinute);
  }

  /** Whether this address sent a good signature lately. */
  isSigning(now: EpochNs, address: string): boolean {
    const signedAt = this.#signing.get(neighbourhood(address));
    return signedAt !== undefined && now < signedAt + SIGNING_NS;
  }

  /** Records whether the request had a good signature; a missing one counts. */
  foundSigned(now: EpochNs, address: string, isSigned: boolean): void {
    const from = neighbourhood(address);
    if (!isSigned) {
      this.#unsigned.take(now, from, this.#unsignedPerMinute);
      return;
    }
    this.#signing.delete(from);
    this.#signing.set(from, now);
    if (this.#signing.size <= SIGNING_MAX) return;
    const [oldest] = this.#signing.keys();
    this.#signing.delete(oldest!);
  }

  /** Counts a page, or a file of one. If it is not granted, reject the request. */
  pageRequest(now: EpochNs, address: string): AllowanceVerdict {
    return this.#pageRequests.take(now, neighbourhood(address), this.#pageRequestsPerMinute);
  }
}

/** The network that counts as one address. All unreadable addresses count as one. */
export function neighbourhood(address: string): string {
  const ip = parseIp(address);
  if (ip === null) return '';
  return isIpv4(ip) ? ip.toString(16) : `${(ip >> NETWORK_BITS).toString(16)}/64`;
}
