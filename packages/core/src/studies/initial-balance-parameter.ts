/** The parameter of every indicator with an initial balance, so that it means the same in all. */

import type { ParameterDefinition } from './indicator.ts';

const MINUTES_PER_DAY = 1_440;

export const INITIAL_BALANCE_PARAMETER: ParameterDefinition = {
  name: 'initialBalanceMinutes',
  type: 'integer',
  default: 60,
  minimum: 1,
  maximum: MINUTES_PER_DAY,
  unit: 'minutes',
  description: "Length of the initial balance, which begins at the session's open.",
};
