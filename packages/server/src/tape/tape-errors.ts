/** Failures of a tape. Each names the place, so that an operator can look there. */

/** A file of the tape differs from what was written. It is never repaired silently. */
export class TapeDamagedError extends Error {
  readonly file: string;
  /** Where in the file, in bytes. */
  readonly offset: number;
  /** Which record of a log, or which record batch of a sealed day, counted from 0; null for neither. */
  readonly record: number | null;

  constructor(
    what: string,
    place: { readonly file: string; readonly offset: number; readonly record?: number },
    cause?: unknown,
  ) {
    const record = place.record === undefined ? '' : `, record ${place.record}`;
    super(`${what}: ${place.file} at byte ${place.offset}${record}`, { cause });
    this.file = place.file;
    this.offset = place.offset;
    this.record = place.record ?? null;
  }
}

/** A log that was begun is missing, and acknowledged trades with it: continuing would assign their ranks again. */
export class LogMissingError extends Error {
  constructor(file: string, manifest: string) {
    super(
      `${file} is missing, although ${manifest} names it: its trades were acknowledged. Restore it, ` +
        'or remove the manifest to continue without them',
    );
  }
}

/** A write or sync failed: the tape takes no more trades until it is opened again. */
export class TapeFailedError extends Error {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`the tape has stopped and accepts no more trades: ${why}`, { cause });
  }
}

/** The tape was closed before this offer was on disk. */
export class TapeClosedError extends Error {
  constructor() {
    super('the tape is closed');
  }
}

/** A named limit of the intake is reached: this offer was rejected and may be repeated. */
export class IntakeFullError extends Error {
  constructor(what: string, limit: number) {
    super(`the intake is full: more than ${limit} ${what}`);
  }
}

/** Two versions of one day of a contract: it is sealed already, with other content. */
export class DayConflictError extends Error {
  constructor(dataset: string, symbol: string, day: number, what: string) {
    super(`${dataset} ${symbol} ${day} ${what}`);
  }
}
