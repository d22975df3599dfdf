/**
 * The portal as it is served. It is read when the server opens and again when its build has ended, so the start never
 * waits for a page. A failed build is reported, and the previous portal stays in service.
 */

import type { Log } from '../platform/log/log.ts';
import { pageDocument } from './page-document.ts';
import { PageFiles } from './page-files.ts';
import type { PortalBuild } from './portal-build.ts';

const REFRESH_S = 2;

export interface PortalOptions {
  /** The directory of the built portal. */
  readonly directory: string;
  /** Its build; null where it is installed built. */
  readonly build: Pick<PortalBuild, 'ended' | typeof Symbol.dispose> | null;
  readonly log: Log;
}

/** The response while there is no portal. */
export interface Absence {
  readonly status: 503;
  readonly html: string;
  readonly retryAfterSeconds: number | null;
}

export class Portal implements Disposable {
  readonly #options: PortalOptions;
  #files: PageFiles | null = null;
  /** Until it is known whether there is one. */
  #isAwaited = true;
  #publicUrl: string | null = null;

  constructor(options: PortalOptions) {
    this.#options = options;
  }

  /** Null: it is not built, or not yet. */
  get files(): PageFiles | null {
    return this.#files;
  }

  get absence(): Absence {
    return this.#isAwaited ? AWAITED : MISSING;
  }

  /** Reads the portal, and again after its build. `publicUrl`: the address that its pages name. */
  async open(publicUrl: string): Promise<void> {
    this.#publicUrl = publicUrl;
    await this.#read();
    const isBuilt = await this.#options.build?.ended;
    // Another process may have built it meanwhile.
    const isLater = isBuilt === false && this.#files === null;
    if (isBuilt === true || isLater) await this.#read();
    this.#isAwaited = false;
  }

  [Symbol.dispose](): void {
    this.#options.build?.[Symbol.dispose]();
  }

  async #read(): Promise<void> {
    const { directory, log } = this.#options;
    try {
      const files = await PageFiles.read(directory, this.#publicUrl!);
      if (files === null) return;
      this.#files = this.#files === null ? files : files.andOlder(this.#files);
    } catch (error) {
      log.error({ error, directory }, 'the portal could not be read');
    }
  }
}

const AWAITED: Absence = absence(
  'The portal is being built. This page reloads by itself.',
  REFRESH_S,
);
const MISSING: Absence = absence(
  'The portal is not built. The REST interface below /v1 and the stream are available.',
  null,
);

function absence(sentence: string, retryAfterSeconds: number | null): Absence {
  const html = pageDocument({
    title: 'Tapeloom',
    styles: [],
    body: `<main>\n<h1>Tapeloom</h1>\n<p>${sentence}</p>\n</main>`,
    ...(retryAfterSeconds === null ? {} : { refreshSeconds: retryAfterSeconds }),
  });
  return { status: 503, html, retryAfterSeconds };
}
