/**
 * Texts in DBN: ASCII in a field of fixed length, ended by a zero or the field's end. Unprintable bytes are rejected:
 * dropping them could make two names equal, and no name may control a terminal.
 */

import { FeedError } from '../feed-trades.ts';

/** The text of a field; `position` is the file position of `bytes`. */
export function textAt(bytes: Uint8Array, at: number, length: number, position = 0): string {
  let text = '';
  for (let index = at; index < at + length; index += 1) {
    const code = bytes[index]!;
    if (code === 0) break;
    if (code < 0x20 || code > 0x7e) {
      const hex = code.toString(16).padStart(2, '0');
      throw new FeedError(
        `The text at byte ${position + at} has the byte 0x${hex}, which is no printable letter.`,
      );
    }
    text += String.fromCharCode(code);
  }
  return text;
}
