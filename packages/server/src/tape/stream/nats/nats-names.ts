/** The names of a shared tape's streams, subjects and buckets. Nothing else may be stored under these names. */

import type { StreamSubject } from '../tape-stream.ts';

export const STREAM_SUBJECTS: readonly StreamSubject[] = ['record', 'claim', 'book'];

export function streamName(dataset: string): string {
  return `TAPE_${safeName(dataset)}`;
}

export function bucketName(dataset: string): string {
  return `TAPE_${safeName(dataset)}`;
}

/** The stream that implements a bucket. */
export function bucketStreamName(dataset: string): string {
  return `OBJ_${bucketName(dataset)}`;
}

/** The subject of an object's note; names of objects are words separated by dots. */
export function noteSubject(dataset: string, name: string): string {
  return `$O.${bucketName(dataset)}.M.${name}`;
}

export function pieceSubject(dataset: string, content: string, index: number | '*'): string {
  return `$O.${bucketName(dataset)}.C.${content}.${index}`;
}

export function subjectName(dataset: string, subject: StreamSubject): string {
  return `tape.${safeName(dataset)}.${subject}`;
}

/** Plain messages from the leader: no stream stores them. */
export function beatSubject(dataset: string): string {
  return `tape.${safeName(dataset)}.beat`;
}

/** Plain messages to the leader: a reader waits for a watermark. */
export function watermarkSubject(dataset: string): string {
  return `tape.${safeName(dataset)}.watermark`;
}

/** Escapes characters that NATS does not accept by their code, so that distinct datasets keep distinct names. */
function safeName(dataset: string): string {
  return dataset.replaceAll(
    /[^0-9A-Za-z-]/g,
    (sign) => `_${sign.codePointAt(0)!.toString(16).padStart(2, '0')}`,
  );
}
