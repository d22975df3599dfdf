/**
 * The files of the built portal, read once and served from memory by their exact addresses, so no address can lead out
 * of the directory. A page is found without its extension: `docs/errors.html` is `/docs/errors`, `docs/index.html` is
 * `/docs`. A directory that is replaced during the read is read again.
 */

import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { MIB } from '@tapeloom/core/units';
import { EncodedBody, type Encoding } from '../platform/network/encoded-body.ts';

const FILES_MAX = 2_000;
const BYTES_MAX = 64 * MIB;
const TRIES_MAX = 5;
const READ_AT_ONCE = 16;

/** Addresses in the built files; the service's own address replaces them. */
const WRITTEN_FOR = /(http|ws)(?::\/\/127\.0\.0\.1:8080|s:\/\/api\.example\.com)/g;
/** Files in which they are replaced. */
const ADDRESSED = /\.(?:html|md|atom)$|^(?:llms[\w-]*|robots)\.txt$|^sitemap\.xml$/;
/** The build puts a digest into these names, so the files never change. */
const IMMUTABLE = /^\/assets\//;
const THEME = /^\/assets\/theme-[^/]+\.js$/;
const ICON = /^\/assets\/icon-[^/]+\.svg$/;
const KEPT_FOR_EVER = 'public, max-age=31536000, immutable';
const ASKED_AGAIN = 'no-cache';

interface FileKind {
  readonly type: string;
  /** Whether it can be compressed. */
  readonly isText: boolean;
}

const KINDS: Readonly<Record<string, FileKind>> = {
  '.html': { type: 'text/html; charset=utf-8', isText: true },
  '.js': { type: 'text/javascript; charset=utf-8', isText: true },
  '.css': { type: 'text/css; charset=utf-8', isText: true },
  '.svg': { type: 'image/svg+xml', isText: true },
  '.json': { type: 'application/json; charset=utf-8', isText: true },
  '.jsonl': { type: 'application/x-ndjson; charset=utf-8', isText: true },
  '.ndjson': { type: 'application/x-ndjson; charset=utf-8', isText: true },
  '.webmanifest': { type: 'application/manifest+json', isText: true },
  '.md': { type: 'text/markdown; charset=utf-8', isText: true },
  '.atom': { type: 'application/atom+xml; charset=utf-8', isText: true },
  '.xml': { type: 'application/xml; charset=utf-8', isText: true },
  '.txt': { type: 'text/plain; charset=utf-8', isText: true },
  '.png': { type: 'image/png', isText: false },
  '.ico': { type: 'image/x-icon', isText: false },
  '.tgz': { type: 'application/gzip', isText: false },
  '.woff2': { type: 'font/woff2', isText: false },
};
const OTHER: FileKind = { type: 'application/octet-stream', isText: false };
/** Encoded forms of another file, made by the portal's build. */
const ENCODED: Readonly<Record<string, Encoding>> = { '.br': 'br', '.gz': 'gzip' };

export interface PageFile {
  readonly type: string;
  readonly cacheControl: string;
  readonly body: EncodedBody;
}

/** The directory is too large for a portal. */
class PortalTooLargeError extends Error {}

export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;
  /** `app.html`: the frame of every page that is drawn in the browser. */
  readonly app: PageFile | null;
  /** Addresses of the style sheets that `app.html` names. */
  readonly styles: readonly string[];

  private constructor(
    files: ReadonlyMap<string, PageFile>,
    app: PageFile | null,
    styles: readonly string[],
  ) {
    this.#files = files;
    this.app = app;
    this.styles = styles;
  }

  /** Null: this directory has no portal. */
  static async read(directory: string, publicUrl: string): Promise<PageFiles | null> {
    for (let tries = 1; ; tries++) {
      const before = await identityOf(directory);
      if (before === null) return null;
      try {
        const contents = await readAll(directory);
        if ((await identityOf(directory)) === before) return filesOf(contents, publicUrl);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries >= TRIES_MAX) throw error;
      }
      if (tries >= TRIES_MAX) throw new Error(`${directory} changes while it is read`);
    }
  }

  static of(
    files: ReadonlyMap<string, PageFile>,
    app: PageFile | null,
    styles: readonly string[],
  ): PageFiles {
    return new PageFiles(files, app, styles);
  }

  /** The script that sets the reader's own theme; null: the build has none. */
  get theme(): string | null {
    return this.#newest(THEME);
  }

  get icon(): string | null {
    return this.#newest(ICON);
  }

  get(path: string): PageFile | null {
    return this.#files.get(path) ?? null;
  }

  /** The last match: files of an earlier build come first. */
  #newest(name: RegExp): string | null {
    return [...this.#files.keys()].findLast((path) => name.test(path)) ?? null;
  }

  /** Adds the assets that pages of an earlier build, still open in browsers, may load. */
  andOlder(older: PageFiles): PageFiles {
    const kept = [...older.#files].filter(([path]) => IMMUTABLE.test(path));
    return new PageFiles(new Map([...kept, ...this.#files]), this.app, this.styles);
  }
}

async function identityOf(directory: string): Promise<string | null> {
  try {
    const found = await stat(directory, { bigint: true });
    return found.isDirectory() ? `${found.dev} ${found.ino} ${found.ctimeNs}` : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** By path below the directory, with forward slashes. Links are not followed. */
async function readAll(directory: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries: Dirent[] = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  if (files.length > FILES_MAX) {
    throw new PortalTooLargeError(`${directory} has more than ${FILES_MAX} files`);
  }
  const contents = new Map<string, Buffer>();
  let bytes = 0;
  for (let at = 0; at < files.length; at += READ_AT_ONCE) {
    const paths = files
      .slice(at, at + READ_AT_ONCE)
      .map(({ parentPath, name }) => join(parentPath, name));
    const read = await Promise.all(paths.map((path) => readFile(path)));
    paths.forEach((path, index) => {
      const content = read[index]!;
      bytes += content.length;
      contents.set(relative(directory, path).split(sep).join('/'), content);
    });
    if (bytes > BYTES_MAX) {
      throw new PortalTooLargeError(`${directory} has more than ${BYTES_MAX} bytes`);
    }
  }
  return contents;
}

function filesOf(contents: ReadonlyMap<string, Buffer>, publicUrl: string): PageFiles {
  const files = new Map<string, PageFile>();
  let app: PageFile | null = null;
  let styles: readonly string[] = [];
  for (const [name, content] of contents) {
    if (isHidden(name) || isEncodingOf(name, contents)) continue;
    const file = fileOf(name, content, contents, publicUrl);
    if (name === 'app.html') {
      app = file;
      styles = stylesIn(content.toString());
    } else {
      files.set(addressOf(name), file);
    }
  }
  return PageFiles.of(files, app, styles);
}

function fileOf(
  name: string,
  content: Buffer,
  contents: ReadonlyMap<string, Buffer>,
  publicUrl: string,
): PageFile {
  const { type, isText } = KINDS[extname(name)] ?? OTHER;
  const address = addressOf(name);
  const served = ADDRESSED.test(name) ? addressedTo(content, publicUrl) : content;
  const ready = new Map<Encoding, Buffer>();
  for (const [ending, encoding] of Object.entries(ENCODED)) {
    const made = contents.get(`${name}${ending}`);
    if (made !== undefined && served === content) ready.set(encoding, made);
  }
  return {
    type,
    cacheControl: IMMUTABLE.test(address) ? KEPT_FOR_EVER : ASKED_AGAIN,
    body: new EncodedBody(served, { isEncoded: isText, ready }),
  };
}

function addressOf(name: string): string {
  const page = /^(?:(.*)\/)?index\.html$/.exec(name);
  if (page !== null) return `/${page[1] ?? ''}`;
  return `/${name.replace(/\.html$/, '')}`;
}

/** For tools, not for browsers: `.vite/manifest.json`. */
function isHidden(name: string): boolean {
  return name.split('/').some((part) => part.startsWith('.'));
}

function isEncodingOf(name: string, contents: ReadonlyMap<string, Buffer>): boolean {
  const ending = extname(name);
  return ENCODED[ending] !== undefined && contents.has(name.slice(0, -ending.length));
}

function addressedTo(written: Buffer, publicUrl: string): Buffer {
  const text = written.toString();
  const address = publicUrl.replace(/^http/, '');
  // The public address is an origin, so it needs no escaping in HTML or XML.
  const changed = text.replace(WRITTEN_FOR, (_, scheme: string) => `${scheme}${address}`);
  return changed === text ? written : Buffer.from(changed);
}

function stylesIn(html: string): readonly string[] {
  const links = [...html.matchAll(/<link\b[^>]*>/g)].map(([link]) => link);
  return links
    .filter((link) => /\brel="?stylesheet\b/.test(link))
    .flatMap((link) => /\bhref="([^"]+)"/.exec(link)?.[1] ?? []);
}
