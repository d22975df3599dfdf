/**
 * The messages of one flush of one topic, or of a range of a block. The engine has encoded each as a line. `framesFor`
 * adds a subscription's name and makes complete WebSocket frames, once per distinct `sub` text and mode. `confirmed`
 * passes only final messages and snapshots. `messagesFor` returns the same frames one by one, for a slow consumer. A
 * flush that outlives its publishing caches few encodings, because clients choose the names.
 */

import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { type Block, OPENINGS, type UpdateKind } from '../blocks/block.ts';
import { MessageFrame } from './message-frame.ts';
import { headerBytes, writeHeader } from './text-frame.ts';

export interface EncodedFrames {
  readonly bytes: Buffer;
  readonly messages: number;
}

/** The bytes before the cursor. */
type Openings = Readonly<Record<UpdateKind, Buffer>>;

export class Flush {
  readonly block: Block;
  /** Its messages are those in [first, end) of the block. */
  readonly first: number;
  readonly end: number;
  readonly #namesMax: number;
  readonly #encoded = new Map<string, EncodedFrames | null>();
  /** The last result of `#encoded`: most requests are equal. */
  #last: {
    readonly sub: string;
    readonly mode: StreamMode;
    readonly frames: EncodedFrames | null;
  } | null = null;
  /** The last result of `messagesFor`; only while the flush is published. */
  #lastSplit: {
    readonly sub: string;
    readonly mode: StreamMode;
    readonly messages: readonly MessageFrame[];
  } | null = null;

  /** Caches the encodings of at most `namesMax` pairs of subscription name and mode. */
  constructor(
    block: Block,
    namesMax = Number.POSITIVE_INFINITY,
    { first, end }: Pick<Flush, 'first' | 'end'> = { first: 0, end: block.count },
  ) {
    this.block = block;
    this.first = first;
    this.end = end;
    this.#namesMax = namesMax;
  }

  /** The messages in [first, end) of the block alone; this same flush when these are all. */
  part(first: number, end = this.end): Flush {
    if (first === this.first && end === this.end) return this;
    return new Flush(this.block, this.#namesMax, { first, end });
  }

  /** Drops all encodings: they are made again when needed. */
  forgetFrames(): void {
    this.#encoded.clear();
    this.#last = null;
    this.#lastSplit = null;
  }

  /** The frames of this flush for a subscription, null when its mode lets none of them pass. */
  framesFor(sub: string, mode: StreamMode): EncodedFrames | null {
    const last = this.#last;
    if (last !== null && last.sub === sub && last.mode === mode) return last.frames;
    const name = mode + sub;
    const known = this.#encoded.get(name);
    const frames = known === undefined ? this.#encode(openingsOf(sub), mode) : known;
    if (known === undefined) {
      if (this.#encoded.size >= this.#namesMax) return frames;
      this.#encoded.set(name, frames);
    }
    this.#last = { sub, mode, frames };
    return frames;
  }

  /** The same messages one by one, as parts of the bytes that are shared. */
  messagesFor(sub: string, mode: StreamMode): readonly MessageFrame[] {
    const last = this.#lastSplit;
    if (last !== null && last.sub === sub && last.mode === mode) return last.messages;
    const messages = this.#split(sub, mode);
    // A flush that outlives its publishing is measured by its encodings alone.
    if (this.#namesMax === Number.POSITIVE_INFINITY) this.#lastSplit = { sub, mode, messages };
    return messages;
  }

  #split(sub: string, mode: StreamMode): readonly MessageFrame[] {
    const frames = this.framesFor(sub, mode);
    if (frames === null) return [];
    const { block } = this;
    const openings = openingsOf(sub);
    const messages: MessageFrame[] = [];
    let start = 0;
    for (let at = this.first; at < this.end; at += 1) {
      if (!this.#passes(at, mode)) continue;
      const payloadBytes = this.#payloadBytes(at, openings);
      const end = start + headerBytes(payloadBytes) + payloadBytes;
      const bytes = frames.bytes.subarray(start, end);
      messages.push(new MessageFrame(block.kind(at), sub, block.idText(at), bytes));
      start = end;
    }
    return messages;
  }

  #encode(openings: Openings, mode: StreamMode): EncodedFrames | null {
    const { block, first, end } = this;
    let [total, messages] = [0, 0];
    for (let at = first; at < end; at += 1) {
      if (!this.#passes(at, mode)) continue;
      const payloadBytes = this.#payloadBytes(at, openings);
      total += headerBytes(payloadBytes) + payloadBytes;
      messages += 1;
    }
    if (messages === 0) return null;
    const bytes = Buffer.allocUnsafe(total);
    let to = 0;
    for (let at = first; at < end; at += 1) {
      if (!this.#passes(at, mode)) continue;
      const kind = block.kind(at);
      to = writeHeader(bytes, to, this.#payloadBytes(at, openings));
      bytes.set(openings[kind], to);
      to += openings[kind].length;
      const rest = block.text.subarray(
        block.start(at) + OPENINGS[kind].length,
        block.ends[at]! - 1,
      );
      bytes.set(rest, to);
      to += rest.length;
    }
    return { bytes, messages };
  }

  #passes(at: number, mode: StreamMode): boolean {
    const { block } = this;
    return mode === 'live' || block.isFinal(at) || block.kind(at) === 'snapshot';
  }

  /** A line's length with the subscription's own opening and without its line feed. */
  #payloadBytes(at: number, openings: Openings): number {
    const { block } = this;
    const kind = block.kind(at);
    const lineBytes = block.ends[at]! - block.start(at);
    return openings[kind].length - OPENINGS[kind].length + lineBytes - 1;
  }
}

function openingsOf(sub: string): Openings {
  const name = `,"sub":${JSON.stringify(sub)}`;
  const opening = (kind: UpdateKind) => Buffer.from(OPENINGS[kind] + name);
  return { snapshot: opening('snapshot'), upsert: opening('upsert'), remove: opening('remove') };
}
