/**
 * The answers of one export: the first, and as many as it takes to go on where the last one was cut. The first
 * request is never sent twice, since an export is charged when it starts. From its token on everything is
 * free to be asked again, up to five times in a row that bring nothing new, or as often as the caller says.
 */

import type { OpenAnswer } from '../rest/open-answer.ts';
import type { ServiceHttp, ServiceRequest } from '../rest/service-http.ts';
import { RESUMES_MAX, Resumes } from '../resumes.ts';
import { TapeloomError } from '../tapeloom-error.ts';

/** An answer that is none, of a proxy say, costs nothing to be asked for again; nor does waiting. */
const PASSING = ['INVALID_RESPONSE', 'RATE_LIMITED'] as const;

export interface ExportStart {
  readonly http: ServiceHttp;
  readonly first: ServiceRequest;
  /** What the answer must be. */
  readonly contentType: string;
  /** Of an export that began earlier. */
  readonly token: string | null;
}

export class ExportAttempts {
  readonly #start: ExportStart;
  #token: string | null;
  readonly #resumes: Resumes;

  constructor(start: ExportStart) {
    this.#start = start;
    const { clock, maxRetries = RESUMES_MAX } = start.http;
    const { signal } = start.first;
    this.#resumes = new Resumes({ clock, signal, max: maxRetries, passing: PASSING });
    this.#token = start.token;
  }

  get token(): string | null {
    return this.#token;
  }

  /** The next answer, from `place` on: a line, or a byte of a table. */
  async open(place: Readonly<Record<string, string>>): Promise<OpenAnswer> {
    const { http, first, contentType } = this.#start;
    const { signal, path } = first;
    const answer =
      this.#token === null
        ? await http.open(first)
        : await http.open({ path, query: { resume: this.#token, ...place }, signal });
    const type = (answer.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
    const token = answer.headers.get('x-export-token') ?? this.#token;
    if (type === contentType && token !== null) {
      this.#token = token;
      return answer;
    }
    answer.dispose();
    const { status } = answer;
    const message =
      token === null
        ? 'GET /v1/export: the answer has no X-Export-Token.'
        : `GET /v1/export: answered with ${type === '' ? 'no content type' : type.slice(0, 100)}, not with ${contentType}.`;
    throw new TapeloomError('INVALID_RESPONSE', message, { status });
  }

  /** Something came that was not there before. */
  noteProgress(): void {
    this.#resumes.noteProgress();
  }

  /** Waits until the export may be resumed, or throws what ends it. */
  async recover(error: unknown): Promise<void> {
    if (this.#token === null) throw error;
    await this.#resumes.recover(error);
  }
}
