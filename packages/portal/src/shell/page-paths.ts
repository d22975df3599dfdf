/**
 * The addresses of the portal's pages, and their frames. `app` pages need a session; `either` pages are public and show
 * the side bar in a session; `bare` pages have no frame.
 */

export type Frame = 'app' | 'either' | 'bare';

const FRAMES = {
  '/sign-in': 'bare',
  '/dashboard': 'app',
  '/keys': 'app',
  '/plans': 'either',
  '/checkout': 'app',
  '/orders': 'app',
  '/withdraw': 'app',
  '/account': 'app',
  '/status': 'either',
  '/imprint': 'either',
  '/privacy': 'either',
  '/terms': 'either',
} as const satisfies Record<string, Frame>;

export type PagePath = keyof typeof FRAMES;

export function frameOf(path: string): Frame {
  // An unknown address gets the public frame.
  return isPagePath(path) ? FRAMES[path] : 'either';
}

function isPagePath(path: string): path is PagePath {
  return Object.hasOwn(FRAMES, path);
}

/** Links to these are followed without a new document; the browser handles all others. */
export const APP_PATHS = new RegExp(`^(?:${Object.keys(FRAMES).join('|')})/?(?:[?#]|$)`);
