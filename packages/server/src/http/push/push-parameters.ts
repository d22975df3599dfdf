/** The headers and query of a pushed batch. What is wrong is named, with what is accepted. */

import type { IncomingMessage } from 'node:http';
import { instantFault, parseInstant } from '@tapeloom/core/instant-text';
import {
  DBN_TYPE,
  NDJSON_TYPE,
  PUSH_BATCH_HEADER,
  PUSH_BATCH_ID,
  type PushFault,
} from '@tapeloom/protocol/push';
import type { PushContentType, PushRequest } from '../../platform/push-exchange.ts';
import { PushProblemError } from './push-problem.ts';

const WHOLE = /^(?:0|[1-9]\d{0,15})$/;

export type PushParameters = Omit<PushRequest, 'body'>;

/** Refuses parameters that the endpoint does not have: a misspelt one would be ignored otherwise. */
export function requireKnown(query: URLSearchParams, known: readonly string[]): void {
  for (const name of query.keys()) {
    if (known.includes(name)) continue;
    throw invalid(name, `is not known. The parameters are ${known.join(', ')}.`);
  }
}

export function pushParameters(
  { headers }: Pick<IncomingMessage, 'headers'>,
  query: URLSearchParams,
): PushParameters {
  return {
    contentType: contentTypeOf(headers['content-type'], headers['content-encoding']),
    batchId: batchIdOf(headers[PUSH_BATCH_HEADER]),
    upTo: instantOf('upTo', query.get('upTo')),
    missingBefore: instantOf('missingBefore', query.get('missingBefore')),
    firstId: firstIdOf(query.get('firstId')),
  };
}

function contentTypeOf(type = '', encoding = 'identity'): PushContentType {
  const name = type.split(';')[0]!.trim().toLowerCase();
  if (encoding !== 'identity') {
    throw new PushProblemError(
      'UNSUPPORTED_TYPE',
      'A body with Content-Encoding is not accepted. Send it as it is; a DBN body may itself be packed with zstd.',
    );
  }
  if (name === NDJSON_TYPE || name === DBN_TYPE) return name;
  throw new PushProblemError(
    'UNSUPPORTED_TYPE',
    `The header Content-Type must be ${NDJSON_TYPE} or ${DBN_TYPE}.`,
  );
}

function batchIdOf(id: string | readonly string[] | undefined): string {
  if (typeof id === 'string' && PUSH_BATCH_ID.test(id)) return id;
  throw invalid(
    'Tapeloom-Batch',
    'must be an id of 1 to 128 visible ASCII characters, another one for each batch. Repeat a batch with the same id.',
  );
}

function instantOf(name: string, text: string | null): PushRequest['upTo'] {
  if (text === null) return null;
  const instant = parseInstant(text);
  if (instant !== null) return instant;
  throw invalid(name, `${instantFault(text)}.`);
}

function firstIdOf(text: string | null): number | null {
  if (text === null) return null;
  const id = WHOLE.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw invalid('firstId', `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`);
}

function invalid(path: string, message: string): PushProblemError {
  const errors: PushFault[] = [{ line: null, path, message }];
  return new PushProblemError('INVALID_BATCH', `${path} ${message}`, { errors });
}
