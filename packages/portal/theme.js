/**
 * Runs before the first paint, so that no page flashes in the wrong theme or dyes. A file of its own, because our pages
 * allow no inline scripts; no module, because modules wait for the document.
 */
(() => {
  try {
    const root = document.documentElement.dataset;
    const theme = localStorage.getItem('tapeloom.theme');
    if (theme === 'light' || theme === 'dark') root.theme = theme;
    if (localStorage.getItem('tapeloom.dyes') === 'classic') root.dyes = 'classic';
  } catch {
    // Storage is disabled: the system's theme applies.
  }
})();
