/** Why a connection ended, as a sentence that says what to do. */

export function closeSentence(code: number, reason: string, url: string): string {
  const said = reason === '' ? '' : ` (${reason})`;
  switch (code) {
    case 1000:
      return 'The connection was closed.';
    case 1006:
      return `The connection to ${url} was lost or never came to be. Is the service running (npm start)?`;
    case 1008:
      return 'The service closed the connection because too many messages were sent.';
    case 1013:
      return `The service is restarting or at its limit${said}. Try again in a moment.`;
    case 4001:
      return 'The service did not accept the key. Give a valid one with --key or in TAPELOOM_KEY; tapeloom key create makes one.';
    case 4003:
      return forbiddenSentence(reason, said);
    case 4008:
      return reason === 'PING_TIMEOUT'
        ? 'The service heard nothing for 30 s and closed the connection.'
        : 'This terminal could not keep up with the stream, so the service closed the connection.';
    case 4029:
      return 'Too many connections are open for this plan. Close another one first; a connection that was lost counts for 90 s at most.';
    default:
      return `The service closed the connection with code ${code}${said}.`;
  }
}

function forbiddenSentence(reason: string, said: string): string {
  switch (reason) {
    case 'KEY_REVOKED':
      return 'The key was revoked or has expired.';
    case 'ENTITLEMENTS_CHANGED':
      return 'The account has another plan now, which does not cover this connection.';
    case 'FORBIDDEN':
      return 'The key may not stream: it lacks the scope, or this address is not among its addresses, or its account is suspended.';
    default:
      return `The key may not open this stream${said}.`;
  }
}
