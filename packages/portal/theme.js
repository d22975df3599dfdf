/**
 * Runs before the first paint, so that no page ever flashes in the wrong theme or the wrong dyes. It is a file of
 * its own because our pages allow no inline script, and no module because modules wait for the document.
 */
(() => {
  try {
    const root = document.documentElement.dataset;
    const theme = localStorage.getItem('tapeloom.theme');
    if (theme === 'light' || theme === 'dark') root.theme = theme;
    if (localStorage.getItem('tapeloom.dyes') === 'classic') root.dyes = 'classic';
  } catch {
    // Storage is switched off: the system's theme it is.
  }
})();
