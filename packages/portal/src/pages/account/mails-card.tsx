/** Chooses which of the optional mails are sent. */

import { useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';
import { useAction } from '../../api/use-action.ts';
import { Card } from '../../components/card.tsx';
import { CheckField } from '../../components/field.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { showToast } from '../../components/toast.tsx';

export function MailsCard(props: {
  readonly mails: { readonly usage: boolean };
  readonly onChange: () => void;
}) {
  const [isOn, setIsOn] = useState(props.mails.usage);
  const choose = useAction(async (usage: boolean) => {
    setIsOn(usage);
    try {
      await portalApi.chooseMails({ usage });
    } catch (error) {
      setIsOn(!usage);
      throw error;
    }
    props.onChange();
    showToast(usage ? 'Usage mails are on.' : 'Usage mails are off.');
  });
  return (
    <Card title="Mails" titleId="mails-title" body="card-body stack">
      <CheckField
        isChecked={isOn}
        onChange={(usage) => void choose.run(usage)}
        title="Usage mails"
        name="usage-mails"
      >
        {' '}
        One at 80% and one at 100% of a month's budget. Mails about orders, payments and the account
        itself are always sent.
      </CheckField>
      <ErrorNotice title="Nothing was changed." error={choose.error} />
    </Card>
  );
}
