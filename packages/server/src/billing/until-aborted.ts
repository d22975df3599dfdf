/** Waits for an answer until the signal aborts. The work behind the answer is not stopped. */
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
