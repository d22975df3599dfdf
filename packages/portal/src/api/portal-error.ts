/** A call that did not succeed, with all that the service said about it: the code, the sentence, the fields. */

import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { FieldFault, Problem } from '@tapeloom/protocol/problem';

/** `UNREACHABLE`: no answer came at all, or one that is not the service's. */
export type PortalErrorCode = ErrorCode | 'UNREACHABLE';

export class PortalError extends Error {
  override readonly name = 'PortalError';
  readonly code: PortalErrorCode;
  /** 0 where there was no answer. */
  readonly status: number;
  readonly requestId: string | null;
  readonly errors: readonly FieldFault[];
  readonly retryAfterSeconds: number | null;
  /** It has to be confirmed by a passkey. */
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

  /** What the service says about one field, by its JSON pointer (`/email`, `/allowedIps/0`); null: nothing. */
  fault(path: string): string | null {
    return this.errors.find((error) => error.path === path)?.message ?? null;
  }
}

/** The error of an answer that is not a success. */
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
