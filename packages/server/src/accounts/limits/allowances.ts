/**
 * The port of the REST allowance: requests per minute, by account, refilled continuously. Those of test keys
 * count at an allowance of their own besides.
 */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AllowanceVerdict } from '@tapeloom/core/quota/allowance';

export interface Allowances {
  /**
   * Takes one request of an account (or of whatever `who` names), within these limits per minute. What need not be
   * waited for is no promise.
   */
  take(
    now: EpochNs,
    who: string,
    perMinute: CountedLimit,
  ): Promise<AllowanceVerdict> | AllowanceVerdict;
  /** How many are remembered. */
  readonly size: number;
  /** Those that were forgotten before they had everything back. */
  readonly forgottenTotal: number;
}
