/**
 * A mail as HTML: the mark, a sentence, a button, and the link as text. It consists of tables and inline styles, which
 * mail programs support best. The style sheet only adds dark mode where the reader's program supports it; without it
 * everything is readable too. It loads no external resource.
 */

import { escapeHtml } from './escape-html.ts';
import type { MailContent } from './mail-content.ts';

const SANS = "Inter,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const INK = '#16171d';
const MUTED = '#555966';
const FAINT = '#676b78';
const LINE = '#e5e1d9';
const GROUND = '#faf9f6';
const CARD = '#ffffff';
const BID = '#bd4318';
const ASK = '#08779c';

/** The portal's dark theme. */
const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
a { color: #3f3bb3; }
@media (prefers-color-scheme: dark) {
  .ground { background: #0b0c11 !important; }
  .card { background: #12141b !important; border-color: #232733 !important; }
  .ink { color: #eeeff4 !important; }
  .muted { color: #a6abba !important; }
  .faint { color: #8a90a1 !important; }
  .rule { border-color: #232733 !important; }
  .button { background: #eeeff4 !important; }
  .button a { color: #0b0c11 !important; }
  .sunken { background: #0e1016 !important; border-color: #232733 !important; }
  .warp { background: #eeeff4 !important; }
  .bid { background: #ff8f5e !important; }
  .ask { background: #4dc4ea !important; }
  a { color: #a9a5ff !important; }
}
@media (max-width: 480px) {
  .card { padding: 24px 20px !important; }
}`;

/** The place of the help address, if the operator configures one. */
export const HELP_PLACE = '<!-- help -->';

export function htmlOf(content: MailContent): string {
  const { heading, lead, facts = [], action, document, closing } = content;
  const inside = [
    `<h1 class="ink" style="margin:0 0 16px;font:600 22px/1.3 ${SANS};letter-spacing:-0.02em;color:${INK}">${escapeHtml(heading)}</h1>`,
    ...lead.map(paragraph),
    ...(facts.length === 0 ? [] : [factTable(facts)]),
    ...(action === undefined ? [] : [button(action.label, action.link)]),
    ...(document === undefined ? [] : [documentBox(document.title, document.text)]),
    ...(closing.length === 0 ? [] : [footer(closing)]),
  ];
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<title>${escapeHtml(content.subject)}</title>
<style>${STYLE}
</style>
</head>
<body class="ground" style="margin:0;padding:0;background:${GROUND}">
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${GROUND}"><tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px">
<tr><td style="padding:0 4px 20px">${brand()}</td></tr>
<tr><td class="card" style="padding:32px;background:${CARD};border:1px solid ${LINE};border-radius:12px">
${inside.join('\n')}
</td></tr>
${HELP_PLACE}</table>
</td></tr></table>
</body>
</html>
`;
}

/** `html` must be escaped. */
export function helpRow(html: string): string {
  return `<tr><td class="faint" style="padding:16px 4px 0;font:400 14px/1.5 ${SANS};color:${FAINT}">${html}</td></tr>\n`;
}

function paragraph(text: string): string {
  return `<p class="muted" style="margin:0 0 16px;font:400 16px/1.55 ${SANS};color:${MUTED}">${escapeHtml(text)}</p>`;
}

function factTable(facts: readonly (readonly [string, string])[]): string {
  const rows = facts.map(
    ([name, value]) =>
      `<tr><td class="faint rule" valign="top" style="padding:9px 16px 9px 0;border-top:1px solid ${LINE};font:400 14px/1.5 ${SANS};color:${FAINT};white-space:nowrap">${escapeHtml(name)}</td>` +
      `<td class="ink rule" valign="top" style="padding:9px 0;border-top:1px solid ${LINE};font:500 14px/1.5 ${SANS};color:${INK};overflow-wrap:anywhere"><bdi>${escapeHtml(value)}</bdi></td></tr>`,
  );
  return `<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:4px 0 20px">${rows.join('')}</table>`;
}

function button(label: string, link: string): string {
  const href = escapeHtml(link);
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 20px"><tr><td class="button" style="background:${INK};border-radius:7px"><a href="${href}" style="display:inline-block;padding:13px 24px;font:600 16px/1.2 ${SANS};color:#ffffff;text-decoration:none">${escapeHtml(label)}</a></td></tr></table>
<p class="faint" style="margin:0 0 20px;font:400 13px/1.55 ${SANS};color:${FAINT}">Or open this address:<br><a href="${href}" style="overflow-wrap:anywhere;word-break:break-all">${href}</a></p>`;
}

function documentBox(title: string, text: string): string {
  const paragraphs = text
    .split(/\n{2,}/)
    .map((part) => `<p style="margin:8px 0 0">${escapeHtml(part).replaceAll('\n', '<br>')}</p>`);
  return `<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:4px 0 20px"><tr><td class="sunken muted" style="padding:16px;background:#f3f1ec;border:1px solid ${LINE};border-radius:7px;font:400 14px/1.55 ${SANS};color:${MUTED}"><strong class="ink" style="color:${INK}">${escapeHtml(title)}</strong>${paragraphs.join('')}</td></tr></table>`;
}

function footer(closing: readonly string[]): string {
  const lines = closing.map((text) => `<p style="margin:0 0 6px">${escapeHtml(text)}</p>`);
  return `<div class="faint rule" style="padding-top:16px;border-top:1px solid ${LINE};font:400 14px/1.55 ${SANS};color:${FAINT}">${lines.join('')}</div>`;
}

function brand(): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td style="padding-right:12px">${mark()}</td><td class="ink" style="font:640 19px/1 ${SANS};letter-spacing:-0.02em;color:${INK}">Tapeloom</td></tr></table>`;
}

type MarkColour = 'warp' | 'bid' | 'ask' | '';
const MARK_COLOURS: Readonly<Record<MarkColour, string>> = {
  warp: INK,
  bid: BID,
  ask: ASK,
  '': '',
};

/** Table cells, so no picture can be blocked: a tape over a warp thread, bid rows left, ask rows right. */
function mark(): string {
  const warp = [
    [10, ''],
    [2, ''],
    [4, 'warp'],
    [12, ''],
  ] as const;
  return [
    markRow(5, [[28, 'warp']]),
    markRow(2, [[28, '']]),
    markRow(3, warp),
    markRow(5, [
      [1, ''],
      [9, 'bid'],
      [2, ''],
      [4, 'warp'],
      [2, ''],
      [5, 'ask'],
      [5, ''],
    ]),
    markRow(3, warp),
    markRow(5, [
      [6, ''],
      [4, 'bid'],
      [2, ''],
      [4, 'warp'],
      [2, ''],
      [9, 'ask'],
      [1, ''],
    ]),
    markRow(3, warp),
  ].join('');
}

function markRow(height: number, cells: readonly (readonly [number, MarkColour])[]): string {
  const boxes = cells.map(([width, colour]) => {
    // The warp continues from row to row, without rounded corners.
    const round = colour === 'bid' || colour === 'ask' ? ';border-radius:1px' : '';
    const paint = colour === '' ? '' : `;background:${MARK_COLOURS[colour]}${round}`;
    const name = colour === '' ? '' : ` class="${colour}"`;
    return `<td${name} width="${width}" height="${height}" style="width:${width}px;height:${height}px;font-size:0;line-height:0${paint}"></td>`;
  });
  return `<table role="presentation" aria-hidden="true" cellpadding="0" cellspacing="0" border="0" width="28" style="width:28px"><tr>${boxes.join('')}</tr></table>`;
}
