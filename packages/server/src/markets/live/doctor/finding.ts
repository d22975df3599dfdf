/** The result of one check of a venue, with what was measured. */

/** `skipped`: it could not be checked, and `measured` says why. */
export type DoctorOutcome = 'ok' | 'warning' | 'failed' | 'skipped';

export interface DoctorFinding {
  readonly check: string;
  readonly outcome: DoctorOutcome;
  readonly measured: string;
}

export function found(check: string, outcome: DoctorOutcome, measured: string): DoctorFinding {
  return { check, outcome, measured };
}
