/** `/support`, linked from every footer and every error page: how the operator gives help. */

import type { SupportAddress } from '../config/support-address.ts';
import { escapeHtml, pageDocument } from './page-document.ts';
import type { PageRoute } from './page-route.ts';
import { framed } from './plain-pages.ts';

/** `support` null: the operator named none; the page then refers to the imprint. */
export function supportPage(support: SupportAddress | null): PageRoute {
  return {
    below: '/support/',
    takesForms: false,
    handle: ({ styles, theme, icon }) => {
      const help =
        support === null
          ? 'Write to the operator named in the <a href="/imprint">imprint</a>.'
          : `Write to us: <a href="${escapeHtml(support.href)}">${escapeHtml(support.text)}</a>.`;
      const body = framed(`<h1>Support</h1>
<p>${help} If something failed, add the request id that the message shows: it leads us to what happened.</p>
<p><a href="/status">Status of the service</a> · <a href="/docs">Documentation</a> · <a href="/docs/errors">What errors mean</a></p>
<p><a href="/">Start page</a></p>`);
      const html = pageDocument({ title: 'Support · Tapeloom', styles, theme, icon, body });
      return { status: 200, html };
    },
  };
}
