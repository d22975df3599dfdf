/** Renders numbers and errors of the limits page. All values are imported from the code that enforces them. */

import { CloseCode, CloseReason } from '@tapeloom/protocol/close-codes';
import { ERROR_CODES, type ErrorCode, errorAnchor } from '@tapeloom/protocol/error-codes';

const KIB = 1_024;
const SIZES = [
  [KIB ** 3, 'GiB'],
  [KIB ** 2, 'MiB'],
  [KIB, 'KiB'],
] as const;
const SPANS_MS = [
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
  [1_000, 'seconds'],
] as const;

export function count(value: number): string {
  return value.toLocaleString('en');
}

/** In the largest unit that divides it or fits into it more than four times, rounded down. */
export function size(bytes: number): string {
  const [unit, name] = SIZES.find(([each]) => bytes % each === 0 || bytes > 4 * each) ?? [1, 'B'];
  return `${count(Math.floor(bytes / unit))} ${name}`;
}

/** `7 days`, `15 minutes`; a single unit is shown in the next smaller one: `24 hours`, `60 seconds`. */
export function span(milliseconds: number): string {
  const found = SPANS_MS.find(([each]) => milliseconds % each === 0 && milliseconds > each);
  const [each, name] = found ?? [1, 'ms'];
  return `${count(milliseconds / each)} ${name}`;
}

export function spanOfNs(nanoseconds: bigint | number): string {
  return span(Number(nanoseconds) / 1_000_000);
}

/** `429 RATE_LIMITED`, linked to advice. `status` selects one of several. */
export function refused(code: ErrorCode, status?: number): string {
  const statuses: readonly number[] = ERROR_CODES[code].statuses;
  const shown = status ?? statuses[0];
  if (shown !== undefined && !statuses.includes(shown)) {
    throw new Error(`${code} does not come with ${shown}`);
  }
  return `${shown === undefined ? '' : `${shown} `}${told(code)}`;
}

/** For the stream, which has no status codes. */
export function told(code: ErrorCode): string {
  return `[\`${code}\`](errors.md#${errorAnchor(code)})`;
}

export function closed(how: keyof typeof CloseCode, why?: keyof typeof CloseReason): string {
  const reason = why === undefined ? '' : ` \`${CloseReason[why]}\``;
  return `close [\`${CloseCode[how]}\`](protocol.md#close-codes)${reason}`;
}

export function spanOfSeconds(seconds: number): string {
  return span(seconds * 1_000);
}

export function bodyTooLarge(): string {
  return refused('INVALID_PARAMETERS', 413);
}

export function keysFull(): string {
  return refused('QUOTA_EXCEEDED', 409);
}
