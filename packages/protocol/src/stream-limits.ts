/** The limits of a stream that are the same for every plan, as both ends of a connection know them. */

import { MESSAGE_BYTES_MAX, SUB_BYTES_MAX } from './client-messages.ts';

export const STREAM_LIMITS = {
  /** A message of the client, its fragments together. */
  messageBytesMax: MESSAGE_BYTES_MAX,
  fragmentsMax: 1_024,
  /** Levels of objects and arrays in a message of the client. */
  nestingMax: 8,
  /** A subscription's name, in UTF-8. */
  subBytesMax: SUB_BYTES_MAX,
  /** Frames of the client, control frames included: on average, and at once after a quiet time. */
  framesPerSecond: 20,
  framesAtOnce: 100,
  /** From the opening to the `auth` of a client that sent no header. */
  authWithinMs: 5_000,
  /** A stream token, from its making to its use. */
  tokenValidMs: 60_000,
  heartbeatMs: 5_000,
  /** Without any frame of the client. */
  silenceMsMax: 30_000,
  /** From this much waiting data on, intermediate versions of objects are skipped. */
  skipFromBytes: 262_144,
  /** At this much waiting data the connection closes. */
  waitingBytesMax: 1_048_576,
  snapshotBytesMax: 524_288,
  /** How old, in tape time, a cursor may be to be resumed from by everybody. */
  resumeMs: 900_000,
  /** How long a cursor ahead of the server is waited for. */
  aheadMsMax: 5_000,
} as const;
