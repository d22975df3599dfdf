/** The service cannot start, for a reason that the operator can fix. The message is complete. */
export class StartRefusedError extends Error {}

/** The reason is a setting: another start with the same settings fails too. */
export class MisconfiguredError extends StartRefusedError {}
