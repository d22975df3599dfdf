/**
 * A customer who downloads exports over a bad line: a response may be cut anywhere, also before its first
 * byte. Of what has come he keeps complete lines only.
 */

import { type IncomingMessage, request } from 'node:http';
import { constants, zstdDecompressSync } from 'node:zlib';

const LINE_FEED = 0x0a;

export type Fields = Readonly<Record<string, string>>;

export type Cut =
  | { readonly t: 'none' }
  /** The connection goes so long after the request has left, unless an answer has begun. */
  | { readonly t: 'unheard'; readonly afterMs: number }
  /** The connection goes when so many bytes of the body have come. */
  | { readonly t: 'bytes'; readonly bytes: number };

export type Fetched =
  | { readonly t: 'refused'; readonly status: number; readonly text: string }
  /** Nothing was heard. */
  | { readonly t: 'unheard' }
  | {
      readonly t: 'heard';
      readonly token: string;
      readonly body: Buffer;
      /** Whether the response came to its end. */
      readonly isEnded: boolean;
    };

export interface Wire {
  /** By default 127.0.0.1. */
  readonly host?: string;
  readonly port: number;
  readonly key: string;
}

export function fetchExport(wire: Wire, fields: Fields, cut: Cut): Promise<Fetched> {
  const { host = '127.0.0.1', port, key } = wire;
  const { promise, resolve } = Promise.withResolvers<Fetched>();
  const path = `/v1/export?${new URLSearchParams(fields)}`;
  const headers = { authorization: `Bearer ${key}` };
  const asked = request({ host, port, path, headers, agent: false });
  asked.on('error', () => resolve({ t: 'unheard' }));
  asked.on('response', (response) => void readResponse(response, cut).then(resolve));
  if (cut.t === 'unheard') {
    asked.on('finish', () => {
      const timer = setTimeout(() => asked.destroy(), cut.afterMs);
      asked.on('response', () => clearTimeout(timer));
    });
  }
  asked.end();
  return promise;
}

async function readResponse(response: IncomingMessage, cut: Cut): Promise<Fetched> {
  const isGood = response.statusCode === 200;
  const bytesMax = isGood && cut.t === 'bytes' ? cut.bytes : Number.POSITIVE_INFINITY;
  const parts: Buffer[] = [];
  let bytes = 0;
  let isEnded = false;
  try {
    if (bytesMax > 0) {
      for await (const part of response as AsyncIterable<Buffer>) {
        parts.push(part.subarray(0, bytesMax - bytes));
        bytes += part.length;
        if (bytes >= bytesMax) break;
      }
    }
    isEnded = response.complete && bytes < bytesMax;
  } catch {
    // The service was killed; what has come is kept.
  }
  response.destroy();
  const body = Buffer.concat(parts);
  if (!isGood) return { t: 'refused', status: response.statusCode ?? 0, text: body.toString() };
  return { t: 'heard', token: String(response.headers['x-export-token']), body, isEnded };
}

/** What has come of an export. */
export interface Held {
  /** Where it is resumed. */
  readonly place: Fields;
  readonly bytes: Buffer;
  readonly isWhole: boolean;
  add(fetched: Extract<Fetched, { readonly t: 'heard' }>): void;
}

/** Of lines in compressed frames: those that are complete. */
export class HeldLines implements Held {
  readonly #parts: Buffer[] = [];
  #count = 0;

  get place(): Fields {
    return { line: String(this.#count) };
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  /** Whether the last line says that it is the last. */
  get isWhole(): boolean {
    const last = this.#parts.at(-1);
    if (last === undefined) return false;
    const start = last.lastIndexOf(LINE_FEED, last.length - 2) + 1;
    return last.subarray(start).toString().startsWith('{"t":"end"');
  }

  add({ body }: { readonly body: Buffer }): void {
    if (body.length === 0) return;
    // It may end in the middle of a frame.
    const text = zstdDecompressSync(body, { finishFlush: constants.ZSTD_e_flush });
    const lines = text.subarray(0, text.lastIndexOf(LINE_FEED) + 1);
    if (lines.length === 0) return;
    this.#parts.push(lines);
    for (let at = lines.indexOf(LINE_FEED); at !== -1; at = lines.indexOf(LINE_FEED, at + 1)) {
      this.#count += 1;
    }
  }
}

/** Of a table: all bytes. It is whole when a response has come to its end. */
export class HeldTable implements Held {
  readonly #parts: Buffer[] = [];
  isWhole = false;

  get place(): Fields {
    return { byte: String(this.bytes.length) };
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  add({ body, isEnded }: { readonly body: Buffer; readonly isEnded: boolean }): void {
    this.#parts.push(body);
    this.isWhole = isEnded;
  }
}

export function heldOf(fields: Fields): Held {
  return fields.format === undefined ? new HeldLines() : new HeldTable();
}
