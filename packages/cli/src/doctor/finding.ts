/** The result of a check of `tapeloom doctor`, with advice. */

/** `skipped`: it could not be checked, or another command checks it. */
export type Outcome = 'ok' | 'warning' | 'error' | 'skipped';

export interface Finding {
  /** The subject of the check, in one or two words. */
  readonly check: string;
  readonly outcome: Outcome;
  readonly detail: string;
  /** What to do, in a sentence; null: nothing. */
  readonly advice: string | null;
}

export function ok(check: string, detail: string): Finding {
  return { check, outcome: 'ok', detail, advice: null };
}

export function warning(check: string, detail: string, advice: string): Finding {
  return { check, outcome: 'warning', detail, advice };
}

export function fault(check: string, detail: string, advice: string): Finding {
  return { check, outcome: 'error', detail, advice };
}

export function skipped(check: string, detail: string, advice: string | null = null): Finding {
  return { check, outcome: 'skipped', detail, advice };
}
