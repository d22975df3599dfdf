/** The owner's sessions with this browser marked; each of the others can be ended, or all at once. */

import { portalApi } from '../../api/portal-api.ts';
import type { SessionView } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionButton, Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { showToast } from '../../components/toast.tsx';

export function SessionsCard(props: {
  readonly sessions: readonly SessionView[];
  readonly onChange: () => void;
}) {
  const endOthers = useAction(async () => {
    const { ended } = await portalApi.endOtherSessions();
    showToast(ended === 1 ? 'Signed out in 1 browser' : `Signed out in ${ended} browsers`);
    props.onChange();
  });
  const endOne = useAction(async (session: SessionView) => {
    await portalApi.endSession(session.id);
    showToast(`Signed out in ${session.browser}`);
    props.onChange();
  });
  const hasOthers = props.sessions.some(({ isThis }) => !isThis);
  return (
    <Card
      title="Signed in"
      titleId="sessions-title"
      aside={
        hasOthers && (
          <ActionButton size="sm" action={endOthers} busy="Signing out">
            Sign out everywhere else
          </ActionButton>
        )
      }
    >
      <ErrorNotice title="Nobody was signed out." error={endOthers.error ?? endOne.error} />
      <Table
        caption="Browsers that are signed in"
        columns={columns(endOne.isBusy, (session) => void endOne.run(session))}
        rows={props.sessions}
        rowKey={({ id }) => id}
        isSlim
      />
      <p class="limits-line">
        <span>A session ends 30 days after it began, or when you sign out.</span>
      </p>
    </Card>
  );
}

function columns(
  isBusy: boolean,
  onEnd: (session: SessionView) => void,
): readonly Column<SessionView>[] {
  return [
    {
      label: 'Browser',
      cell: ({ browser, isThis }) => (
        <span class="row">
          <bdi>{browser}</bdi>
          {isThis && <span class="badge ok">This one</span>}
        </span>
      ),
    },
    { label: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} form="relative" /> },
    { label: 'Since', cell: ({ createdAt }) => <Time at={createdAt} form="both" /> },
    {
      label: 'Actions',
      isLabelHidden: true,
      isRight: true,
      cell: (session) =>
        !session.isThis && (
          <Button
            kind="ghost"
            size="sm"
            label={`Sign out in ${session.browser}`}
            isOff={isBusy}
            onClick={() => onEnd(session)}
          >
            Sign out
          </Button>
        ),
    },
  ];
}
