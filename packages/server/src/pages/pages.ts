/**
 * Finds the page at an address: a file of the portal, the portal's frame where the browser draws the page, or a page
 * that the server makes itself. Nothing below `/v1` is a page. Keys and cookies are ignored: pages fetch an account's
 * data from the interface. At an unknown address a browser gets the portal's "not found", and a program a problem
 * document.
 */

import { EncodedBody, isNamed } from '../platform/network/encoded-body.ts';
import type { PageFile } from './page-files.ts';
import { drawingHeaders, pageHeaders } from './page-headers.ts';
import type { LetIn, PageAnswer, PageRequest, PageRoute } from './page-route.ts';
import { type PlainPage, type PlainPages, withPlainPage } from './plain-pages.ts';
import type { Portal } from './portal.ts';

/** Pages that the browser draws in the frame `app.html`. */
export const APP_PATHS: readonly string[] = [
  '/sign-in',
  '/dashboard',
  '/keys',
  '/plans',
  '/checkout',
  '/orders',
  '/withdraw',
  '/account',
  '/status',
  '/imprint',
  '/privacy',
  '/terms',
];

/** Pages with a file of their own in every build of the portal. */
const FILE_PATHS: readonly string[] = ['/', '/charts'];

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const FOR_EVER = 'public, max-age=31536000, immutable';
const READING = ['GET', 'HEAD'];
/** The labels of pages in metrics: by kind, because addresses are endless. */
const FILE_LABEL = '/';
const UNKNOWN_LABEL = '/unknown';

export interface PagesOptions {
  readonly portal: Portal;
  readonly routes: readonly PageRoute[];
  /** The configured public address: `https://example.com`. */
  readonly publicUrl: () => string;
  /** For browsers without scripts; absent: none. */
  readonly plain?: PlainPages;
}

export interface PageAsked {
  readonly method: string;
  /** As sent, with the query. */
  readonly url: string;
  readonly accept: string | undefined;
}

/** The parts of an admitted request that a page reads. */
export interface PageAdmitted {
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly form: URLSearchParams;
}

export interface PageReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** A page exists at the address. */
export interface Page {
  readonly label: string;
  /** Other methods are rejected. */
  readonly methods: readonly string[];
  answer(request: PageAdmitted): Promise<PageReply>;
}

interface PlainFile {
  readonly frame: PageFile;
  readonly html: string;
  readonly file: PageFile;
}

export class Pages {
  readonly #options: PagesOptions;
  /** By path; the page for unknown addresses has the empty path. */
  readonly #plainFiles = new Map<string, PlainFile>();

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  /** The origin that forms must come from. */
  get origin(): string {
    return this.#options.publicUrl();
  }

  find({ method, url, accept }: PageAsked): Page | null {
    const [path, query = ''] = splitOnce(url, '?');
    if (path === '/v1' || path.startsWith('/v1/')) return null;
    const route = this.#options.routes.find(({ below }) => `${path}/`.startsWith(below));
    if (route !== undefined) return this.#made(route, { method, path, query });
    const { portal } = this.#options;
    const isApp = APP_PATHS.includes(path);
    if (isApp && portal.files?.app) return this.#drawn(path, portal.files.app);
    const file = portal.files?.get(path) ?? null;
    if (file !== null) return this.#page(FILE_LABEL, (asked) => this.#file(path, file, asked));
    const bare = path.slice(0, -1);
    if (path === `${bare}/` && (portal.files?.get(bare) || APP_PATHS.includes(bare))) {
      return this.#page(FILE_LABEL, () => this.#movedTo(bare, query));
    }
    const isRead = READING.includes(method) && (accept ?? '').includes('text/html');
    return isRead || isApp || FILE_PATHS.includes(path) ? this.#absent(path) : null;
  }

  #page(label: string, reply: (request: PageAdmitted) => PageReply | Promise<PageReply>): Page {
    return { label, methods: READING, answer: async (request) => await reply(request) };
  }

  /** A page that the browser draws, with a plain one inside for browsers without scripts. */
  #drawn(path: string, frame: PageFile, status = 200): Page {
    const label = status === 200 ? FILE_LABEL : UNKNOWN_LABEL;
    return this.#page(label, async (asked) => {
      const plain = (await this.#options.plain?.at(path, status === 200)) ?? null;
      const file =
        plain === null ? frame : this.#plainFile(status === 200 ? path : '', frame, plain);
      return this.#file(path, file, asked, status);
    });
  }

  /** Made again only when its text or the frame has changed. */
  #plainFile(path: string, frame: PageFile, { title, html }: PlainPage): PageFile {
    const known = this.#plainFiles.get(path);
    if (known?.frame === frame && known.html === html) return known.file;
    const whole = withPlainPage(frame.body.plain.toString(), { title, html });
    const file = { ...frame, body: new EncodedBody(Buffer.from(whole)) };
    this.#plainFiles.set(path, { frame, html, file });
    return file;
  }

  async #file(
    path: string,
    file: PageFile,
    { acceptEncoding, ifNoneMatch }: PageAdmitted,
    status = 200,
  ): Promise<PageReply> {
    const { etag, encoding, bytes } = file.body.choose(acceptEncoding);
    const security = path.endsWith('.svg') ? drawingHeaders : pageHeaders;
    const headers = {
      ...security(this.#options.publicUrl()),
      'cache-control': file.cacheControl,
      vary: 'Accept-Encoding',
      etag,
    };
    if (status === 200 && isNamed(etag, ifNoneMatch)) return { status: 304, headers, body: null };
    const coded = encoding === null ? {} : { 'content-encoding': encoding };
    return {
      status,
      headers: { ...headers, ...coded, 'content-type': file.type },
      body: await bytes(),
    };
  }

  /** There is nothing here, or not yet. */
  #absent(path: string): Page {
    const { portal } = this.#options;
    if (portal.files?.app) return this.#drawn(path, portal.files.app, 404);
    return this.#page(UNKNOWN_LABEL, () => {
      const { status, html, retryAfterSeconds } = portal.absence;
      const later = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
      return this.#html(status, html, later);
    });
  }

  #made(
    route: PageRoute,
    { method, path, query }: { method: string; path: string; query: string },
  ): Page {
    return {
      label: route.below,
      methods: route.takesForms ? [...READING, 'POST'] : READING,
      answer: async ({ form }) =>
        this.#answered(
          await route.handle({
            method: method === 'POST' ? 'POST' : 'GET',
            path,
            query: new URLSearchParams(query),
            form,
            styles: this.#options.portal.files?.styles ?? [],
            theme: this.#options.portal.files?.theme ?? null,
            icon: this.#options.portal.files?.icon ?? null,
          } satisfies PageRequest),
        ),
    };
  }

  #answered(answer: PageAnswer): PageReply {
    if ('html' in answer) return this.#html(answer.status, answer.html, {}, answer.letIn);
    if ('script' in answer) return this.#script(answer.status, answer.script);
    const headers = { ...pageHeaders(this.#options.publicUrl()), 'cache-control': 'no-store' };
    return { status: 303, headers: { ...headers, location: answer.seeOther }, body: null };
  }

  #script(status: number, script: string): PageReply {
    const headers = {
      ...pageHeaders(this.#options.publicUrl()),
      'cache-control': FOR_EVER,
      'content-type': SCRIPT,
    };
    return { status, headers, body: Buffer.from(script) };
  }

  #html(
    status: number,
    html: string,
    more: Readonly<Record<string, string>> = {},
    letIn?: LetIn,
  ): PageReply {
    const headers = {
      ...pageHeaders(this.#options.publicUrl(), letIn),
      'cache-control': 'no-store',
      'content-type': HTML,
      ...more,
    };
    return { status, headers, body: Buffer.from(html) };
  }

  /** Redirects `/docs/` to `/docs`, and only to a known address. */
  #movedTo(path: string, query: string): PageReply {
    const headers = { ...pageHeaders(this.#options.publicUrl()), 'cache-control': 'no-cache' };
    const location = query === '' ? path : `${path}?${query}`;
    return { status: 308, headers: { ...headers, location }, body: null };
  }
}

function splitOnce(text: string, at: string): [string, string?] {
  const index = text.indexOf(at);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
