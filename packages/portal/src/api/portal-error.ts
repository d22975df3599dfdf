/** A failed request, with all that the service returned: code, message, fields. */

import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { FieldFault, Problem } from '@tapeloom/protocol/problem';

/** `UNREACHABLE`: there was no response, or one that is not from the service. */
export type PortalErrorCode = ErrorCode | 'UNREACHABLE';

export class PortalError extends Error {
  override readonly name = 'PortalError';
  readonly code: PortalErrorCode;
  /** 0 without a response. */
  readonly status: number;
  readonly requestId: string | null;
  readonly errors: readonly FieldFault[];
  readonly retryAfterSeconds: number | null;
  readonly needsPasskey: boolean;

  constructor(
    code: PortalErrorCode,
    detail: string,
    more: Partial<
      Pick<
        PortalError,
        'status' | 'requestId' | 'errors' | 'retryAfterSeconds' | 'needsPasskey' | 'cause'
      >
    > = {},
  ) {
    super(detail, { cause: more.cause });
    this.code = code;
    this.status = more.status ?? 0;
    this.requestId = more.requestId ?? null;
    this.errors = more.errors ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
    this.needsPasskey = more.needsPasskey ?? false;
  }

  /** The service's message about one field, by its JSON pointer (`/email`, `/allowedIps/0`); null: none. */
  fault(path: string): string | null {
    return this.errors.find((error) => error.path === path)?.message ?? null;
  }
}

export async function portalErrorOf(response: Response): Promise<PortalError> {
  const retryAfter = Number(response.headers.get('retry-after'));
  const { status } = response;
  let problem: Partial<Problem>;
  try {
    problem = await response.json();
  } catch (cause) {
    return new PortalError('UNREACHABLE', `The service answered with ${status} and no reason.`, {
      status,
      cause,
    });
  }
  return new PortalError(problem.code ?? 'UNREACHABLE', problem.detail ?? `Status ${status}.`, {
    status,
    requestId: problem.instance ?? null,
    errors: problem.errors ?? [],
    needsPasskey: problem.needsPasskey === true,
    retryAfterSeconds: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null,
  });
}
