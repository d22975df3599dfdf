/**
 * Text that a person typed and others will read: one line, and nothing in it that cannot be seen or that turns the
 * direction of writing, for it lets one text pass for another. Markup is left as it is: who shows it escapes it.
 */

/** Controls, halves of a character, separators of lines, and all that is invisible or turns the writing. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Words of some scripts, and emoji, are written with one selector and one joiner behind a character. */
const COMPOSED = /(\P{ASCII})\ufe0f?[\u200c\u200d]?/gu;

/** What is wrong with a text that may be of any length; null when nothing is. */
export function typedTextFault(text: string): string | null {
  return HIDDEN.test(text.replace(COMPOSED, '$1'))
    ? 'must have no control characters, line separators, invisible or direction marks'
    : null;
}

/** The text on one line with a mark in place of whatever is hidden in it, for texts that nobody judged before. */
export function shownText(text: string): string {
  return text
    .replace(COMPOSED, (whole, character: string) => (HIDDEN.test(character) ? '\ufffd' : whole))
    .replace(/\p{Cc}+/gu, '\ufffd');
}
