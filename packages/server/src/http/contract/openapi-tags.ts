/** Groups the operations of the contract by their paths. */

interface Tag {
  readonly name: string;
  readonly description: string;
}

const TAGS = {
  catalogue: {
    name: 'Catalogue',
    description: 'What can be computed, and for which instruments.',
  },
  history: {
    name: 'History',
    description: 'Results over a range of the past: what they cost, in pages, or as a file.',
  },
  stream: {
    name: 'Stream',
    description:
      'Tokens with which a browser opens the stream. Its messages are in the AsyncAPI document.',
  },
  keys: { name: 'Keys', description: 'Managing keys with a key that has the scope `keys`.' },
  account: { name: 'Account', description: 'Limits, what was used of them, and what is sold.' },
  service: { name: 'Service', description: 'How the service does, and what it speaks.' },
  portal: {
    name: 'Portal',
    description:
      "For the portal's own pages, which know who is signed in by a cookie. No program should call them: they may change at " +
      'any time.',
  },
  payments: { name: 'Payments', description: 'Where payment providers tell what happened.' },
} as const satisfies Record<string, Tag>;

/** Paths with no beginning of this list belong to the service. */
const BEGINNINGS: readonly (readonly [string, keyof typeof TAGS])[] = [
  ['/v1/indicators', 'catalogue'],
  ['/v1/instruments', 'catalogue'],
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
