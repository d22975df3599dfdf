/**
 * Parts of the client library that the chart workspace never calls: it asks for pages, and joins them to the stream
 * itself. Methods of a class cannot be left out of a bundle one by one, so their modules become empty classes.
 */

import type { Plugin } from 'vite';

const EMPTY: Readonly<Record<string, string>> = {
  '/client/src/export/export-reading.ts': 'ExportReading',
  '/client/src/joined/joined-reading.ts': 'JoinedReading',
};

export function withoutUnusedParts(): Plugin {
  return {
    name: 'portal-unused-parts',
    enforce: 'pre',
    load(id) {
      const name = Object.entries(EMPTY).find(([path]) => id.endsWith(path))?.[1];
      if (name === undefined) return null;
      return `export class ${name} { constructor() { throw new Error('${name} is no part of this page.'); } }`;
    },
  };
}
