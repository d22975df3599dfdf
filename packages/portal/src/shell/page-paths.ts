/**
 * The addresses of the portal's pages, and the frame around each. `app` pages need a session; `either` ones are shown to
 * everybody, and have the side bar for who is signed in; `bare` ones stand alone.
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
  // The page of an unknown address is for everybody.
  return isPagePath(path) ? FRAMES[path] : 'either';
}

function isPagePath(path: string): path is PagePath {
  return Object.hasOwn(FRAMES, path);
}

/** Links to these are followed without a new document; all others are the browser's own. */
export const APP_PATHS = new RegExp(`^(?:${Object.keys(FRAMES).join('|')})/?(?:[?#]|$)`);
