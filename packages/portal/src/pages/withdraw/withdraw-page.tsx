/**
 * Withdrawing from a contract in two steps: the statement with its effects, and its confirmation. Without an order in
 * the address, it lists the contracts with a right of withdrawal.
 */

import './withdraw.css';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { portalApi } from '../../api/portal-api.ts';
import type { OffersView, OrderView, WithdrawalView } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { ErrorNotice, LoadError, Notice } from '../../components/notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { useAccount } from '../../shell/account-context.tsx';
import { PageHead } from '../../shell/page-head.tsx';
import { offerName } from '../plans/plan-facts.ts';
import {
  effectText,
  isUnpaid,
  lastDay,
  NAME_FAULT,
  noRightText,
  priceSentence,
  withdrawFailure,
  withdrawnText,
} from './withdraw-words.ts';

const NAME_LENGTH_MAX = 200;

export function WithdrawPage() {
  const chosen = useLocation().query.order ?? null;
  return (
    <>
      <PageHead title="Withdraw from a contract" />
      {chosen === null ? <Contracts /> : <Statement key={chosen} orderId={chosen} />}
    </>
  );
}

function Contracts() {
  const loaded = useLoaded(async (signal) => {
    const [offers, { orders }] = await Promise.all([
      portalApi.offers({ signal }),
      portalApi.orders({ signal }),
    ]);
    return { offers, orders };
  }, 'contracts');
  const { value, error, reload } = loaded;
  if (value !== null) return <ContractList {...value} />;
  if (error === null) return <Skeleton label="Your contracts are loading" lines={3} />;
  return <LoadError title="Your contracts did not load" error={error} onRetry={reload} />;
}

function ContractList(props: {
  readonly offers: OffersView;
  readonly orders: readonly OrderView[];
}) {
  const { offers, orders } = props;
  const mayWithdraw = orders.filter(({ withdrawal }) => withdrawal !== null);
  const open = mayWithdraw.filter((order) => !isUnpaid(order));
  const unpaid = mayWithdraw.filter(isUnpaid);
  const withdrawn = orders.filter((order) => order.withdrawn !== null);
  const others = orders.filter(
    ({ state, withdrawal, withdrawn: done }) =>
      withdrawal === null && done === null && ['paid', 'past_due', 'cancelled'].includes(state),
  );
  return (
    <div class="stack">
      {open.map((order) => (
        <section class="card" key={order.id} aria-label={`Order ${order.id}`}>
          <div class="card-body contract">
            <ContractFacts order={order} name={offerName(offers, order.offer)} />
            <ButtonLink href={`/withdraw?order=${order.id}`}>Withdraw from contract</ButtonLink>
          </div>
        </section>
      ))}
      {open.length === 0 && (
        <section class="card empty">
          <h2>There is nothing to withdraw from</h2>
          <p>
            None of your contracts can be withdrawn from here now. For everything else, write to us;
            the address is in the imprint.
          </p>
          <ButtonLink href="/imprint">Imprint</ButtonLink>
        </section>
      )}
      {unpaid.map((order) => (
        <p key={order.id} class="small muted">
          The order for {offerName(offers, order.offer)} is not paid:{' '}
          <a href="/orders">give it up</a> under Billing. If you have paid and your bank has not
          confirmed it yet, <a href={`/withdraw?order=${order.id}`}>withdraw from it</a>.
        </p>
      ))}
      {others.map((order) => (
        <p key={order.id} class="small muted">
          {noRightText(order, offerName(offers, order.offer))}
        </p>
      ))}
      {withdrawn.map((order) => (
        <Withdrawn key={order.id} order={order} name={offerName(offers, order.offer)} />
      ))}
    </div>
  );
}

function ContractFacts(props: { readonly order: OrderView; readonly name: string }) {
  const { order, name } = props;
  return (
    <div>
      <h2>{name}</h2>
      <p class="muted">{priceSentence(order)}</p>
      <p class="small muted">
        Ordered <Time at={order.createdAt} form="minute" /> <code class="tiny">{order.id}</code>
      </p>
      <p class="small muted">You can withdraw until {lastDay(order.withdrawal!.until)}.</p>
    </div>
  );
}

function Withdrawn(props: { readonly order: OrderView; readonly name: string }) {
  const { order, name } = props;
  return (
    <Notice
      kind="ok"
      title={
        <>
          You withdrew from {name} on <Time at={order.withdrawn!.at} form="both" />.
        </>
      }
    >
      {withdrawnText(order)} <code class="tiny faint">{order.id}</code>
    </Notice>
  );
}

function Statement(props: { readonly orderId: string }) {
  const loaded = useLoaded(async (signal) => {
    const [offers, withdrawal] = await Promise.all([
      portalApi.offers({ signal }),
      portalApi.withdrawal(props.orderId, { signal }),
    ]);
    return { offers, withdrawal };
  }, props.orderId);
  const [done, setDone] = useState<WithdrawalView | null>(null);
  const { value, error, reload } = loaded;
  if (value !== null) {
    const view = done ?? value.withdrawal;
    const name = offerName(value.offers, view.order.offer);
    if (view.order.withdrawn !== null) return <Received view={view} name={name} />;
    if (view.order.withdrawal === null) return <NotPossible order={view.order} name={name} />;
    return <StatementForm view={view} name={name} onDone={setDone} />;
  }
  if (error === null) return <Skeleton label="The contract is loading" lines={4} />;
  if (error.status === 404 || error.status === 400)
    return <NoSuchOrder text={withdrawFailure(error)} />;
  return (
    <LoadError
      title="The contract did not load"
      error={error}
      text={withdrawFailure(error)}
      onRetry={reload}
    />
  );
}

function StatementForm(props: {
  readonly view: WithdrawalView;
  readonly name: string;
  readonly onDone: (view: WithdrawalView) => void;
}) {
  const { view, name } = props;
  const { order, statement } = view;
  const account = useAccount();
  const [typed, setTyped] = useState('');
  const [sent, setSent] = useState('');
  const confirm = useAction(async () => {
    setSent(typed);
    props.onDone(await portalApi.withdraw(order.id, typed.trim()));
    account?.reload();
  });
  const isNameWrong = (confirm.error?.fault('/name') ?? null) !== null;
  return (
    <Form class="stack withdraw" onSubmit={() => void confirm.run()}>
      <Card
        title="What you declare"
        aside={<span class="small faint">Possible until {lastDay(order.withdrawal!.until)}</span>}
        body="card-body stack"
      >
        <p class="statement">{statement}</p>
        <TextField
          label="Your name"
          hint="For the declaration. You can leave it empty: your account identifies you."
          autocomplete="off"
          maxLength={NAME_LENGTH_MAX}
          value={typed}
          onInput={setTyped}
          error={isNameWrong && typed === sent ? NAME_FAULT : null}
        />
      </Card>
      <Card title="What happens then" body="card-body stack">
        <ul class="effects">
          {effectText(order, name).map((text) => (
            <li key={text}>{text}</li>
          ))}
          <li>You get a receipt with the exact time by e-mail at once. You need no reason.</li>
        </ul>
        {confirm.error !== null && !isNameWrong && (
          <ErrorNotice
            title="The withdrawal is not confirmed yet."
            error={confirm.error}
            text={withdrawFailure(confirm.error)}
          />
        )}
        <div class="held-acts">
          <Button type="submit" busy={confirm.isBusy && 'Confirming'}>
            Confirm withdrawal
          </Button>
          <ButtonLink href="/orders">Keep {name}</ButtonLink>
        </div>
      </Card>
    </Form>
  );
}

function Received(props: { readonly view: WithdrawalView; readonly name: string }) {
  const { order, statement } = props.view;
  return (
    <div class="stack withdraw">
      <div role="status">
        <Withdrawn order={order} name={props.name} />
      </div>
      <Card title="What you declared" body="card-body stack">
        <p class="statement">{statement}</p>
        <p class="small muted">The receipt is in your mailbox, or on its way.</p>
        <div class="held-acts">
          <ButtonLink href="/orders">Billing</ButtonLink>
        </div>
      </Card>
    </div>
  );
}

/** A retry would not find it either. */
function NoSuchOrder(props: { readonly text: string }) {
  return (
    <section class="card empty">
      <h2>No such order</h2>
      <p>{props.text}</p>
      <ButtonLink href="/orders">Billing</ButtonLink>
    </section>
  );
}

function NotPossible(props: { readonly order: OrderView; readonly name: string }) {
  return (
    <section class="card empty">
      <h2>You cannot withdraw from this contract</h2>
      <p>{noRightText(props.order, props.name)}</p>
      <ButtonLink href="/orders">Billing</ButtonLink>
    </section>
  );
}
