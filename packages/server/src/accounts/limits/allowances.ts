/**
 * The port of the REST allowance: requests per minute and account, refilled continuously. Requests of test keys also
 * count at an allowance of their own.
 */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AllowanceVerdict } from '@tapeloom/core/quota/allowance';

export interface Allowances {
  /**
   * Takes one request of an account (or of whatever `who` names), within these limits per minute. The result is a
   * promise only if there is something to wait for.
   */
  take(
    now: EpochNs,
    who: string,
    perMinute: CountedLimit,
  ): Promise<AllowanceVerdict> | AllowanceVerdict;
  readonly size: number;
  /** Entries that were evicted before their allowance was full again. */
  readonly forgottenTotal: number;
}
