/**
 * Chooses the zstd decoder: Node's `zlib`, a `DecompressionStream` that supports zstd, or the decoder of the caller.
 * Each decoder gets one frame at a time, since some stop after the first.
 */

import { TapeloomError } from '../tapeloom-error.ts';
import { joined } from './counted-lines.ts';
import type { ZstdDecompressor } from './zstd-decompressor.ts';
import { notZstd } from './zstd-frames.ts';

/** Decompresses one frame. `push` returns the bytes available so far, `end` all the rest. */
export interface FrameExpander {
  push(bytes: Uint8Array): Promise<readonly Uint8Array[]>;
  end(): Promise<readonly Uint8Array[]>;
  /** The rest of the frame will not arrive. */
  abandon(): void;
}

export type MakeExpander = () => FrameExpander;

/** The part of Node's decompressor that is used here. */
interface NodeDecompress {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): void;
  end(): void;
  destroy(): void;
  on(kind: 'data', hear: (bytes: Uint8Array) => void): void;
  on(kind: 'end', hear: () => void): void;
  on(kind: 'error', hear: (error: Error) => void): void;
}

export interface ZstdPlatform {
  readonly createZstdDecompress?: (() => NodeDecompress) | undefined;
  readonly DecompressionStream?: (new (format: never) => TransformPair) | undefined;
}

interface TransformPair {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

/** Throws if no decoder is available, before an export is requested and charged. */
export function zstdExpanders(
  handedIn: ZstdDecompressor | undefined,
  platform: ZstdPlatform = thisPlatform(),
): MakeExpander {
  const { createZstdDecompress, DecompressionStream } = platform;
  if (createZstdDecompress !== undefined && canBeMade(createZstdDecompress)) {
    return () => new NodeExpander(createZstdDecompress());
  }
  if (DecompressionStream !== undefined && knowsZstd(DecompressionStream)) {
    return () => new StreamExpander(new DecompressionStream('zstd' as never));
  }
  if (handedIn !== undefined) return () => new HandedInExpander(handedIn);
  throw new TapeloomError(
    'CONFIGURATION',
    'This platform cannot expand zstd: use Node 22.15 or later, or give a decoder as the option "decompressZstd", such as decompress of the package fzstd.',
  );
}

/** Looked up at run time, so that bundlers for browsers see no Node module. */
function thisPlatform(): ZstdPlatform {
  const { process, DecompressionStream } = globalThis as {
    readonly process?: { getBuiltinModule?(name: string): ZstdPlatform | undefined };
    readonly DecompressionStream?: ZstdPlatform['DecompressionStream'];
  };
  const zlib = process?.getBuiltinModule?.('node:zlib');
  return { createZstdDecompress: zlib?.createZstdDecompress, DecompressionStream };
}

/** Deno 2.5 has the function, but it throws. */
function canBeMade(create: () => NodeDecompress): boolean {
  try {
    create().destroy();
    return true;
  } catch {
    return false;
  }
}

function knowsZstd(Candidate: new (format: never) => TransformPair): boolean {
  try {
    new Candidate('zstd' as never);
    return true;
  } catch {
    return false;
  }
}

class NodeExpander implements FrameExpander {
  readonly #stream: NodeDecompress;
  readonly #ended: Promise<void>;
  readonly #failed: Promise<never>;
  #out: Uint8Array[] = [];

  constructor(stream: NodeDecompress) {
    this.#stream = stream;
    stream.on('data', (bytes) => this.#out.push(bytes));
    this.#ended = new Promise((resolve) => stream.on('end', resolve));
    this.#failed = new Promise((_, reject) => {
      stream.on('error', (error) => reject(notZstd('a frame is damaged', error)));
    });
    this.#failed.catch(() => {});
  }

  async push(bytes: Uint8Array): Promise<readonly Uint8Array[]> {
    const written = new Promise<void>((resolve) => this.#stream.write(bytes, () => resolve()));
    await Promise.race([written, this.#failed]);
    return this.#taken();
  }

  async end(): Promise<readonly Uint8Array[]> {
    this.#stream.end();
    await Promise.race([this.#ended, this.#failed]);
    return this.#taken();
  }

  abandon(): void {
    this.#stream.destroy();
  }

  #taken(): readonly Uint8Array[] {
    const taken = this.#out;
    this.#out = [];
    return taken;
  }
}

class StreamExpander implements FrameExpander {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #read: Promise<void>;
  #out: Uint8Array[] = [];

  constructor({ readable, writable }: TransformPair) {
    this.#writer = writable.getWriter();
    this.#writer.closed.catch(() => {});
    this.#read = this.#readAll(readable);
    this.#read.catch(() => {});
  }

  async push(bytes: Uint8Array): Promise<readonly Uint8Array[]> {
    // A write error also surfaces at the reading end, which reports it.
    this.#writer.write(bytes).catch(() => {});
    await Promise.race([this.#writer.ready.catch(() => this.#read), this.#read]);
    return this.#taken();
  }

  async end(): Promise<readonly Uint8Array[]> {
    this.#writer.close().catch(() => {});
    await this.#read;
    return this.#taken();
  }

  abandon(): void {
    this.#writer.abort().catch(() => {});
  }

  async #readAll(readable: ReadableStream<Uint8Array>): Promise<void> {
    const reader = readable.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        this.#out.push(value);
      }
    } catch (error) {
      throw notZstd('a frame is damaged', error);
    }
  }

  #taken(): readonly Uint8Array[] {
    const taken = this.#out;
    this.#out = [];
    return taken;
  }
}

class HandedInExpander implements FrameExpander {
  readonly #decompress: ZstdDecompressor;
  readonly #parts: Uint8Array[] = [];

  constructor(decompress: ZstdDecompressor) {
    this.#decompress = decompress;
  }

  push(bytes: Uint8Array): Promise<readonly Uint8Array[]> {
    this.#parts.push(bytes);
    return Promise.resolve([]);
  }

  abandon(): void {
    this.#parts.length = 0;
  }

  async end(): Promise<readonly Uint8Array[]> {
    try {
      return [await this.#decompress(joined(this.#parts))];
    } catch (error) {
      throw notZstd('a frame is damaged', error);
    }
  }
}
