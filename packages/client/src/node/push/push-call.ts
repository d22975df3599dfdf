/**
 * One request to the push endpoint, repeated until a node answers it for good. Network errors, nodes without a leader
 * and busy ones are tried again with backoff, node by node; a redirect is followed to configured nodes only.
 */

import type { PushProblem } from '@tapeloom/protocol/push';
import { backoffMs } from '../../backoff.ts';
import { pause } from '../../pause.ts';
import { TapeloomError } from '../../tapeloom-error.ts';
import { PushError, problemIn } from './push-error.ts';
import type { PushTerms } from './push-options.ts';

const RETRY_BACKOFF = { firstMs: 100, lastMs: 5_000, spread: 0.5 };
const RETRIED = [408, 425, 429, 500, 502, 503, 504];

export interface PushCall {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly batch: string | null;
  readonly signal: AbortSignal;
}

type Outcome =
  | { readonly t: 'done'; readonly text: string }
  | { readonly t: 'moved'; readonly url: string }
  | { readonly t: 'again'; readonly error: TapeloomError; readonly atLeastMs: number };

export class PushCalls {
  readonly #terms: PushTerms;
  /** The node that answered last. */
  #url: string;

  constructor(terms: PushTerms) {
    this.#terms = terms;
    this.#url = terms.urls[0]!;
  }

  /** The body of the response. Rejects with an error that a retry cannot mend, or when it takes too long. */
  async run(call: PushCall): Promise<string> {
    const { clock, giveUpAfterMs, urls, onRetry, random } = this.#terms;
    const start = clock.now();
    let [failures, moves] = [0, 0];
    for (;;) {
      call.signal.throwIfAborted();
      const outcome = await this.#try(call);
      if (outcome.t === 'done') return outcome.text;
      if (outcome.t === 'moved') {
        this.#url = outcome.url;
        moves += 1;
        // Two nodes that name each other must not be asked without a pause.
        if (moves % (urls.length + 1) !== 0) continue;
      } else {
        this.#url = urls[(urls.indexOf(this.#url) + 1) % urls.length]!;
      }
      const error = outcome.t === 'again' ? outcome.error : noLeader();
      if (clock.now() - start >= giveUpAfterMs) throw error;
      onRetry(error);
      const atLeastMs = outcome.t === 'again' ? outcome.atLeastMs : 0;
      await pause(clock, backoffMs(RETRY_BACKOFF, failures, { atLeastMs, random }), call.signal);
      failures = Math.min(failures + 1, 10);
    }
  }

  async #try({ method, path, headers, body, batch, signal }: PushCall): Promise<Outcome> {
    const { secret, timeout, clock } = this.#terms;
    const late = new AbortController();
    const timer = clock.after(timeout, () => late.abort(new Error(`no answer for ${timeout} ms`)));
    try {
      const bearer = typeof secret === 'string' ? secret : await secret();
      // Called without the object: a platform's `fetch` must not get it as `this`.
      const { fetch } = this.#terms;
      const response = await fetch(`${this.#url}${path}`, {
        method,
        headers: { ...headers, authorization: `Bearer ${bearer}` },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, late.signal]),
      });
      return this.#outcome(response, await response.text(), batch);
    } catch (cause) {
      if (cause instanceof TapeloomError) throw cause;
      signal.throwIfAborted();
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `No answer from ${this.#url}: ${why}.`;
      return { t: 'again', error: new TapeloomError('NETWORK', message, { cause }), atLeastMs: 0 };
    } finally {
      timer.cancel();
    }
  }

  #outcome(response: Response, text: string, batch: string | null): Outcome {
    const { status, headers } = response;
    if (status === 200) return { t: 'done', text };
    if (status === 307 || status === 308) return this.#moved(headers.get('location'));
    const problem = problemIn(text) ?? foreignProblem(this.#url, status);
    if (!RETRIED.includes(status)) throw new PushError(batch, { ...problem, status });
    const seconds = Number(headers.get('retry-after') ?? 0);
    const { code, detail } = problem;
    const error = new TapeloomError(code, detail, { status, retryAfterSeconds: seconds || null });
    return { t: 'again', error, atLeastMs: seconds > 0 ? seconds * 1_000 : 0 };
  }

  #moved(location: string | null): Outcome {
    const target = location !== null && URL.canParse(location) ? new URL(location) : null;
    const url = this.#terms.urls.find((one) => new URL(one).origin === target?.origin);
    if (url !== undefined) return { t: 'moved', url };
    throw new TapeloomError(
      'CONFIGURATION',
      `The node ${this.#url} names ${location} as the leader, which is not among the option "urls". ` +
        'The secret was not sent there. Add the internal address of every node.',
    );
  }
}

function foreignProblem(url: string, status: number): PushProblem {
  const code = `HTTP_${status}` as PushProblem['code'];
  return { title: '', status, code, detail: `${url} has answered with the status ${status}.` };
}

function noLeader(): TapeloomError {
  return new TapeloomError('NO_LEADER', 'The nodes name each other as the leader.');
}
