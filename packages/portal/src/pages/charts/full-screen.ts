/** Full screen of the whole page; a browser that does not permit it stays as it is. */

export function isFullScreen(): boolean {
  return document.fullscreenElement !== null;
}

export function toggleFullScreen(): void {
  const change = isFullScreen()
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen?.();
  change?.catch(() => {});
}
