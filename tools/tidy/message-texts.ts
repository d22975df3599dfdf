/**
 * Message texts may change (VER-04): our clients never decide by an error's words, and no test that proves a rule
 * depends on them. Exceptions are texts that the interface itself defines: the detail of an expired key, and the
 * criterion at the start of a key management rejection. A test of the words themselves proves no rule.
 */

import { type Finding, isTest, lineAt, type Tree } from './tree.ts';

/** The programs that call the service. */
const clients = /^(?:packages\/(?:client|cli|portal)\/src|tests\/client-suite)\/.*\.tsx?$/;
/** Where `message` belongs to a response; elsewhere it belongs to a file, a setting or a thread. */
const speaksInMessages =
  /^(?:packages\/client\/|packages\/server\/src\/(?:http|gateway)\/|tests\/client-suite\/)/;
const named = /'API key expired'|`\$\{criterion\}: `/;

/** An error's text, never its code. */
const words = String.raw`\.(?:detail|message)\b[!)]*`;
const decisions: readonly RegExp[] = [
  new RegExp(String.raw`${words}\s*[!=]==?\s*(?:['"\`](?!['"\`])|/)`, 'g'),
  new RegExp(
    String.raw`${words}\??\.(?:includes|startsWith|endsWith|match|matchAll|search|indexOf)\(`,
    'g',
  ),
  // Also when the text was taken out of its error.
  /\.(?:test|exec)\((?:[\w.!?]*\.)?(?:detail|message)!?\)/g,
  new RegExp(String.raw`\bswitch \([\w.!?]*${words}\)`, 'g'),
];
const demands = (word: string): readonly RegExp[] => [
  new RegExp(String.raw`\bassert\.(?:match|doesNotMatch)\(\s*[^;]*?\b${word}\b[!)]*,`, 'g'),
  new RegExp(
    String.raw`\bassert\.(?:equal|strictEqual)\(\s*[^;]*?\b${word}\b[!)]*,\s*['"\`](?!['"\`])[^\n]*`,
    'g',
  ),
  // Requiring that a text is absent is allowed.
  new RegExp(
    String.raw`(?<![!\w.\]])[\w.[\]()?]+\.${word}!?\.(?:includes|startsWith|endsWith)\([^\n]*`,
    'g',
  ),
];

export function checkMessageTexts(tree: Tree): readonly Finding[] {
  const found: Finding[] = [];
  for (const [path, text] of tree.texts) {
    if (isTest(path) || path.endsWith('.contract.ts')) {
      for (const index of demandsIn(path, text)) {
        const message =
          'a test that proves a rule asks for the words of an error: ask for its code';
        found.push({ path, line: lineAt(text, index), message, level: 'error' });
      }
    } else if (clients.test(path)) {
      for (const match of decisions.flatMap((it) => [...text.matchAll(it)])) {
        const message = 'a client decides by the words of an error: decide by its code';
        found.push({ path, line: lineAt(text, match.index), message, level: 'error' });
      }
    }
  }
  return found;
}

function demandsIn(path: string, text: string): readonly number[] {
  const patterns = [
    ...demands('detail'),
    ...(speaksInMessages.test(path) ? demands('message') : []),
  ];
  return proofs(text).flatMap(({ start, end }) =>
    patterns
      .flatMap((it) => [...text.slice(start, end).matchAll(it)])
      .filter(([words]) => !named.test(words))
      .map((match) => start + match.index),
  );
}

/** The tests whose names end with rules. */
function proofs(text: string): readonly { readonly start: number; readonly end: number }[] {
  const starts = [...text.matchAll(/^[ \t]*(?:test|it)\(/gm)].map((match) => match.index);
  return starts
    .map((start, index) => ({ start, end: starts[index + 1] ?? text.length }))
    .filter(({ start, end }) => {
      const name = /^\s*(?:test|it)\(\s*(['"`])([^\n]*?)\1,/.exec(text.slice(start, end))?.[2];
      return name !== undefined && /\[[A-Z]+-\d+/.test(name);
    });
}
