/** Why settled results are not to be had. */

import type { UtcDay } from '@tapeloom/core/numbers';

/** Days of the range are not on the tape, or known to be damaged. */
export class DaysMissingError extends Error {
  readonly contract: string;
  readonly days: readonly UtcDay[];

  constructor(contract: string, days: readonly UtcDay[]) {
    super(`${contract} lacks ${days.join(', ')}`);
    this.contract = contract;
    this.days = days;
  }
}

/** A sealed day that had to be read is not what was written. From now on it counts as missing. */
export class DayDamagedError extends Error {
  readonly contract: string;
  readonly day: UtcDay;

  constructor(contract: string, day: UtcDay, cause: unknown) {
    super(`${contract} ${day} is damaged: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
    this.contract = contract;
    this.day = day;
  }
}

/** The read was disposed of. */
export class ReadClosedError extends Error {
  constructor() {
    super('the read is closed');
  }
}

/** The days before the range are others by now: what follows would not fit what was read. */
export class ReadOutdatedError extends Error {
  constructor() {
    super('days before the range came to the tape or left it');
  }
}
