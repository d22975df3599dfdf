/**
 * A client that downloads exports over a bad connection: a response may be cut anywhere, also
 * before its first byte. Of lines it keeps only complete ones.
 */

import { type IncomingMessage, request } from 'node:http';
import { constants, zstdDecompressSync } from 'node:zlib';

const LINE_FEED = 0x0a;

export type Fields = Readonly<Record<string, string>>;

export type Cut =
  | { readonly t: 'none' }
  /** Cuts the connection this long after the request was sent, unless a response has begun. */
  | { readonly t: 'unheard'; readonly afterMs: number }
  /** Cuts the connection after so many bytes of the body. */
  | { readonly t: 'bytes'; readonly bytes: number };

export type Fetched =
  | { readonly t: 'refused'; readonly status: number; readonly text: string }
  /** No response came. */
  | { readonly t: 'unheard' }
  | {
      readonly t: 'heard';
      readonly token: string;
      readonly body: Buffer;
      /** Whether the response was complete. */
      readonly isEnded: boolean;
    };

export interface Wire {
  /** 127.0.0.1 by default. */
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
    // The service was killed; the received bytes stay.
  }
  response.destroy();
  const body = Buffer.concat(parts);
  if (!isGood) return { t: 'refused', status: response.statusCode ?? 0, text: body.toString() };
  return { t: 'heard', token: String(response.headers['x-export-token']), body, isEnded };
}

/** The received part of an export. */
export interface Held {
  /** The query fields of the position to resume from. */
  readonly place: Fields;
  readonly bytes: Buffer;
  readonly isWhole: boolean;
  add(fetched: Extract<Fetched, { readonly t: 'heard' }>): void;
}

/** The complete lines of an export in compressed frames. */
export class HeldLines implements Held {
  readonly #parts: Buffer[] = [];
  #count = 0;

  get place(): Fields {
    return { line: String(this.#count) };
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  /** Whether the last line is the end line. */
  get isWhole(): boolean {
    const last = this.#parts.at(-1);
    if (last === undefined) return false;
    const start = last.lastIndexOf(LINE_FEED, last.length - 2) + 1;
    return last.subarray(start).toString().startsWith('{"t":"end"');
  }

  add({ body }: { readonly body: Buffer }): void {
    if (body.length === 0) return;
    // The body may end in the middle of a frame.
    const text = zstdDecompressSync(body, { finishFlush: constants.ZSTD_e_flush });
    const lines = text.subarray(0, text.lastIndexOf(LINE_FEED) + 1);
    if (lines.length === 0) return;
    this.#parts.push(lines);
    for (let at = lines.indexOf(LINE_FEED); at !== -1; at = lines.indexOf(LINE_FEED, at + 1)) {
      this.#count += 1;
    }
  }
}

/** All bytes of a table, which is whole when a response was complete. */
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
