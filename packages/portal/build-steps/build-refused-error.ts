/** The portal cannot be built; the message names what must change. */

export class BuildRefusedError extends Error {
  override readonly name = 'BuildRefusedError';
}
