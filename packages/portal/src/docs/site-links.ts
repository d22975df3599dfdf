/**
 * Where a link of a page leads: to the address of another page, to a place on the same one, or out of the site. What is
 * not on the site leads nowhere, and no link is a script.
 */

export interface MarkdownPlace {
  /** Below the folder of the documentation: `client/README.md`. */
  readonly path: string;
  /** The address of a page by its path, or null if it is not on the site. */
  addressOf(path: string): string | null;
}

export interface LinkTarget {
  /** Empty: the page itself. */
  readonly address: string;
  /** `#anchor`, or empty. */
  readonly hash: string;
  readonly isOurs: boolean;
}

/** Null: it leads nowhere that we serve. */
export function linkTarget(href: string, place: MarkdownPlace): LinkTarget | null {
  if (/^(?:https?|mailto):/.test(href)) return { address: href, hash: '', isOurs: false };
  if (/^[a-z][a-z+.-]*:/i.test(href) || href.startsWith('//')) return null;
  const [target, anchor] = href.split('#') as [string, string?];
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (target === '') return { address: '', hash, isOurs: true };
  const address = place.addressOf(joined(place.path, target));
  return address === null ? null : { address, hash, isOurs: true };
}

/** A path that is written relative to a page's. Pages outside of the documentation name those inside by its folder. */
export function joined(page: string, target: string): string {
  const parts = page.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/').replace(/^\.\.\/docs\//, '');
}
