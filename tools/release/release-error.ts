/** A release that cannot go on. The message says what happened, why, and what to do. */
export class ReleaseError extends Error {}
