/** Turns error responses into errors: the service's own, by their error document, and those of a proxy. */

import { TapeloomError } from '../tapeloom-error.ts';
import type { OpenAnswer } from './open-answer.ts';

/** An error document is a few lines; with 1,000 missing days some kilobytes. */
const DOCUMENT_BYTES_MAX = 256 * 1024;
const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

export async function errorOf(answer: OpenAnswer): Promise<TapeloomError> {
  const { status, headers } = answer;
  const retryAfterSeconds = retryAfterOf(headers);
  const requestId = headers.get('x-request-id');
  if (answer.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    answer.dispose();
    return redirected(answer, requestId);
  }
  const document = await documentOf(answer);
  if (document === null) {
    const message = `${answer.name}: HTTP ${status}, and not an error of the service.`;
    const details = { status, requestId, retryAfterSeconds };
    return new TapeloomError(`HTTP_${status}`, message, details);
  }
  const { code, detail, title, instance } = document;
  return new TapeloomError(code, textOf(detail) ?? textOf(title) ?? code, {
    status,
    requestId: textOf(instance) ?? requestId,
    retryAfterSeconds,
    errors: faultsOf(document.errors),
    computeUnits: numberOf(document.computeUnits),
    remainingComputeUnits: numberOf(document.remainingComputeUnits),
    missingDays: listOf(document.missingDays).filter((day) => typeof day === 'string'),
    missingDaysTotal: numberOf(document.missingDaysTotal),
    endsBeforeFrom: document.endsBeforeFrom === true,
  });
}

/** The header in seconds; a date counts relative to the response's own `Date`. Null if there is neither. */
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (!text.endsWith(' GMT')) return null;
  const ms = Date.parse(text) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(ms) ? null : Math.max(0, Math.ceil(ms / 1_000));
}

/** Redirects are not followed: they could carry the key to another server. */
function redirected({ name, status, headers }: OpenAnswer, requestId: string | null) {
  const place = headers.get('location');
  const where = place === null ? '' : ` to ${place.split(/[?#]/)[0]!.slice(0, 200)}`;
  return new TapeloomError(
    status === 0 ? 'INVALID_RESPONSE' : `HTTP_${status}`,
    `${name}: redirected${where}. Redirects are not followed; set the url to where the service is.`,
    { status: status === 0 ? null : status, requestId },
  );
}

interface ErrorDocument {
  readonly code: string;
  readonly [member: string]: unknown;
}

async function documentOf(answer: OpenAnswer): Promise<ErrorDocument | null> {
  if (!isJson(answer.headers)) {
    answer.dispose();
    return null;
  }
  try {
    const bytes = await answer.whole(DOCUMENT_BYTES_MAX);
    const document = bytes === null ? null : JSON.parse(new TextDecoder().decode(bytes));
    return CODE.test(String(document?.code)) ? document : null;
  } catch (error) {
    // An abort by the caller is rethrown. A cut or invalid body is no document.
    if (error instanceof TapeloomError || error instanceof SyntaxError) return null;
    throw error;
  }
}

export function isJson(headers: Headers): boolean {
  return /^[^;]*[/+]json\s*(?:;|$)/i.test(headers.get('content-type') ?? '');
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function faultsOf(value: unknown) {
  return listOf(value).flatMap((fault) => {
    const { path, message } = (fault ?? {}) as Readonly<Record<string, unknown>>;
    return typeof path === 'string' && typeof message === 'string' ? [{ path, message }] : [];
  });
}
