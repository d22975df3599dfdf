/** The billing address, for receipts of companies. All of it may be left empty. */

import { Card } from '../../components/card.tsx';
import { TextField } from '../../components/field.tsx';
import type { BillToFields } from './bill-to.ts';

export function BillToCard(props: {
  readonly fields: BillToFields;
  readonly error: string | null | undefined;
  readonly onChange: (fields: BillToFields) => void;
}) {
  const { fields, onChange } = props;
  return (
    <Card title="Billed to" aside={<span class="small faint">Optional</span>} body="card-body two">
      <TextField
        label="Name or company"
        name="bill-name"
        maxLength={120}
        value={fields.name}
        error={props.error}
        onInput={(name) => onChange({ ...fields, name })}
      />
      <TextField
        label="Tax id"
        name="bill-tax"
        maxLength={40}
        hint="Such as a VAT number. It is shown on the order and in mails about it."
        value={fields.taxId}
        onInput={(taxId) => onChange({ ...fields, taxId })}
      />
      <TextField
        label="Street and number"
        name="bill-street"
        maxLength={150}
        value={fields.street}
        onInput={(street) => onChange({ ...fields, street })}
      />
      <TextField
        label="Postal code and city"
        name="bill-city"
        maxLength={140}
        value={fields.city}
        onInput={(city) => onChange({ ...fields, city })}
      />
    </Card>
  );
}
