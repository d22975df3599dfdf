/**
 * The push endpoint on the internal port: `POST /internal/trades` and `GET /internal/trades/position`. Without a secret
 * it does not exist. Nothing of a request is read before its secret was accepted. It is no part of the public interface.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { MS_NS } from '@tapeloom/core/units';
import { PROBLEM_CONTENT_TYPE } from '@tapeloom/protocol/problem';
import { PUSH_BYTES_MAX, PUSH_PATH, PUSH_POSITION_PATH } from '@tapeloom/protocol/push';
import type { Clock } from '../../platform/clock.ts';
import type { PushAnswer } from '../../platform/push-exchange.ts';
import {
  type BodyFault,
  dropRest,
  isAnnouncedTooLarge,
  PushBodies,
  readPushBody,
} from './push-body.ts';
import type { PushDesk } from './push-desk.ts';
import { pushParameters, requireKnown } from './push-parameters.ts';
import { PushProblemError } from './push-problem.ts';
import type { PushSecret } from './push-secret.ts';

const RETRY_SECONDS = 1;

export interface PushRoutesOptions {
  readonly desk: PushDesk;
  /** Null: none is configured. */
  readonly secret: Pick<PushSecret, 'accepts'> | null;
  readonly clock: Pick<Clock, 'after'>;
  /** Nanoseconds of a clock that never jumps. */
  readonly monotonicNs: () => bigint;
  readonly onFault: (error: unknown) => void;
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class PushRoutes {
  readonly #options: PushRoutesOptions;
  readonly #bodies = new PushBodies();

  constructor(options: PushRoutesOptions) {
    this.#options = options;
  }

  /** Answers a request of the endpoint; false: it is another's. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const url = new URL(request.url ?? '/', 'http://internal');
    if (url.pathname !== PUSH_PATH && url.pathname !== PUSH_POSITION_PATH) return false;
    void this.#answer(request, url).then((reply) => this.#send(request, response, reply));
    return true;
  }

  #send(request: IncomingMessage, response: ServerResponse, reply: Reply | 'gone'): void {
    if (reply === 'gone' || response.destroyed) return;
    const { status, type, body, headers = {} } = reply;
    dropRest(request, this.#options.clock);
    response.on('error', () => undefined);
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      ...headers,
    });
    response.end(body);
  }

  async #answer(request: IncomingMessage, url: URL): Promise<Reply | 'gone'> {
    try {
      return await this.#route(request, url);
    } catch (error) {
      if (error instanceof PushProblemError) return problemReply(error);
      this.#options.onFault(error);
      return problemReply(
        new PushProblemError(
          'INTERNAL',
          'The service failed; its log says why. It is safe to push the same batch again.',
        ),
      );
    }
  }

  async #route(request: IncomingMessage, url: URL): Promise<Reply | 'gone'> {
    const { secret } = this.#options;
    if (secret === null) {
      throw new PushProblemError(
        'NOT_FOUND',
        'This service takes no pushed trades: TAPELOOM_PUSH_SECRET_FILE is not set.',
      );
    }
    if (!(await secret.accepts(request.headers.authorization))) {
      throw new PushProblemError(
        'UNAUTHORIZED',
        'The header Authorization must be "Bearer" and the secret in the file of TAPELOOM_PUSH_SECRET_FILE.',
        { headers: { 'www-authenticate': 'Bearer' } },
      );
    }
    const isPush = url.pathname === PUSH_PATH;
    const method = isPush ? 'POST' : 'GET';
    if (request.method !== method) {
      const options = { headers: { allow: method } };
      throw new PushProblemError('METHOD_NOT_ALLOWED', `Use ${method}.`, options);
    }
    requireKnown(
      url.searchParams,
      isPush ? ['dataset', 'upTo', 'missingBefore', 'firstId'] : ['dataset'],
    );
    const dataset = this.#datasetOf(url.searchParams.get('dataset'));
    const elsewhere = this.#elsewhere(dataset, url);
    if (elsewhere !== null) return elsewhere;
    if (!isPush) {
      const position = await this.#options.desk.position(dataset);
      if (position === null) throw noLeader(dataset);
      return jsonReply(position);
    }
    return await this.#push(request, url, dataset);
  }

  async #push(request: IncomingMessage, url: URL, dataset: string): Promise<Reply | 'gone'> {
    const parameters = pushParameters(request, url.searchParams);
    if (isAnnouncedTooLarge(request)) throw bodyProblem('too-large');
    const { monotonicNs, clock, desk } = this.#options;
    const beganNs = monotonicNs();
    using held = this.#bodies.reserve(request);
    if (held === null) throw busy('Too many batches are being received.', RETRY_SECONDS);
    const body = await readPushBody(request, clock);
    if (body === 'gone') return 'gone';
    if (typeof body === 'string') throw bodyProblem(body);
    const reply = receiptReply(await desk.push(dataset, { ...parameters, body }));
    const tookMs = Number(monotonicNs() - beganNs) / MS_NS;
    return {
      ...reply,
      headers: { ...reply.headers, 'server-timing': `push;dur=${tookMs.toFixed(2)}` },
    };
  }

  #datasetOf(named: string | null): string {
    const datasets = this.#options.desk.datasets();
    const [only] = datasets;
    if (named === null && datasets.length === 1) return only!;
    if (named !== null && datasets.includes(named)) return named;
    const list = datasets.length === 0 ? 'none' : datasets.join(', ');
    const why = named === null ? 'The parameter dataset is missing.' : 'There is no such dataset.';
    throw new PushProblemError(
      named === null && datasets.length > 1 ? 'INVALID_BATCH' : 'UNKNOWN_DATASET',
      `${why} The datasets that take pushed trades are: ${list}.`,
    );
  }

  /** The answer of a node that does not write this dataset; null on the one that does. */
  #elsewhere(dataset: string, url: URL): Reply | null {
    const leader = this.#options.desk.leaderOf(dataset);
    switch (leader.t) {
      case 'here':
        return null;
      case 'nobody':
        throw noLeader(dataset);
      case 'unaddressed':
        throw unaddressed(dataset, leader.node);
      case 'elsewhere': {
        const location = `${leader.url}${url.pathname}${url.search}`;
        return { status: 307, type: 'text/plain', body: '', headers: { location } };
      }
      default:
        return leader satisfies never;
    }
  }
}

function receiptReply(answer: PushAnswer): Reply {
  if (answer.t === 'acknowledged') return jsonReply(answer.receipt);
  const { code, detail, errors, offTick, retryAfterSeconds } = answer;
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return problemReply(new PushProblemError(code, detail, { errors, offTick, headers }));
}

function jsonReply(value: object): Reply {
  return { status: 200, type: 'application/json', body: `${JSON.stringify(value)}\n` };
}

function problemReply({ problem, headers }: PushProblemError): Reply {
  const body = `${JSON.stringify({ type: 'about:blank', ...problem })}\n`;
  return { status: problem.status, type: PROBLEM_CONTENT_TYPE, body, headers };
}

function bodyProblem(fault: Exclude<BodyFault, 'gone'>): PushProblemError {
  switch (fault) {
    case 'too-large':
      return new PushProblemError(
        'TOO_LARGE',
        `The body has more than ${PUSH_BYTES_MAX} bytes. Send the trades in several batches.`,
      );
    case 'too-slow':
      return new PushProblemError(
        'BODY_TOO_SLOW',
        'The body did not arrive in time, and nothing of it was taken. Send smaller batches.',
        { headers: { connection: 'close' } },
      );
    default:
      return fault satisfies never;
  }
}

function noLeader(dataset: string): PushProblemError {
  return new PushProblemError(
    'NO_LEADER',
    `No node leads the dataset ${dataset} at the moment. Try again in ${RETRY_SECONDS} s.`,
    { headers: { 'retry-after': String(RETRY_SECONDS) } },
  );
}

function unaddressed(dataset: string, node: string): PushProblemError {
  return new PushProblemError(
    'NO_LEADER',
    `The node ${node} leads the dataset ${dataset}, but other nodes do not know its internal address. Set TAPELOOM_INTERNAL_URL there, or push to that node.`,
    { headers: { 'retry-after': String(RETRY_SECONDS) } },
  );
}

function busy(why: string, seconds: number): PushProblemError {
  return new PushProblemError('BUSY', `${why} Push the same batch again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}
