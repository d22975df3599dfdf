/** Units of integers since 1970. */

import { SECOND_NS_BIG } from '@tapeloom/core/units';

export const UNIT_NS = { s: SECOND_NS_BIG, ms: 1_000_000n, us: 1_000n, ns: 1n } as const;
export type ExactUnit = keyof typeof UNIT_NS;

export const UNIT_OF_DIGITS: ReadonlyMap<number, ExactUnit> = new Map([
  [10, 's'],
  [13, 'ms'],
  [16, 'us'],
  [19, 'ns'],
]);
