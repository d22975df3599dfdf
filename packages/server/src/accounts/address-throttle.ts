/**
 * How much one address may try without a key: guesses at keys, requests to public routes, and pages. Only what
 * failed is counted as a guess, so an address that sends a valid key is never refused for the guesses of
 * a neighbour. An IPv6 address counts with the others of its /64, which is what one customer is given.
 *
 * A bounded number of addresses is remembered. Beyond it the one that tried longest ago is forgotten
 * early: who can afford that many addresses in a minute has an allowance for each of them anyway.
 */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import { isIpv4, parseIp } from '@tapeloom/core/entitlement/ip-range';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AllowanceVerdict } from '@tapeloom/core/quota/allowance';
import { MemoryAllowances } from './memory-allowances.ts';

export const FAILURES_PER_MINUTE = 30;
export const PUBLIC_REQUESTS_PER_MINUTE = 600;
/** Some fifty visits: a page and all that it loads. */
export const PAGE_REQUESTS_PER_MINUTE = 2_400;
const ADDRESSES_MAX = 100_000;
const NETWORK_BITS = 64n;

export interface AddressThrottleLimits {
  readonly failuresPerMinute?: number;
  readonly publicRequestsPerMinute?: number;
  readonly pageRequestsPerMinute?: number;
  readonly addressesMax?: number;
}

export class AddressThrottle {
  readonly #failures: MemoryAllowances;
  readonly #publicRequests: MemoryAllowances;
  readonly #pageRequests: MemoryAllowances;
  readonly #failuresPerMinute: CountedLimit;
  readonly #publicRequestsPerMinute: CountedLimit;
  readonly #pageRequestsPerMinute: CountedLimit;

  constructor(limits: AddressThrottleLimits = {}) {
    const { addressesMax = ADDRESSES_MAX } = limits;
    this.#failures = new MemoryAllowances(addressesMax);
    this.#publicRequests = new MemoryAllowances(addressesMax);
    this.#pageRequests = new MemoryAllowances(addressesMax);
    const { failuresPerMinute = FAILURES_PER_MINUTE } = limits;
    const { publicRequestsPerMinute = PUBLIC_REQUESTS_PER_MINUTE } = limits;
    this.#failuresPerMinute = { limit: failuresPerMinute, testLimit: null };
    const { pageRequestsPerMinute = PAGE_REQUESTS_PER_MINUTE } = limits;
    this.#publicRequestsPerMinute = { limit: publicRequestsPerMinute, testLimit: null };
    this.#pageRequestsPerMinute = { limit: pageRequestsPerMinute, testLimit: null };
  }

  /** Addresses that were forgotten early. */
  get forgottenTotal(): number {
    const kinds = [this.#failures, this.#publicRequests, this.#pageRequests];
    return kinds.reduce((sum, { forgottenTotal }) => sum + forgottenTotal, 0);
  }

  /** Counts a failed authentication; not granted: answer that it was too many, not what was wrong. */
  failedAuthentication(now: EpochNs, address: string): AllowanceVerdict {
    return this.#failures.takeNow(now, neighbourhood(address), this.#failuresPerMinute);
  }

  /** Whether one more failure of this address would be granted; counts nothing. */
  mayFail(now: EpochNs, address: string): boolean {
    return this.#failures.wouldGrant(now, neighbourhood(address), this.#failuresPerMinute);
  }

  /** Addresses of which something is remembered, once for failures, for requests and for pages. */
  get size(): number {
    return this.#failures.size + this.#publicRequests.size + this.#pageRequests.size;
  }

  /** Counts a request to a public route; not granted: refuse it. */
  publicRequest(now: EpochNs, address: string): AllowanceVerdict {
    return this.#publicRequests.takeNow(now, neighbourhood(address), this.#publicRequestsPerMinute);
  }

  /** Counts a page, or a file of one; not granted: refuse it. */
  pageRequest(now: EpochNs, address: string): AllowanceVerdict {
    return this.#pageRequests.takeNow(now, neighbourhood(address), this.#pageRequestsPerMinute);
  }
}

/** What counts as one address. All that cannot be read count as one. */
export function neighbourhood(address: string): string {
  const ip = parseIp(address);
  if (ip === null) return '';
  return isIpv4(ip) ? ip.toString(16) : `${(ip >> NETWORK_BITS).toString(16)}/64`;
}
