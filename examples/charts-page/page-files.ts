/** Builds the page with Vite, and gives its files by path. Your own site builds them before it starts. */

import { build } from 'vite';

export interface PageFile {
  readonly type: string;
  readonly content: string | Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/** `service`: its address, which the page needs for the stream. */
export async function pageFiles(service: string): Promise<ReadonlyMap<string, PageFile>> {
  const built = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'warn',
    define: { 'import.meta.env.SERVICE': JSON.stringify(service) },
    build: { write: false, modulePreload: false },
  });
  const files = new Map<string, PageFile>();
  for (const result of [built].flat()) {
    if (!('output' in result)) continue;
    for (const part of result.output) {
      const type = TYPES[part.fileName.split('.').at(-1)!];
      if (type === undefined) continue;
      const content = part.type === 'chunk' ? part.code : part.source;
      files.set(`/${part.fileName}`, { type, content });
    }
  }
  files.set('/', files.get('/index.html')!);
  return files;
}
