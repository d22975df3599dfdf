/** The frame of a page that the server makes itself. Escape text before you put it into `body`. */

export interface PageDocument {
  /** As plain text. */
  readonly title: string;
  readonly styles: readonly string[];
  /** The script that sets the reader's own theme before the first paint. */
  readonly theme?: string | null;
  readonly icon?: string | null;
  /** HTML. */
  readonly body: string;
  /** The page reloads itself after so many seconds. */
  readonly refreshSeconds?: number;
}

export function pageDocument(page: PageDocument): string {
  const { title, styles, theme = null, icon = null, body, refreshSeconds } = page;
  const refresh =
    refreshSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${refreshSeconds}">\n`;
  const script = theme === null ? '' : `<script src="${escapeHtml(theme)}"></script>\n`;
  const mark = icon === null ? '' : `<link rel="icon" href="${escapeHtml(icon)}">\n`;
  const links = styles.map((href) => `<link rel="stylesheet" href="${escapeHtml(href)}">\n`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refresh}<title>${escapeHtml(title)}</title>
${script}${mark}${links.join('')}</head>
<body>
${body}
</body>
</html>
`;
}

/** Text as HTML, in content and between quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
