/** The landing page as HTML, made once per build. */

import { renderToString } from 'preact-render-to-string';
import { LandingPage } from './landing-page.tsx';

export function prerenderLanding(): string {
  return renderToString(<LandingPage />);
}
