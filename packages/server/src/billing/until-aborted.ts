/** An answer for as long as somebody waits for it. What gives it is not stopped; that is its own affair. */
export async function untilAborted<Answer>(
  answered: Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([answered, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
