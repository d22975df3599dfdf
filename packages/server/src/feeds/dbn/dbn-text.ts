/**
 * Texts in DBN: ASCII in a field of fixed length, ended by a zero or by the field. Anything that is not printable is
 * refused: two names must never become one by leaving out what cannot be shown, and no name may steer a terminal.
 */

import { FeedError } from '../feed-trades.ts';

/** The text of a field; `position` is where in the file `bytes` begin. */
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
