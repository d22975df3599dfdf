/** A release that cannot continue. The message says what happened, why, and what to do. */
export class ReleaseError extends Error {}
