/** The targets of the portal's own links. */

import type { IconName } from '../components/icon-shapes.ts';

export interface NavigationItem {
  readonly href: string;
  readonly icon: IconName;
  readonly name: string;
  /** Other pages that belong to the item. */
  readonly also?: readonly string[];
}

export const MAIN_ITEMS: readonly NavigationItem[] = [
  { href: '/dashboard', icon: 'home', name: 'Overview' },
  // A document of its own: no other page loads any of it.
  { href: '/charts', icon: 'chart', name: 'Charts' },
  { href: '/keys', icon: 'key', name: 'Keys' },
  { href: '/plans', icon: 'plan', name: 'Plans', also: ['/checkout'] },
  { href: '/orders', icon: 'bill', name: 'Billing', also: ['/withdraw'] },
  { href: '/account', icon: 'user', name: 'Account' },
];

export const MORE_ITEMS: readonly NavigationItem[] = [
  { href: '/docs', icon: 'book', name: 'Docs' },
  { href: '/status', icon: 'pulse', name: 'Status' },
];

export const LEGAL_ITEMS = [
  { href: '/imprint', name: 'Imprint' },
  { href: '/privacy', name: 'Privacy' },
  { href: '/terms', name: 'Terms' },
] as const;

/** A page of the server, which knows the operator's address. */
export const SUPPORT_ITEM = { href: '/support', name: 'Support' } as const;

/** Where buyers withdraw from a contract. */
export const WITHDRAW_ITEM = { href: '/withdraw', name: 'Withdraw from a contract' } as const;

export function isHere(item: NavigationItem, path: string): boolean {
  return item.href === path || (item.also?.includes(path) ?? false);
}
