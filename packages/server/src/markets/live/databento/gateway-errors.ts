/** What an error of a Databento gateway means for the connection. */

import { MINUTE_MS } from '@tapeloom/core/units';
import { ERROR_CODES } from '../../../feeds/dbn/gateway-records.ts';

/** Only an operator can help. */
const KEY_RETRY_MS = 10 * MINUTE_MS;
const LIMIT_RETRY_MS = MINUTE_MS;

export interface GatewayEnd {
  readonly why: string;
  readonly retryAfterMs: number | null;
}

/** Whether another attempt may succeed without an operator. */
export function mayPass({ retryAfterMs }: GatewayEnd): boolean {
  return retryAfterMs !== KEY_RETRY_MS;
}

/** The gateway's reply to our authentication. It has no codes, only a text. */
export function authRefusal(text: string): GatewayEnd {
  const isLimit = /limit|too many|connections/i.test(text);
  return {
    why: isLimit
      ? `The gateway accepts no further connection: ${text}`
      : `The gateway does not accept the key: ${text}`,
    retryAfterMs: isLimit ? LIMIT_RETRY_MS : KEY_RETRY_MS,
  };
}

/** An error record that ends the session; all but those about a single symbol do. */
export function endByError(code: number | null, text: string): GatewayEnd {
  switch (code) {
    case ERROR_CODES.authFailed:
      return { why: `The gateway does not accept the key: ${text}`, retryAfterMs: KEY_RETRY_MS };
    case ERROR_CODES.keyDeactivated:
      return { why: `The key is deactivated: ${text}`, retryAfterMs: KEY_RETRY_MS };
    case ERROR_CODES.connectionLimit:
      return {
        why: `The gateway accepts no further connection: ${text}`,
        retryAfterMs: LIMIT_RETRY_MS,
      };
    case ERROR_CODES.invalidSubscription:
      return {
        why: `The gateway does not accept the subscription: ${text}`,
        retryAfterMs: LIMIT_RETRY_MS,
      };
    case ERROR_CODES.recordsSkipped:
      return {
        why: `The gateway skipped records, since we read slowly: ${text}`,
        retryAfterMs: null,
      };
    default:
      return { why: `The gateway has an error: ${text}`, retryAfterMs: null };
  }
}
