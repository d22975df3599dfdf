/** Turns any failure into the problem document: the caller's faults exactly, our own by a request id only. */

import { ERROR_CODES, errorAnchor } from '@tapeloom/protocol/error-codes';
import type { FieldFault, Problem } from '@tapeloom/protocol/problem';
import type { FastifySchemaValidationError } from 'fastify';
import { Refusal } from '../../../platform/refusal.ts';
import { answerTo } from '../../../platform/refusal-answer.ts';
import { invalidParameters, ProblemError } from './problem-error.ts';

const NOT_JSON = 'The body must be JSON, sent with the content type application/json.';

/** The document of an error; `instance` is the request id. */
export function problemDocument(error: ProblemError, instance: string, docsUrl: string): Problem {
  return {
    type: `${docsUrl}/errors#${errorAnchor(error.code)}`,
    title: ERROR_CODES[error.code].title,
    status: error.status,
    detail: error.message,
    code: error.code,
    instance,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
    ...error.members,
  };
}

/** The error that a thrown value means to the caller. Anything unforeseen is `INTERNAL`. */
export function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof Refusal) return problemOfRefusal(error);
  switch ((error as { code?: unknown } | null)?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return invalidParameters([{ path: '', message: 'The body is larger than 16,384 bytes.' }], {
        status: 413,
        cause: error,
      });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return notJson(error);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return cutBody(error);
    case 'FST_ERR_BAD_URL':
      return invalidParameters([{ path: '', message: 'The address is malformed.' }], {
        cause: error,
      });
    default:
      return problemOfRefusal(new Refusal({ t: 'failed' }, error));
  }
}

function problemOfRefusal(refusal: Refusal): ProblemError {
  const { code, detail, errors, members = {}, retryAfterSeconds } = answerTo(refusal.reason);
  return new ProblemError(code, detail, {
    ...(errors && { errors }),
    members,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    cause: refusal,
  });
}

export function cutBody(cause: unknown): ProblemError {
  const message = 'The body is not as long as Content-Length says.';
  return invalidParameters([{ path: '', message }], { headers: { connection: 'close' }, cause });
}

export function notJson(cause: unknown): ProblemError {
  return invalidParameters([{ path: '', message: NOT_JSON }], { status: 415, cause });
}

/** Where a body fails to be JSON, without quoting any of it. */
export function brokenJson(fault: string, cause: unknown): ProblemError {
  const message = `The body is not JSON: ${fault}.`;
  return invalidParameters([{ path: '', message }], { status: 415, cause });
}

/** One fault per field, at the field itself or where a missing one belongs. */
export function fieldFaults(validation: readonly FastifySchemaValidationError[]): FieldFault[] {
  const faults = new Map<string, FieldFault>();
  for (const { instancePath, keyword, params, message } of validation) {
    const name = params.missingProperty ?? params.additionalProperty;
    const path =
      name === undefined ? instancePath : `${instancePath}/${pointerToken(String(name))}`;
    if (faults.has(path)) continue;
    faults.set(path, { path, message: faultMessage(keyword, params, message) });
  }
  return [...faults.values()];
}

function faultMessage(
  keyword: string,
  params: Record<string, unknown>,
  message: string | undefined,
): string {
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties':
      return 'is not known';
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'pattern':
      return 'has characters that are not accepted';
    default:
      return message ?? 'is not accepted';
  }
}

/** A name as one token of a JSON pointer (RFC 6901). */
export function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
