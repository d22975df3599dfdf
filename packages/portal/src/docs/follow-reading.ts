/** Marks the last passed heading in the list of the page's headings. */
export function followReading(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.docs-here a')].map((link) => [
      decodeURIComponent(link.hash.slice(1)),
      link,
    ]),
  );
  if (links.size === 0) return;
  const headings = [...links.keys()].flatMap((id) => document.getElementById(id) ?? []);
  let marked: HTMLAnchorElement | undefined;
  const look = () => {
    // The reference may hide some headings.
    const shown = headings.filter((heading) => heading.getClientRects().length > 0);
    const passed = shown.findLast((heading) => heading.getBoundingClientRect().top < 120);
    const link = links.get((passed ?? shown[0])?.id ?? '');
    if (link === marked) return;
    marked?.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'true');
    link?.scrollIntoView({ block: 'nearest' });
    marked = link;
  };
  let isDue = false;
  addEventListener(
    'scroll',
    () => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        look();
      });
    },
    { passive: true },
  );
  look();
}
