/** The account page: address, passkeys, sessions, stored data, appearance, and deletion last. */

import './account.css';
import { useEffect, useRef } from 'preact/hooks';
import { Time } from '../../components/time.tsx';
import { WhenLoaded } from '../../components/when-loaded.tsx';
import { useAccount } from '../../shell/account-context.tsx';
import { isNamed } from '../../shell/account-name.ts';
import { PageHead } from '../../shell/page-head.tsx';
import { AppearanceCard } from './appearance-card.tsx';
import { DeletionCard } from './deletion-card.tsx';
import { EmailCard } from './email-card.tsx';
import { ExportCard } from './export-card.tsx';
import { MailsCard } from './mails-card.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

export function AccountPage() {
  const account = useAccount();
  const isLoaded = account?.value != null;
  const reload = account?.reload;
  const wasLoaded = useRef(isLoaded);
  useEffect(() => {
    // Sessions fetched for another page may be outdated.
    if (wasLoaded.current) reload?.();
  }, [reload]);
  useEffect(() => {
    // A link to a card may arrive before the cards are rendered.
    if (isLoaded && location.hash.length > 1) {
      document.getElementById(location.hash.slice(1))?.scrollIntoView();
    }
  }, [isLoaded]);
  return (
    <>
      <PageHead title="Account">
        {account?.value != null && (
          <span class="small faint">
            {isNamed(account.value.name) && (
              <>
                <bdi>{account.value.name}</bdi>, since{' '}
              </>
            )}
            {!isNamed(account.value.name) && 'Since '}
            <Time at={account.value.createdAt} form="day" />
          </span>
        )}
      </PageHead>
      {account !== null && (
        <WhenLoaded
          loaded={account}
          loading="Loading your account."
          lines={5}
          failed="The account did not load"
          note="Your streams and keys are not affected."
        >
          {(value) => (
            <div class="stack account">
              <EmailCard email={value.email} />
              <PasskeysCard account={value} />
              <SessionsCard sessions={value.sessions} onChange={account.reload} />
              <MailsCard mails={value.mails} onChange={account.reload} />
              <ExportCard />
              <AppearanceCard />
              <DeletionCard account={value} onChange={account.reload} />
            </div>
          )}
        </WhenLoaded>
      )}
    </>
  );
}
