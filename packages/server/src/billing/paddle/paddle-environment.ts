/**
 * Paddle has two separate environments: the sandbox, where no money moves, and the live one. A key's prefix names its
 * environment; a key of the older form has none, and then the client token decides.
 */

export type PaddleEnvironment = 'sandbox' | 'live';

export const PADDLE_URLS: Readonly<Record<PaddleEnvironment, string>> = {
  sandbox: 'https://sandbox-api.paddle.com',
  live: 'https://api.paddle.com',
};

/** `test_` or `live_` and 27 letters and digits, as the dashboard shows it. */
const CLIENT_TOKEN = /^(test|live)_[a-z0-9]{27}$/;

export function paddleEnvironment(key: string, clientToken: string): PaddleEnvironment {
  if (key.startsWith('pdl_sdbx_')) return 'sandbox';
  if (key.startsWith('pdl_live_')) return 'live';
  return clientToken.startsWith('test_') ? 'sandbox' : 'live';
}

/** The fault of a client token; null: it has the right form and the key's environment. */
export function clientTokenFault(clientToken: string, environment: PaddleEnvironment) {
  const [, world] = CLIENT_TOKEN.exec(clientToken) ?? [];
  if (world === undefined) {
    return 'a client token is test_ or live_ and 27 letters and digits; API keys do not belong in a page';
  }
  const isSandbox = world === 'test';
  if (isSandbox === (environment === 'sandbox')) return null;
  return `the client token begins with ${world}_, and the API key belongs to the ${environment} account`;
}
