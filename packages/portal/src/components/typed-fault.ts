/**
 * What the service says about a field, as a sentence that names what was typed: `is no e-mail address` becomes
 * “x” is no e-mail address. What was typed may be in any script and hold any mark, so it is kept apart from the words
 * around it, and is cut where it is long.
 */

const SHOWN_MAX = 60;
/** Whatever stands between these turns nothing outside of them around. */
const [ISOLATE, END_ISOLATE] = ['\u2068', '\u2069'];
const MARKS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function typedFault(typed: string, message: string | null): string | null {
  if (message === null) return null;
  const shown = [...typed.replace(MARKS, '')];
  const cut = shown.length > SHOWN_MAX ? `${shown.slice(0, SHOWN_MAX).join('')}…` : shown.join('');
  return `“${ISOLATE}${cut}${END_ISOLATE}” ${message.replace(/\.$/, '')}.`;
}
