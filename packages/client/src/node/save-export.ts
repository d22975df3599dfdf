/**
 * An export saved as a file. It goes on where it was after anything: a broken line, a killed program, a
 * machine without power. An export that has begun is never charged again, and no half file ever has the name
 * of a whole one.
 */

import { createHash } from 'node:crypto';
import type { ExportPlace, ExportRequest, StudiesExportRequest } from '../export/export-reading.ts';
import type { IndicatorName } from '../indicator-objects.ts';
import { pastQuery } from '../rest/history-request.ts';
import { onceText } from '../rest/keys.ts';
import type { RestClient } from '../rest.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import { PartFile, type PartRecord } from './part-file.ts';

/** So much is fetched again at most after a kill, beside the frame that was under way. */
const KEEP_EVERY_BYTES = 4 * 1024 * 1024;
/** Of a table: fetched again, so that its end is seen by whoever finds all of it there. */
const TABLE_STEP_BACK_BYTES = 64;

export interface SaveOptions {
  /** Called when more has been saved. */
  readonly onProgress?: (progress: SaveProgress) => void;
  readonly signal?: AbortSignal;
  /** Forgets what an earlier program left, and begins an export that is charged anew. */
  readonly restart?: boolean;
}

export interface SaveProgress {
  /** Of the file, so far; those that were there before included. */
  readonly bytes: number;
  /** Of the export, the header included; 0 of a table. */
  readonly lines: number;
  /** What was there already when this program began. */
  readonly bytesBefore: number;
  /** Of the newest result that came, nanoseconds since 1970: how far the range is read. Null of a table. */
  readonly time: bigint | null;
  /** Of several studies the one of that result, by its place in the request; else 0. */
  readonly study: number;
}

/** What an earlier program has left. */
export interface BegunExport {
  /** Of the file. */
  readonly bytes: number;
  /** Of the export, the header included; 0 of a table. */
  readonly lines: number;
}

/** What is there of this very export, if `saveExport` has begun it and not finished; null: nothing. */
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
  /** Of the file, as hexadecimal text. */
  readonly sha256: string;
  /** Whether it went on with what an earlier program had left. */
  readonly isResumed: boolean;
}

/** Saves an export to `path`; what is there is replaced when the new file is whole. */
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
  // Before anything is asked for: a program that dies now asks for the same export again.
  if (left === null) await PartFile.note(path, record);
  const lines = record.isWhole
    ? (record.place?.lines ?? 0)
    : await fetched(client, request, path, record, options);
  return { path, lines, isResumed: left !== null, ...(await PartFile.finish(path)) };
}

/** The number of lines, once all of the file is there. */
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
    // The token is kept with the first piece.
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
      // What has come in one piece is handed out without a look at the signal.
      signal?.throwIfAborted();
    }
    await part.keep({ ...record, place, isWhole: true });
    return reading.lines;
  } catch (error) {
    // What has come stays: another try, or another program, goes on from here. What went wrong is told first.
    if (place !== null) await part.keep({ ...record, place }).catch(() => {});
    else if (isRefusal(error)) await PartFile.remove(path);
    throw error;
  } finally {
    await part.close();
  }
}

/** The service has said no to the first request: nothing has begun, and nothing was charged. */
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
