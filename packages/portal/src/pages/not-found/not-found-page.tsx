/** An unknown address: one sentence and three links. */

import { ButtonLink } from '../../components/button.tsx';
import { Mark } from '../../components/icon.tsx';
import { useTitle } from '../../shell/page-head.tsx';
import { isProbablySignedIn } from '../../shell/signed-in-hint.ts';

export function NotFoundPage() {
  useTitle('Not found');
  const isSignedIn = isProbablySignedIn();
  return (
    <section class="empty alone">
      <Mark isLarge />
      <h1 tabIndex={-1}>There is no page at this address</h1>
      <p>The link is old or incomplete.</p>
      <div class="row">
        <ButtonLink kind="primary" href={isSignedIn ? '/dashboard' : '/'}>
          {isSignedIn ? 'Overview' : 'Start page'}
        </ButtonLink>
        <ButtonLink href="/docs">Docs</ButtonLink>
        <ButtonLink href="/support">Support</ButtonLink>
      </div>
    </section>
  );
}
