/** Downloads everything stored about the account, as one file. */

import { EXPORT_PATH } from '../../api/portal-api.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';

export function ExportCard() {
  return (
    <Card
      title="Your data"
      titleId="export-title"
      aside={
        <ButtonLink size="sm" icon="down" href={EXPORT_PATH} download>
          Download
        </ButtonLink>
      }
      body="card-body"
    >
      <p class="muted">
        Everything we store about this account, as one JSON file: address, sessions, keys without
        their secrets, usage, orders, consents and a log of actions.
      </p>
    </Card>
  );
}
