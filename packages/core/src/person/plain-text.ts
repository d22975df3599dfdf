/**
 * Text that a person typed and others will read: one line without invisible characters or direction marks, which could
 * make one text look like another. Markup stays; the display must escape it.
 */

/** Controls, lone surrogates, line separators, and all characters that are invisible or change the direction. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Some scripts, and emoji, need one selector and one joiner after a character. */
const COMPOSED = /(\P{ASCII})\ufe0f?[\u200c\u200d]?/gu;

/** What is wrong with a text of any length; null if nothing. */
export function typedTextFault(text: string): string | null {
  return HIDDEN.test(text.replace(COMPOSED, '$1'))
    ? 'must have no control characters, line separators, invisible or direction marks'
    : null;
}

/** The text on one line with marks for hidden characters, for text that was not validated before. */
export function shownText(text: string): string {
  return text
    .replace(COMPOSED, (whole, character: string) => (HIDDEN.test(character) ? '\ufffd' : whole))
    .replace(/\p{Cc}+/gu, '\ufffd');
}
