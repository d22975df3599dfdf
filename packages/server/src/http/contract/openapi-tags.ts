/** Groups the operations of the contract by their paths. */

interface Tag {
  readonly name: string;
  readonly description: string;
}

const TAGS = {
  catalogue: {
    name: 'Catalogue',
    description:
      'The indicators, the instruments for which you can request them, and the sessions of their markets.',
  },
  history: {
    name: 'History',
    description: 'Results over a range of the past: cost estimates, pages and files.',
  },
  stream: {
    name: 'Stream',
    description:
      'Tokens with which a browser opens the stream. The AsyncAPI document describes the messages of the stream.',
  },
  keys: { name: 'Keys', description: 'Key management, with a key that has the scope `keys`.' },
  account: { name: 'Account', description: 'Limits, usage, offers and prices.' },
  service: {
    name: 'Service',
    description: 'The state of the service, and its interface documents.',
  },
  portal: {
    name: 'Portal',
    description:
      "For the portal's own pages, which authenticate by a session cookie. Do not call these routes " +
      'from a program: they may change at any time.',
  },
  payments: {
    name: 'Payments',
    description: 'Webhooks, with which payment providers report changes.',
  },
} as const satisfies Record<string, Tag>;

/** Paths with no beginning of this list belong to the service. */
const BEGINNINGS: readonly (readonly [string, keyof typeof TAGS])[] = [
  ['/v1/indicators', 'catalogue'],
  ['/v1/instruments', 'catalogue'],
  ['/v1/sessions', 'catalogue'],
  ['/v1/history', 'history'],
  ['/v1/export', 'history'],
  ['/v1/stream-tokens', 'stream'],
  ['/v1/keys', 'keys'],
  ['/v1/usage', 'account'],
  ['/v1/offers', 'account'],
  ['/v1/pricing', 'account'],
  ['/v1/portal/', 'portal'],
  ['/v1/webhooks/', 'payments'],
];

export const ALL_TAGS: readonly Tag[] = Object.values(TAGS);

export function tagOf(path: string): string {
  const found = BEGINNINGS.find(([beginning]) => path.startsWith(beginning));
  return TAGS[found?.[1] ?? 'service'].name;
}
