/** The operator's pages: imprint, privacy, terms. */

import { useLocation } from 'preact-iso';
import { portalApi } from '../../api/portal-api.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { LoadError } from '../../components/notice.tsx';
import { Prose } from '../../components/prose.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { LEGAL_ITEMS } from '../../shell/navigation.ts';
import { PageHead } from '../../shell/page-head.tsx';

export function LegalPage() {
  const { path } = useLocation();
  const item = LEGAL_ITEMS.find(({ href }) => href === path) ?? LEGAL_ITEMS[0];
  const name = item.href.slice(1);
  const page = useLoaded((signal) => portalApi.operatorPage(name, { signal }), name);
  return (
    <>
      <PageHead title={page.value?.title ?? item.name} />
      {page.value !== null && <Prose html={page.value.html} />}
      {page.isLoading && page.value === null && <Skeleton label="Loading the page." lines={6} />}
      {page.error?.status === 404 && (
        <p class="muted">The operator of this service has not written this page yet.</p>
      )}
      {page.error !== null && page.error.status !== 404 && (
        <LoadError title="The page did not load" error={page.error} onRetry={page.reload} />
      )}
    </>
  );
}
