/** The service cannot start, for a reason that is the operator's to mend: the message is the whole story. */
export class StartRefusedError extends Error {}

/** The reason is a setting: starting again with the same ones ends the same way. */
export class MisconfiguredError extends StartRefusedError {}
