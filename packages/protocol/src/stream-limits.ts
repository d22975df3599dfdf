/** The limits of a stream that all plans share. Both ends of a connection know them. */

import { MESSAGE_BYTES_MAX, SUB_BYTES_MAX } from './client-messages.ts';

export const STREAM_LIMITS = {
  /** A message of the client with all its fragments. */
  messageBytesMax: MESSAGE_BYTES_MAX,
  fragmentsMax: 1_024,
  /** Levels of objects and arrays in a message of the client. */
  nestingMax: 8,
  /** A subscription's name, in UTF-8. */
  subBytesMax: SUB_BYTES_MAX,
  /** Frames of the client, control frames included: on average, and in a burst. */
  framesPerSecond: 20,
  framesAtOnce: 100,
  /** From the opening to the `auth` of a client without a header. */
  authWithinMs: 5_000,
  /** From the creation of a stream token to its use. */
  tokenValidMs: 60_000,
  heartbeatMs: 5_000,
  /** The longest time without any frame of the client. */
  silenceMsMax: 30_000,
  /** From this much pending output on, intermediate versions of objects are skipped. */
  skipFromBytes: 262_144,
  /** At this much pending output the connection is closed. */
  waitingBytesMax: 1_048_576,
  snapshotBytesMax: 524_288,
  /** The age, in tape time, up to which every plan may resume from a cursor. */
  resumeMs: 900_000,
  /** How long the server waits for a cursor that is ahead of it. */
  aheadMsMax: 5_000,
} as const;
