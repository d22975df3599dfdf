/** Starts the portal in the page. */

import { render } from 'preact';
import { holdLinkToken } from './pages/sign-in/link-token.ts';
import { App } from './shell/app.tsx';

if (location.pathname === '/sign-in') holdLinkToken();

render(<App />, document.getElementById('app')!);
