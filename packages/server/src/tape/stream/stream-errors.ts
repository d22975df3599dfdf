/** Reasons why a stream can no longer be appended to or followed. Each names the position. */

/** Another writer has appended: this writer is over, and its unresolved append was not stored. */
export class FencedError extends Error {
  /** The number that this writer expected to get. */
  readonly sequence: number;

  constructor(writer: string, sequence: number, by: string | null) {
    super(`${writer} is fenced: number ${sequence} of the stream is of ${by ?? 'somebody else'}`);
    this.sequence = sequence;
  }
}

/** The stream accepts nothing, or nothing of that size: an operator has to raise its limits. */
export class StreamRefusedError extends Error {
  readonly why: 'full' | 'tooLarge';

  constructor(why: 'full' | 'tooLarge', bodyBytes: number) {
    super(
      why === 'full'
        ? 'the stream is full: increase its max_bytes'
        : `the stream accepts no message of ${bodyBytes} bytes: increase max_payload of its servers`,
    );
    this.why = why;
  }
}

/** The writer was abandoned while its last message's outcome was unknown. The message may be stored, now or later. */
export class AppendAbandonedError extends Error {
  constructor(sequence: number) {
    super(
      `whether number ${sequence} of the stream is stored was not known when its writer was given up`,
    );
  }
}

/** The stream provably lost acknowledged messages: nothing is appended until it is repaired. */
export class StreamShrunkError extends Error {
  /** The last number that was known to be stored. */
  readonly known: number;
  /** The last number that is left. */
  readonly end: number;

  constructor(known: number, end: number) {
    super(
      `the stream has lost records that it acknowledged: it ended at ${known}, and now at ${end}`,
    );
    this.known = known;
    this.end = end;
  }
}

/** The requested number is purged: days and parts must be fetched elsewhere, and following restarts behind them. */
export class StreamPurgedError extends Error {
  /** The first number that still exists. */
  readonly first: number;

  constructor(wanted: number, first: number) {
    super(`number ${wanted} of the stream was purged; the stream begins with ${first}`);
    this.first = first;
  }
}

/** The stream violated its contract: a fault of this program or of the server, from which nothing can resume. */
export class StreamFaultError extends Error {}
