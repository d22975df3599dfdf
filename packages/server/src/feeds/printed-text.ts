/** Text of a foreign file for messages: shortened, and without terminal control characters. */

const TEXT_MAX = 160;

export function printedText(text: string): string {
  const cut = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  return cut.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '·');
}
