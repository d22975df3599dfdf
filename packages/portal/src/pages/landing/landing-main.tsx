/** Takes over the landing page, which is in its HTML already. */

import { hydrate } from 'preact';
import { LandingPage } from './landing-page.tsx';

hydrate(<LandingPage />, document.getElementById('landing')!);
