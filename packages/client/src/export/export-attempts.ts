/**
 * The HTTP responses of one export: the first, and as many resumes as it takes to complete it. The first request is
 * repeated only after a rate limit, which charges nothing: an export is charged when it starts. With the token of the
 * first response, resumes are free. It gives up after five resumes in a row without new data, or after `maxRetries`.
 */

import type { OpenAnswer } from '../rest/open-answer.ts';
import type { ServiceHttp, ServiceRequest } from '../rest/service-http.ts';
import { RESUMES_MAX, Resumes } from '../resumes.ts';
import { TapeloomError } from '../tapeloom-error.ts';

/** Also retried on a resume, which is free: a response that is not the service's (a proxy's), and a rate limit. */
const PASSING = ['INVALID_RESPONSE', 'RATE_LIMITED'] as const;

export interface ExportStart {
  readonly http: ServiceHttp;
  readonly first: ServiceRequest;
  /** The content type that the response must have. */
  readonly contentType: string;
  /** The token of an export that was started earlier. */
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

  /** The next response, starting at `place`: a line number, or a byte offset of a table. */
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

  noteProgress(): void {
    this.#resumes.noteProgress();
  }

  /** Waits until the export may be resumed. Throws if the error is permanent or the resumes are used up. */
  async recover(error: unknown): Promise<void> {
    if (this.#token === null) throw error;
    await this.#resumes.recover(error);
  }
}
