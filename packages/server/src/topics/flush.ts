/**
 * The messages of one flush of one topic. The engine encoded each message once, without the part that
 * differs between subscribers (its opening up to the `sub`); `framesFor` puts both together as complete
 * WebSocket frames, once per distinct `sub` text and mode. A thousand subscribers with equal names
 * therefore cost one encoding and one write each. `confirmed` passes exactly the final messages.
 */

import type { StreamMode } from '@tapeloom/protocol/client-messages';
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
  readonly #bytes: Uint8Array;
  readonly #encoded = new Map<string, EncodedFrames | null>();

  constructor(entries: readonly FrameEntry[], bytes: Uint8Array) {
    this.entries = entries;
    this.#bytes = bytes;
  }

  /** The frames of this flush for a subscription, null when its mode lets none of them pass. */
  framesFor(sub: string, mode: StreamMode): EncodedFrames | null {
    const name = mode + sub;
    let frames = this.#encoded.get(name);
    if (frames === undefined) {
      frames = this.#encode(JSON.stringify(sub), mode);
      this.#encoded.set(name, frames);
    }
    return frames;
  }

  #encode(subJson: string, mode: StreamMode): EncodedFrames | null {
    const passing = this.entries.filter((entry) => passes(entry, mode));
    if (passing.length === 0) return null;
    const openings = {
      snapshot: opening('snapshot', subJson),
      upsert: opening('upsert', subJson),
      remove: opening('remove', subJson),
    };
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
      bytes.set(this.#bytes.subarray(start, end), at);
      at += end - start;
    }
    return { bytes, messages: passing.length };
  }
}

function passes(entry: Pick<FrameEntry, 'kind' | 'final'>, mode: StreamMode): boolean {
  return mode === 'live' || entry.final || entry.kind === 'snapshot';
}

/** What stands before the engine's part, which begins with `,"cursor":`. */
function opening(kind: FrameEntry['kind'], subJson: string): Buffer {
  return Buffer.from(`{"t":"${kind}","sub":${subJson}`);
}
