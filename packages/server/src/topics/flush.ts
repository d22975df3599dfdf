/**
 * The messages of one flush of one topic. The engine encoded each message once, without the part that
 * differs between subscribers (its opening up to the `sub`); `framesFor` puts both together as complete
 * WebSocket frames, once per distinct `sub` text and mode. A thousand subscribers with equal names
 * therefore cost one encoding and one write each. `confirmed` passes exactly the final messages.
 * `messagesFor` gives the same frames one by one, for a reader that cannot take all of them at once.
 * A flush that outlives its publishing keeps few encodings or none: names are the clients' choice.
 */

import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { MessageFrame } from './message-frame.ts';
import { headerBytes, writeHeader } from './text-frame.ts';

/** One message of a flush: what it is about, and where its encoded rest lies in the flush's bytes. */
export interface FrameEntry {
  readonly kind: 'snapshot' | 'upsert' | 'remove';
  /** The object's id; empty for a snapshot. */
  readonly id: string;
  readonly final: boolean;
  readonly cursor: string;
  readonly start: number;
  readonly end: number;
}

/** Complete WebSocket frames, ready for a socket. */
export interface EncodedFrames {
  readonly bytes: Buffer;
  readonly messages: number;
}

export class Flush {
  readonly entries: readonly FrameEntry[];
  /** The encoded rests of all entries. */
  readonly bytes: Uint8Array;
  readonly #namesMax: number;
  readonly #encoded = new Map<string, EncodedFrames | null>();
  /** Of `#encoded`, what was asked for last: most ask for the same. */
  #last: {
    readonly sub: string;
    readonly mode: StreamMode;
    readonly frames: EncodedFrames | null;
  } | null = null;
  /** The messages asked for last, one by one; only while it is published. */
  #lastSplit: {
    readonly sub: string;
    readonly mode: StreamMode;
    readonly messages: readonly MessageFrame[];
  } | null = null;

  /** For at most `namesMax` subscription names and modes the encoding is kept and shared. */
  constructor(
    entries: readonly FrameEntry[],
    bytes: Uint8Array,
    namesMax = Number.POSITIVE_INFINITY,
  ) {
    this.entries = entries;
    this.bytes = bytes;
    this.#namesMax = namesMax;
  }

  /** The entries in [from, to) alone; this very flush when these are all. */
  part(from: number, to = this.entries.length): Flush {
    if (from === 0 && to === this.entries.length) return this;
    return new Flush(this.entries.slice(from, to), this.bytes, this.#namesMax);
  }

  /** Lets go of all encodings: they are made again when asked for. */
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
    const frames = known === undefined ? this.#encode(JSON.stringify(sub), mode) : known;
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
    // What outlives its publishing is counted by its encodings alone.
    if (this.#namesMax === Number.POSITIVE_INFINITY) this.#lastSplit = { sub, mode, messages };
    return messages;
  }

  #split(sub: string, mode: StreamMode): readonly MessageFrame[] {
    const frames = this.framesFor(sub, mode);
    if (frames === null) return [];
    const openings = openingsOf(JSON.stringify(sub));
    const messages: MessageFrame[] = [];
    let at = 0;
    for (const entry of this.entries) {
      if (!passes(entry, mode)) continue;
      const { kind, id } = entry;
      const payloadBytes = openings[kind].length + entry.end - entry.start;
      const end = at + headerBytes(payloadBytes) + payloadBytes;
      messages.push(new MessageFrame(kind, sub, id, frames.bytes.subarray(at, end)));
      at = end;
    }
    return messages;
  }

  #encode(subJson: string, mode: StreamMode): EncodedFrames | null {
    const passing = this.entries.filter((entry) => passes(entry, mode));
    if (passing.length === 0) return null;
    const openings = openingsOf(subJson);
    let total = 0;
    for (const { kind, start, end } of passing) {
      const payloadBytes = openings[kind].length + end - start;
      total += headerBytes(payloadBytes) + payloadBytes;
    }
    const bytes = Buffer.allocUnsafe(total);
    let at = 0;
    for (const { kind, start, end } of passing) {
      at = writeHeader(bytes, at, openings[kind].length + end - start);
      bytes.set(openings[kind], at);
      at += openings[kind].length;
      bytes.set(this.bytes.subarray(start, end), at);
      at += end - start;
    }
    return { bytes, messages: passing.length };
  }
}

function passes(entry: Pick<FrameEntry, 'kind' | 'final'>, mode: StreamMode): boolean {
  return mode === 'live' || entry.final || entry.kind === 'snapshot';
}

/** What stands before the engine's part, which begins with `,"cursor":`. */
function openingsOf(subJson: string): Readonly<Record<FrameEntry['kind'], Buffer>> {
  const opening = (kind: FrameEntry['kind']) => Buffer.from(`{"t":"${kind}","sub":${subJson}`);
  return { snapshot: opening('snapshot'), upsert: opening('upsert'), remove: opening('remove') };
}
