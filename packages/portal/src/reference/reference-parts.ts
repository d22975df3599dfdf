/** The parts of the reference that need scripts, each imported on its own page. The pages are complete without them. */

const PARTS: Readonly<Record<string, (article: HTMLElement) => Promise<unknown>>> = {
  '/docs/reference/rest': async (article) =>
    (await import('./rest-reference.ts')).startRestReference(article),
  '/docs/reference/stream': async (article) =>
    (await import('./stream-reference.tsx')).startStreamReference(article),
};

export function startReference(): void {
  const article = document.querySelector<HTMLElement>('.docs-text');
  const start = PARTS[location.pathname.replace(/\/$/, '')];
  if (article === null || start === undefined) return;
  start(article).catch((error: unknown) => {
    // The static list stays, and is complete.
    console.warn(error);
  });
}
