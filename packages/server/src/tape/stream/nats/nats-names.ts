/** What streams, subjects and buckets of a dataset's shared tape are called. Nothing else may be stored under these names. */

import type { StreamSubject } from '../tape-stream.ts';

export const STREAM_SUBJECTS: readonly StreamSubject[] = ['record', 'claim', 'book'];

export function streamName(dataset: string): string {
  return `TAPE_${safeName(dataset)}`;
}

export function bucketName(dataset: string): string {
  return `TAPE_${safeName(dataset)}`;
}

/** The stream behind a bucket. */
export function bucketStreamName(dataset: string): string {
  return `OBJ_${bucketName(dataset)}`;
}

/** Where the note of an object is; the names of objects are words with dots between. */
export function noteSubject(dataset: string, name: string): string {
  return `$O.${bucketName(dataset)}.M.${name}`;
}

export function pieceSubject(dataset: string, content: string, index: number | '*'): string {
  return `$O.${bucketName(dataset)}.C.${content}.${index}`;
}

export function subjectName(dataset: string, subject: StreamSubject): string {
  return `tape.${safeName(dataset)}.${subject}`;
}

/** Plain messages of who appends: no stream stores them. */
export function beatSubject(dataset: string): string {
  return `tape.${safeName(dataset)}.beat`;
}

/** Plain messages to who appends: a reader waits for a watermark. */
export function watermarkSubject(dataset: string): string {
  return `tape.${safeName(dataset)}.watermark`;
}

/** Two names stay two: what NATS does not take in a name is written by its code. */
function safeName(dataset: string): string {
  return dataset.replaceAll(
    /[^0-9A-Za-z-]/g,
    (sign) => `_${sign.codePointAt(0)!.toString(16).padStart(2, '0')}`,
  );
}
