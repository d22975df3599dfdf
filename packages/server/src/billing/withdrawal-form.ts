/**
 * Withdrawal by a plain form, for browsers without scripts or session: the order's number and the e-mail address of its
 * account identify the contract. Knowing only one of them reveals nothing.
 */

import { typedTextFault } from '@tapeloom/core/person/plain-text';
import { NAME_LENGTH_MAX } from '../accounts/orders/withdrawal-statement.ts';
import { escapeHtml, pageDocument } from '../pages/page-document.ts';
import type { PageAnswer, PageRequest, PageRoute } from '../pages/page-route.ts';
import { framed } from '../pages/plain-pages.ts';
import { WITHDRAWAL_REFUSALS } from './withdrawal-refusals.ts';
import type { Withdrawals } from './withdrawals.ts';

const FORM_PAGE = '/withdraw';

export function withdrawalForm(withdrawals: () => Pick<Withdrawals, 'declareAs'>): PageRoute {
  return {
    below: '/withdrawal/',
    takesForms: true,
    handle: (request) => answer(withdrawals(), request),
  };
}

async function answer(
  withdrawals: Pick<Withdrawals, 'declareAs'>,
  request: PageRequest,
): Promise<PageAnswer> {
  if (request.method === 'GET') return { seeOther: FORM_PAGE };
  const { form } = request;
  const [orderId, email, name] = ['order', 'email', 'name'].map((field) =>
    (form.get(field) ?? '').trim(),
  ) as [string, string, string];
  const fault = name.length > NAME_LENGTH_MAX ? 'is too long' : typedTextFault(name);
  if (fault !== null) return page(request, 400, 'Nothing was changed', `Your name ${fault}.`);
  const declared = await withdrawals.declareAs({ orderId, email, name: name || null });
  if (!('refused' in declared)) {
    const { statement } = declared.withdrawal;
    return page(request, 200, 'Your withdrawal is recorded', statement, RECEIPT);
  }
  if (declared.refused === 'no-order') {
    const text = 'No order with this number belongs to this e-mail address. Check both.';
    return page(request, 404, 'Nothing was changed', text);
  }
  return page(request, 409, 'Nothing was changed', WITHDRAWAL_REFUSALS[declared.why]);
}

const RECEIPT = "The receipt is on its way to the account's e-mail address.";

function page(
  { styles, theme, icon }: PageRequest,
  status: number,
  title: string,
  ...texts: readonly string[]
): PageAnswer {
  const paragraphs = texts
    .flatMap((text) => text.split(/\n{2,}/))
    .map((text) => {
      return `<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`;
    });
  const body = framed(`<h1>${escapeHtml(title)}</h1>
${paragraphs.join('\n')}
<p><a href="${FORM_PAGE}">Back</a></p>`);
  return {
    status,
    html: pageDocument({ title: `${title} · Tapeloom`, styles, theme, icon, body }),
  };
}
