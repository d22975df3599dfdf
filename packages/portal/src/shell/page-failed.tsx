/** Replaces a page whose module failed to load or whose code threw. */

import { Button, ButtonLink } from '../components/button.tsx';
import { PageHead } from './page-head.tsx';

export function PageFailed() {
  return (
    <>
      <PageHead title="This page did not load" />
      <div class="card empty" role="alert">
        <p>
          The connection broke, or a new version was installed while you were here. Your streams are
          not affected.
        </p>
        <div class="row">
          <Button kind="primary" onClick={() => location.reload()}>
            Reload
          </Button>
          <ButtonLink href="/status">Status</ButtonLink>
          <ButtonLink href="/support">Support</ButtonLink>
        </div>
      </div>
    </>
  );
}
