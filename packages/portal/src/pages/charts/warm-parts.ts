/** Fetches what the bar at the top can open, as soon as a pointer or the focus comes near: menus then open at once. */

let isWarm = false;

export function warmParts(): void {
  if (isWarm) return;
  isWarm = true;
  const parts = [
    () => import('./chooser-parts.tsx'),
    () => import('./open-drawer.tsx'),
    () => import('./layout-parts.tsx'),
    () => import('./share-items.tsx'),
  ];
  // A part that cannot be fetched now is fetched when it opens.
  for (const part of parts) part().catch(() => {});
}
