/**
 * Renders code blocks as HTML, coloured at build time by class names, because our pages allow no inline styles.
 * Adjacent blocks marked `tab="…"` form tabs; without scripts they appear below each other.
 */

import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import diff from 'highlight.js/lib/languages/diff';
import http from 'highlight.js/lib/languages/http';
import ini from 'highlight.js/lib/languages/ini';
import json from 'highlight.js/lib/languages/json';
import nginx from 'highlight.js/lib/languages/nginx';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import { escapeText } from './escaped-text.ts';

const GRAMMARS = { bash, diff, http, ini, json, nginx, python, sql, typescript, xml };
for (const [name, grammar] of Object.entries(GRAMMARS)) {
  highlighter.registerLanguage(name, grammar);
}

interface Language {
  readonly name: string;
  /** Null: not coloured. */
  readonly grammar: keyof typeof GRAMMARS | null;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  ts: { name: 'TypeScript', grammar: 'typescript' },
  js: { name: 'JavaScript', grammar: 'typescript' },
  json: { name: 'JSON', grammar: 'json' },
  jsonc: { name: 'JSON', grammar: 'json' },
  sh: { name: 'Shell', grammar: 'bash' },
  bash: { name: 'Shell', grammar: 'bash' },
  python: { name: 'Python', grammar: 'python' },
  html: { name: 'HTML', grammar: 'xml' },
  sql: { name: 'SQL', grammar: 'sql' },
  http: { name: 'HTTP', grammar: 'http' },
  diff: { name: 'Change', grammar: 'diff' },
  nginx: { name: 'nginx', grammar: 'nginx' },
  ini: { name: 'Settings', grammar: 'ini' },
  session: { name: 'Session', grammar: 'json' },
};
const OTHER: Language = { name: 'Text', grammar: null };
/** A line of a session that one side sends. */
const SENT = /^([<>] )(.*)$/;

export interface CodeBlock {
  readonly code: string;
  /** The text after the fence: `ts tab="TypeScript" not-run="…"`. */
  readonly info: string;
}

export function codeBlock({ code, info }: CodeBlock): string {
  return block(code, info, nameOf(info));
}

/** The name of its tab; null: it is no tab. */
export function tabOf(info: string): string | null {
  return markOf(info, 'tab');
}

/** Several blocks of which one is shown at a time. */
export function codeTabs(blocks: readonly CodeBlock[]): string {
  const panels = blocks.map(({ code, info }) => block(code, info, tabOf(info) ?? nameOf(info)));
  return `<div class="docs-tabs">${panels.join('')}</div>\n`;
}

function block(code: string, info: string, name: string): string {
  const label = escapeText(name);
  const head = `<div class="docs-code-head"><span>${label}</span></div>`;
  return `<div class="docs-code">${head}<pre tabindex="0" role="group" aria-label="${label}"><code>${coloured(code, info)}\n</code></pre></div>\n`;
}

function nameOf(info: string): string {
  return markOf(info, 'file') ?? languageOf(info).name;
}

function languageOf(info: string): Language {
  return LANGUAGES[wordOf(info)] ?? OTHER;
}

function wordOf(info: string): string {
  return info.trim().split(/\s/, 1)[0]!;
}

function markOf(info: string, name: string): string | null {
  const found = new RegExp(`\\s${name}=(?:"([^"]*)"|(\\S+))`).exec(info);
  return found === null ? null : (found[1] ?? found[2]!);
}

function coloured(code: string, info: string): string {
  if (wordOf(info) === 'session') return session(code);
  const { grammar } = languageOf(info);
  if (grammar === null) return escapeText(code);
  return highlighter.highlight(code, { language: grammar, ignoreIllegals: true }).value;
}

/** Both sides of a session, distinguished by more than the arrow. */
function session(code: string): string {
  const lines = code.split('\n').map((line) => {
    const [, way, message] = SENT.exec(line) ?? [];
    if (way === undefined) return `<span class="hljs-comment">${escapeText(line)}</span>`;
    const json = highlighter.highlight(message!, { language: 'json', ignoreIllegals: true }).value;
    return `<span class="docs-way">${escapeText(way)}</span>${json}`;
  });
  return lines.join('\n');
}
