/** The headers that report how much of the allowance is left. */

/** The allowance is per minute. */
export const RATE_WINDOW_SECONDS = 60;

export const RATE_HEADERS = {
  limit: 'RateLimit-Limit',
  remaining: 'RateLimit-Remaining',
  reset: 'RateLimit-Reset',
  policy: 'RateLimit-Policy',
} as const;
