/** What an intake without notes answers, for doubles that take only trades. */

import type { Intake, OfferCounts } from '../../src/tape/write/intake.ts';

export const NO_COUNTS: OfferCounts = { duplicate: 0, tooOld: 0, late: 0, rejected: 0 };

export const NO_NOTES: Pick<Intake, 'position' | 'batch' | 'gaps'> = {
  position: () => null,
  batch: () => null,
  gaps: [],
};
