/** The port of the REST allowance: requests per minute, by account, refilled continuously. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { AllowanceVerdict } from '@tapeloom/core/quota/allowance';

export interface Allowances {
  /** Takes one request of an account (or of whatever `who` names) with this limit per minute. */
  take(now: EpochNs, who: string, perMinute: number): Promise<AllowanceVerdict>;
}
