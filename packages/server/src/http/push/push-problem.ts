/** An error of the push endpoint, answered as a problem document. */

import {
  type OffTickPrice,
  PUSH_ERRORS,
  type PushErrorCode,
  type PushFault,
  type PushProblem,
} from '@tapeloom/protocol/push';

export interface PushProblemOptions {
  readonly errors?: readonly PushFault[] | undefined;
  readonly offTick?: OffTickPrice | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export class PushProblemError extends Error {
  readonly problem: PushProblem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: PushErrorCode, detail: string, options: PushProblemOptions = {}) {
    super(detail);
    const { errors, offTick, headers = {} } = options;
    const { status, title } = PUSH_ERRORS[code];
    this.problem = {
      title,
      status,
      detail,
      code,
      ...(errors && { errors }),
      ...(offTick && { offTick }),
    };
    this.headers = headers;
  }
}
