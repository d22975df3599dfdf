/**
 * Turns the service's message about a field into a sentence: `is no e-mail address` becomes “x” is no e-mail address.
 * The typed text may be in any script, so it is isolated from the words around it, and cut if long.
 */

const SHOWN_MAX = 60;
/** Unicode isolates: text between them does not change the direction of the text outside. */
const [ISOLATE, END_ISOLATE] = ['\u2068', '\u2069'];
const MARKS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function typedFault(typed: string, message: string | null): string | null {
  if (message === null) return null;
  const shown = [...typed.replace(MARKS, '')];
  const cut = shown.length > SHOWN_MAX ? `${shown.slice(0, SHOWN_MAX).join('')}…` : shown.join('');
  return `“${ISOLATE}${cut}${END_ISOLATE}” ${message.replace(/\.$/, '')}.`;
}
