/** `/llms.txt`, all pages as a list for assistants (llmstxt.org), and `/llms-full.txt`, most pages in one file. */

import type { DocsGroup } from './docs-site.ts';
import { WRITTEN_FOR } from './raw-markdown.ts';

const SUMMARY =
  'Tapeloom weaves the trades of futures contracts into order-flow indicators such as footprint bars and large trades, streams them over a WebSocket while they form, and serves their history as pages and files.';

export function llmsText(groups: readonly DocsGroup[]): string {
  const sections = groups.map(({ name, pages, audience }) => {
    const lines = pages.map(({ address, title, lead }) => {
      const words = lead === '' ? '' : `: ${lead}`;
      return `- [${title}](${WRITTEN_FOR}${address}.md)${words}`;
    });
    // By convention, "Optional" marks sections that a model may skip.
    const heading = audience === 'contributors' ? `Optional: ${name}` : name;
    return `## ${heading}\n\n${lines.join('\n')}`;
  });
  const contracts = [
    '## Contracts',
    '',
    `- [OpenAPI](${WRITTEN_FOR}/v1/openapi.json): the REST interface.`,
    `- [AsyncAPI](${WRITTEN_FOR}/v1/asyncapi.json): the stream.`,
    `- [Everything in one file](${WRITTEN_FOR}/llms-full.txt)`,
  ].join('\n');
  return `# Tapeloom\n\n> ${SUMMARY}\n\n${[contracts, ...sections].join('\n\n')}\n`;
}

/** Without the contributors' pages. */
export function llmsFullText(groups: readonly DocsGroup[]): string {
  const pages = groups
    .filter(({ audience }) => audience !== 'contributors')
    .flatMap((group) => group.pages);
  const texts = pages.map(
    ({ address, raw }) => `<!-- ${WRITTEN_FOR}${address} -->\n\n${raw.trimEnd()}`,
  );
  return `${texts.join('\n\n---\n\n')}\n`;
}
