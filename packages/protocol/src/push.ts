/**
 * The messages of the push endpoint on the internal port: a feed handler pushes batches of trades and reads the
 * position from which it resumes. The endpoint is for the operator's programs and no part of the public interface.
 */

export const PUSH_PATH = '/internal/trades';
export const PUSH_POSITION_PATH = '/internal/trades/position';
/** The header with the batch's id: 1 to 128 visible ASCII characters. */
export const PUSH_BATCH_HEADER = 'tapeloom-batch';
export const PUSH_BATCH_ID = /^[\x21-\x7e]{1,128}$/;
export const PUSH_TRADES_MAX = 200_000;
export const PUSH_BYTES_MAX = 16 * 1_048_576;
export const NDJSON_TYPE = 'application/x-ndjson';
export const DBN_TYPE = 'application/x-dbn';

/** What became of a batch. It is sent after the trades are on disk. Times are nanoseconds since 1970. */
export interface PushReceipt {
  readonly batch: string;
  /** Whether the batch was acknowledged before. The counts are then those of its first acknowledgement. */
  readonly repeated: boolean;
  /** The counts are null for a batch that was acknowledged before a restart. */
  readonly counts: PushCounts | null;
  /** The gaps whose trades were left out. */
  readonly gaps: readonly PushGap[];
  /** The time before which nothing will follow; null on an empty tape. */
  readonly watermark: string | null;
}

export interface PushCounts {
  /** The trades of the batch: `accepted` + `duplicates` + `tooOld` + `inGap`. */
  readonly trades: number;
  readonly accepted: number;
  /** How many of the accepted ones came after the watermark had passed their time; the tape gives them its time. */
  readonly late: number;
  /** Left out: their numbers are on the tape already. */
  readonly duplicates: number;
  /** Left out: their numbers are so far below the last one that the tape no longer knows whether it has them. */
  readonly tooOld: number;
  /** Left out: they lie in a recorded gap, which only a repair from files can fill. */
  readonly inGap: number;
}

export interface PushGap {
  readonly contract: string;
  readonly from: string;
  /** Null: the gap still grows. */
  readonly to: string | null;
  readonly firstId: number | null;
  readonly lastId: number | null;
  readonly reason: string;
}

/** Where a feed handler resumes. */
export interface PushPosition {
  readonly dataset: string;
  readonly watermark: string | null;
  readonly contracts: readonly PushContractPosition[];
  /** The recorded gaps of the open days. */
  readonly gaps: readonly PushGap[];
}

export interface PushContractPosition {
  readonly contract: string;
  /** The highest trade number on disk. */
  readonly lastId: number;
  /** The time of that trade; null if it came before the last restart. */
  readonly lastTime: string | null;
}

/** The errors of the endpoint. */
export const PUSH_ERRORS = {
  INVALID_BATCH: { status: 400, title: 'Invalid batch' },
  UNAUTHORIZED: { status: 401, title: 'Not authenticated' },
  UNKNOWN_DATASET: { status: 404, title: 'Unknown dataset' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  BODY_TOO_SLOW: { status: 408, title: 'Body too slow' },
  BATCH_CONFLICT: { status: 409, title: 'Batch conflict' },
  TOO_LARGE: { status: 413, title: 'Batch too large' },
  UNSUPPORTED_TYPE: { status: 415, title: 'Unsupported content type' },
  OFF_TICK_PRICE: { status: 422, title: 'Price off the tick grid' },
  BUSY: { status: 429, title: 'Too much is waiting' },
  INTERNAL: { status: 500, title: 'Internal error' },
  NO_LEADER: { status: 503, title: 'No leader' },
  TAPE_STOPPED: { status: 503, title: 'The tape has stopped' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type PushErrorCode = keyof typeof PUSH_ERRORS;

/** One fault of a batch. */
export interface PushFault {
  /** The line of an NDJSON body or the record of a DBN body, from 1; null: the batch as a whole. */
  readonly line: number | null;
  /** A JSON pointer to the field in that line, or the name of a header or query parameter; "" for a whole line. */
  readonly path: string;
  readonly message: string;
}

/** A price between two ticks: the batch was refused and its contract counts as down. */
export interface OffTickPrice {
  readonly contract: string;
  /** As it was sent. */
  readonly price: string;
  readonly tick: string;
  readonly line: number;
}

/** The error document (`application/problem+json`). */
export interface PushProblem {
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: PushErrorCode;
  readonly errors?: readonly PushFault[];
  /** With `OFF_TICK_PRICE`. */
  readonly offTick?: OffTickPrice;
}
