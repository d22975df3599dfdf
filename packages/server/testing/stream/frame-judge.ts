/**
 * What a stream server must do with a client's bytes after its handshake, by RFC 6455 and the protocol's limits,
 * written independently of the serving library. Overlong length encodings are accepted.
 */

import { isUtf8 } from 'node:buffer';
import { CloseCode } from '@tapeloom/protocol/close-codes';
import { applyMask, OPCODE } from './wire-frame.ts';

const MESSAGE_BYTES_MAX = 65_536;
const FRAGMENTS_MAX = 1_024;
const CONTROL_BYTES_MAX = 125;
/** The code for a close frame without one. */
export const NO_CODE = 1005;

export interface FrameVerdict {
  /** The server's close code; null while there is no reason to close. */
  readonly close: number | null;
  /** Complete texts before that. */
  readonly texts: readonly string[];
  /** Payloads of the pings before that; each requires a pong. */
  readonly pings: readonly Buffer[];
  /** Messages and control frames before that, as the rate limit counts them. */
  readonly counted: number;
}

interface Frame {
  readonly first: number;
  readonly length: bigint;
  readonly headEnd: number;
}

/** `binary`: whether complete binary messages are rejected, as by the stream. */
export function judgeFrames(bytes: Buffer, binary: 'refused' | 'taken' = 'refused'): FrameVerdict {
  return new FrameJudge(bytes, binary).judge();
}

class FrameJudge {
  readonly #bytes: Buffer;
  readonly #binary: 'refused' | 'taken';
  readonly #texts: string[] = [];
  readonly #pings: Buffer[] = [];
  #counted = 0;
  /** The unfinished message: its opcode, or null for none, and its parts. */
  #opcode: number | null = null;
  #parts: Buffer[] = [];
  #partsBytes = 0n;

  constructor(bytes: Buffer, binary: 'refused' | 'taken') {
    this.#bytes = bytes;
    this.#binary = binary;
  }

  judge(): FrameVerdict {
    let close: number | null = null;
    for (let at = 0; close === null; ) {
      const head = this.#headFault(at);
      if (head !== null) {
        close = head;
        break;
      }
      const frame = this.#frameAt(at);
      if (frame === null) break;
      close = this.#lengthFault(frame);
      if (close !== null) break;
      const begin = frame.headEnd + 4;
      const end = begin + Number(frame.length);
      if (end > this.#bytes.length) break;
      const mask = this.#bytes.subarray(frame.headEnd, begin);
      close = this.#take(frame.first, applyMask(this.#bytes.subarray(begin, end), mask));
      at = end;
    }
    return { close, texts: this.#texts, pings: this.#pings, counted: this.#counted };
  }

  /** A fault that shows in the first two bytes. */
  #headFault(at: number): number | null {
    if (at + 2 > this.#bytes.length) return null;
    const [first, second] = [this.#bytes[at]!, this.#bytes[at + 1]!];
    const opcode = first & 0x0f;
    const isControl = opcode >= 8;
    const short = second & 0x7f;
    const isBad =
      (first & 0x70) !== 0 ||
      (second & 0x80) === 0 ||
      (opcode > OPCODE.binary && opcode < OPCODE.close) ||
      opcode > OPCODE.pong ||
      (isControl && ((first & 0x80) === 0 || short > CONTROL_BYTES_MAX)) ||
      (opcode === OPCODE.close && short === 1) ||
      (opcode === OPCODE.continuation && this.#opcode === null) ||
      (!isControl && opcode !== OPCODE.continuation && this.#opcode !== null);
    return isBad ? CloseCode.protocolError : null;
  }

  /** Null while its length is incomplete. */
  #frameAt(at: number): Frame | null {
    if (at + 2 > this.#bytes.length) return null;
    const short = this.#bytes[at + 1]! & 0x7f;
    const headEnd = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
    if (headEnd > this.#bytes.length) return null;
    const length =
      short < 126
        ? BigInt(short)
        : short === 126
          ? BigInt(this.#bytes.readUInt16BE(at + 2))
          : this.#bytes.readBigUInt64BE(at + 2);
    return { first: this.#bytes[at]!, length, headEnd };
  }

  #lengthFault({ first, length }: Frame): number | null {
    if ((first & 0x0f) >= 8) return null;
    const isOver = this.#partsBytes + length > BigInt(MESSAGE_BYTES_MAX);
    return isOver ? CloseCode.messageTooBig : null;
  }

  #take(first: number, payload: Buffer): number | null {
    const opcode = first & 0x0f;
    if (opcode === OPCODE.close) return closing(payload);
    if (opcode === OPCODE.ping) this.#pings.push(payload);
    if (opcode >= 8) {
      this.#counted += 1;
      return null;
    }
    this.#opcode ??= opcode;
    this.#parts.push(payload);
    this.#partsBytes += BigInt(payload.length);
    if (this.#parts.length > FRAGMENTS_MAX) return CloseCode.tooManyMessages;
    return (first & 0x80) === 0 ? null : this.#finish();
  }

  #finish(): number | null {
    const message = Buffer.concat(this.#parts);
    const isText = this.#opcode === OPCODE.text;
    this.#opcode = null;
    this.#parts = [];
    this.#partsBytes = 0n;
    this.#counted += 1;
    if (!isText) return this.#binary === 'refused' ? CloseCode.binaryRefused : null;
    if (!isUtf8(message)) return CloseCode.invalidUtf8;
    this.#texts.push(message.toString());
    return null;
  }
}

function closing(payload: Buffer): number {
  if (payload.length === 0) return NO_CODE;
  const code = payload.readUInt16BE();
  const isRegistered = code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code);
  if (!isRegistered && (code < 3000 || code > 4999)) return CloseCode.protocolError;
  return isUtf8(payload.subarray(2)) ? code : CloseCode.invalidUtf8;
}
