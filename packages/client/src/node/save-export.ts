/**
 * Saves an export as a file. It resumes after a lost connection, a killed program or a power failure. An export that
 * has started is never charged again, and an incomplete file never has the final name.
 */

import { createHash } from 'node:crypto';
import type { ExportPlace, ExportRequest, StudiesExportRequest } from '../export/export-reading.ts';
import type { IndicatorName } from '../indicator-objects.ts';
import { pastQuery } from '../rest/history-request.ts';
import { onceText } from '../rest/keys.ts';
import type { RestClient } from '../rest.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import { PartFile, type PartRecord } from './part-file.ts';

/** After a kill at most this much is downloaded again, plus the frame that was in progress. */
const KEEP_EVERY_BYTES = 4 * 1024 * 1024;
/** The last bytes of a table are downloaded again on a resume, so that its end is seen even if all of it is there. */
const TABLE_STEP_BACK_BYTES = 64;

export interface SaveOptions {
  /** Called whenever more has been saved. */
  readonly onProgress?: (progress: SaveProgress) => void;
  readonly signal?: AbortSignal;
  /** Discards what an earlier program left, and starts an export that is charged again. */
  readonly restart?: boolean;
}

export interface SaveProgress {
  /** Bytes of the file so far, including those saved by earlier programs. */
  readonly bytes: number;
  /** Lines of the export, including the header; 0 for a table. */
  readonly lines: number;
  /** Bytes that were there when this program started. */
  readonly bytesBefore: number;
  /** The time of the newest result, in nanoseconds since 1970, as a measure of progress. Null for a table. */
  readonly time: bigint | null;
  /** The index in the request of the study of that result; 0 if there is one study. */
  readonly study: number;
}

/** The part of an export that an earlier program has saved. */
export interface BegunExport {
  /** Bytes of the file. */
  readonly bytes: number;
  /** Lines of the export, including the header; 0 for a table. */
  readonly lines: number;
}

/** How much of this export an unfinished `saveExport` has left at `path`; null if nothing. */
export async function begunExport<I extends string = IndicatorName>(
  request: ExportRequest<I> | StudiesExportRequest,
  path: string,
): Promise<BegunExport | null> {
  const record = await PartFile.recordOf(path);
  if (record?.request !== digestOf(request as unknown as ExportRequest)) return null;
  return { bytes: record.place?.bytes ?? 0, lines: record.place?.lines ?? 0 };
}

export interface SavedExport {
  readonly path: string;
  readonly bytes: number;
  readonly lines: number;
  /** Digest of the file, in hexadecimal. */
  readonly sha256: string;
  /** Whether it resumed what an earlier program had left. */
  readonly isResumed: boolean;
}

/** Saves an export to `path`. An existing file is replaced once the new one is complete. */
export async function saveExport<I extends string = IndicatorName>(
  client: Pick<RestClient, 'export'>,
  request: ExportRequest<I> | StudiesExportRequest,
  path: string,
  options: SaveOptions = {},
): Promise<SavedExport> {
  const { restart = false } = options;
  if (restart) await PartFile.remove(path);
  const asked = digestOf(request as unknown as ExportRequest);
  const left = await PartFile.recordOf(path);
  if (left !== null && left.request !== asked) {
    throw new TapeloomError(
      'CONFIGURATION',
      `${path}.part is of another export: delete it and ${path}.part.json, or save to another path.`,
    );
  }
  const { idempotencyKey = onceText() } = request;
  const fresh = {
    version: 1,
    request: asked,
    idempotencyKey,
    place: null,
    isWhole: false,
  } as const;
  const record = left ?? fresh;
  // Written before the request: a program that crashes now repeats the same export, which is charged once.
  if (left === null) await PartFile.note(path, record);
  const lines = record.isWhole
    ? (record.place?.lines ?? 0)
    : await fetched(client, request, path, record, options);
  return { path, lines, isResumed: left !== null, ...(await PartFile.finish(path)) };
}

/** Downloads the file; returns the number of lines. */
async function fetched<I extends string>(
  client: Pick<RestClient, 'export'>,
  request: ExportRequest<I> | StudiesExportRequest,
  path: string,
  record: PartRecord,
  { onProgress, signal = request.signal }: SaveOptions,
): Promise<number> {
  const resume = startOf(record.place, request.format);
  const bytesBefore = resume?.bytes ?? 0;
  const { idempotencyKey } = record;
  const reading = client.export({
    ...(request as unknown as ExportRequest),
    idempotencyKey,
    ...(resume === null ? {} : { resume }),
    ...(signal === undefined ? {} : { signal }),
  });
  const part = await PartFile.open(path, bytesBefore);
  let place = resume;
  try {
    // The first piece is synced at once, to keep the token.
    let keepFrom = 0;
    for await (const piece of reading.bytes()) {
      await part.write(piece);
      place = reading.place;
      if (reading.length >= keepFrom) {
        keepFrom = reading.length + KEEP_EVERY_BYTES;
        await part.keep({ ...record, place });
      }
      const { length: bytes, lines, time, study } = reading;
      onProgress?.({ bytes, lines, bytesBefore, time, study });
      // Pieces that arrived together are handed out without a check of the signal.
      signal?.throwIfAborted();
    }
    await part.keep({ ...record, place, isWhole: true });
    return reading.lines;
  } catch (error) {
    // What was saved stays, and the next try resumes here. The first error matters, not one of keeping the record.
    if (place !== null) await part.keep({ ...record, place }).catch(() => {});
    else if (isRefusal(error)) await PartFile.remove(path);
    throw error;
  } finally {
    await part.close();
  }
}

/** The service rejected the first request: nothing was started or charged. */
function isRefusal(error: unknown): boolean {
  return error instanceof TapeloomError && error.status !== null && error.status < 500;
}

function startOf(place: ExportPlace | null, format: ExportRequest['format']): ExportPlace | null {
  if (place === null || format === undefined || format === 'ndjson') return place;
  return { ...place, bytes: Math.max(0, place.bytes - TABLE_STEP_BACK_BYTES) };
}

function digestOf(request: ExportRequest): string {
  const { format = 'ndjson' } = request;
  const asked = Object.entries({ ...pastQuery(request), format }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}
