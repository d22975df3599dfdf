/** Why nothing more can be appended to, or followed on, a stream. Each says where it stands. */

/** Somebody else has appended: this writer's time is over, and what it had not been told of was never stored. */
export class FencedError extends Error {
  /** The number that this writer wanted. */
  readonly sequence: number;

  constructor(writer: string, sequence: number, by: string | null) {
    super(`${writer} is fenced: number ${sequence} of the stream is of ${by ?? 'somebody else'}`);
    this.sequence = sequence;
  }
}

/** The stream takes nothing, or nothing of that size: an operator has to give it room. */
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

/** The writer was given up while nobody knew whether its last message is stored. It may be, now or later. */
export class AppendAbandonedError extends Error {
  constructor(sequence: number) {
    super(
      `whether number ${sequence} of the stream is stored was not known when its writer was given up`,
    );
  }
}

/** The stream has lost what it had acknowledged, which is proved: nobody appends until it is repaired. */
export class StreamShrunkError extends Error {
  /** The last number that was known to be stored. */
  readonly known: number;
  /** The last number that was left. */
  readonly end: number;

  constructor(known: number, end: number) {
    super(
      `the stream has lost records that it acknowledged: it ended at ${known}, and now at ${end}`,
    );
    this.known = known;
    this.end = end;
  }
}

/** What was asked for is purged: days and parts have to be fetched elsewhere, and following begun again behind them. */
export class StreamPurgedError extends Error {
  /** The first number there still is. */
  readonly first: number;

  constructor(wanted: number, first: number) {
    super(`number ${wanted} of the stream was purged; the stream begins with ${first}`);
    this.first = first;
  }
}

/** The stream has done what it never does: a fault of ours or of its keeper, not to be gone on from. */
export class StreamFaultError extends Error {}
