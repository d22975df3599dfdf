/** A mail as plain text: lines of at most 72 characters, links whole on lines of their own. */

import type { MailContent } from './mail-content.ts';

const LINE_CHARACTERS_MAX = 72;

export function plainTextOf(content: MailContent): string {
  const { heading, lead, facts = [], action, document, closing } = content;
  const blocks = [
    heading,
    ...lead,
    ...(facts.length === 0 ? [] : [factLines(facts)]),
    ...(action === undefined ? [] : [`${action.label}:\n\n${action.link}`]),
    ...(document === undefined ? [] : [`${document.title}\n\n${document.text}`]),
    ...closing,
    '-- \nTapeloom',
  ];
  return `${blocks.map(wrapped).join('\n\n')}\n`;
}

function factLines(facts: readonly (readonly [string, string])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length)) + 1;
  return facts.map(([name, value]) => `${`${name}:`.padEnd(width)} ${value}`).join('\n');
}

function wrapped(block: string): string {
  return block
    .split('\n')
    .flatMap((line) => (line.length <= LINE_CHARACTERS_MAX ? [line] : wordLines(line)))
    .join('\n');
}

function wordLines(line: string): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length > LINE_CHARACTERS_MAX && current !== '') {
      lines.push(current);
      current = word;
    } else {
      current = longer;
    }
  }
  return [...lines, current];
}
