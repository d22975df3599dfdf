/** The portal cannot be built as it stands, and the message says what must change. */

export class BuildRefusedError extends Error {
  override readonly name = 'BuildRefusedError';
}
