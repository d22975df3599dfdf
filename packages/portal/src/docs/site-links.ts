/**
 * Resolves a page's links: to another page's address, to an anchor on the same page, or out of the site. A path that is
 * not on the site has no target, and no link is a script.
 */

export interface MarkdownPlace {
  /** Relative to the documentation folder: `client/README.md`. */
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

/** Null: the target is not served. */
export function linkTarget(href: string, place: MarkdownPlace): LinkTarget | null {
  if (/^(?:https?|mailto):/.test(href)) return { address: href, hash: '', isOurs: false };
  if (/^[a-z][a-z+.-]*:/i.test(href) || href.startsWith('//')) return null;
  const [target, anchor] = href.split('#') as [string, string?];
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (target === '') return { address: '', hash, isOurs: true };
  const address = place.addressOf(joined(place.path, target));
  return address === null ? null : { address, hash, isOurs: true };
}

/** Resolves a path relative to a page's. Outside pages refer to inner ones through the documentation's folder name. */
export function joined(page: string, target: string): string {
  const parts = page.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/').replace(/^\.\.\/docs\//, '');
}
