/** What can be wrong with a tape. Each failure says where, so that an operator can go and look. */

/** A file of the tape is not what was written: it is never repaired in silence. */
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

/** A log that was begun is gone, and with it what was acknowledged: going on would give its ranks again. */
export class LogMissingError extends Error {
  constructor(file: string, manifest: string) {
    super(
      `${file} is missing, although ${manifest} names it: its trades were acknowledged. Restore it, ` +
        'or remove the manifest to continue without them',
    );
  }
}

/** A write or sync failed: the tape takes nothing more until it is opened anew. */
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

/** A named limit of the intake is reached: this offer was not taken and may be made again. */
export class IntakeFullError extends Error {
  constructor(what: string, limit: number) {
    super(`the intake is full: more than ${limit} ${what}`);
  }
}

/** Two truths for one day of a contract: it is sealed already, with other content. */
export class DayConflictError extends Error {
  constructor(dataset: string, symbol: string, day: number, what: string) {
    super(`${dataset} ${symbol} ${day} ${what}`);
  }
}
