/** Why something failed, for an operator, in one line. */

/** `fetch` hides the reason in the cause; an attempt at several addresses has one for each. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const text = textOf(error);
  if (!(cause instanceof Error)) return text;
  // `fetch` says no more than that it failed.
  return text === 'fetch failed' ? textOf(cause) : `${text} (${textOf(cause)})`;
}

function textOf(error: Error): string {
  const { message } = error;
  const all = message === '' && error instanceof AggregateError ? error.errors : [];
  const text = message === '' ? all.map((one) => reasonOf(one)).join(', ') : message;
  return text.replaceAll(/\s+/g, ' ').trim();
}
