/** A server of one export, cut where a test wants it: frames of whole lines, resumed at any line. */

import type { ServerResponse } from 'node:http';
import { zstdCompressSync } from 'node:zlib';
import { ScriptedHttp, type SeenRequest } from '../../../simulation/network/scripted-http.ts';

export const EXPORT_TOKEN = 'token of the export';

/** A header, results with ascending cursors, an end. */
export function exportLines(items: number): readonly string[] {
  return [
    JSON.stringify({ t: 'header', version: 1, instrument: 'ES.c.0', tickSizeNanos: 250_000_000 }),
    ...Array.from({ length: items }, (_, at) =>
      JSON.stringify({
        t: 'upsert',
        cursor: `20261112.${at + 1}.1`,
        id: `20261112.${at + 1}`,
        final: true,
        ts: String(1_794_493_800_000_000_000n + BigInt(at)),
        data: { open: at, note: 'ä€🧵'.repeat(at % 4) },
      }),
    ),
    JSON.stringify({ t: 'end', items }),
  ];
}

/** The file, with `perFrame` lines in each frame. */
export function exportBody(lines: readonly string[], perFrame = 3): Buffer {
  const frames: Buffer[] = [];
  for (let at = 0; at < lines.length; at += perFrame) {
    const part = lines.slice(at, at + perFrame);
    frames.push(zstdCompressSync(part.map((line) => `${line}\n`).join('')));
  }
  return Buffer.concat(frames);
}

export interface Serving {
  readonly body: Buffer;
  readonly contentType?: string;
  readonly token?: string | null;
  /** The connection breaks after this many bytes; with `endsCleanly` the response ends there as if it were complete. */
  readonly cutAfter?: number;
  readonly endsCleanly?: boolean;
}

export function serve(response: ServerResponse, serving: Serving): void {
  const { body, contentType = 'application/zstd', token = EXPORT_TOKEN, cutAfter } = serving;
  response.writeHead(200, {
    'content-type': contentType,
    ...(token === null ? {} : { 'x-export-token': token }),
  });
  if (cutAfter === undefined) {
    response.end(body);
    return;
  }
  const sent = body.subarray(0, cutAfter);
  if (serving.endsCleanly === true) {
    response.end(sent);
    return;
  }
  response.flushHeaders();
  // The bytes must be sent before the connection is destroyed, or the reader never gets them.
  if (sent.length === 0) setImmediate(() => response.destroy());
  else response.write(sent, () => setImmediate(() => response.destroy()));
}

/** The line at which a request resumes. */
export function wantedLine({ query }: SeenRequest): number {
  return Number(query.get('line') ?? 0);
}

/** A server of these lines. `cutsAfter` gives the bytes after which a response is cut; undefined: not at all. */
export async function exportServer(
  lines: readonly string[],
  cutsAfter: (count: number) => number | undefined = () => undefined,
): Promise<ScriptedHttp> {
  return await ScriptedHttp.start((response, request, count) => {
    const body = exportBody(lines.slice(wantedLine(request)));
    const cutAfter = cutsAfter(count);
    serve(response, { body, ...(cutAfter === undefined ? {} : { cutAfter }) });
  });
}
