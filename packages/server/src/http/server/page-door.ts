/**
 * Pages at the public port, for addresses without a route. They pass the same admission as routes: they keep the order
 * of their connection and are limited by address, with an allowance of their own. A form is read only where a page
 * takes one, only whole, and only from a page of the public origin.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Page, Pages } from '../../pages/pages.ts';
import type { Door } from './admission.ts';
import type { UnderWay } from './answers/under-way.ts';
import { askForBody } from './bodies/expected-body.ts';
import { cutBody } from './problems/problem-document.ts';
import { invalidParameters, ProblemError } from './problems/problem-error.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const FORM_BYTES_MAX = 16_384;

export interface PageDoorOptions {
  readonly pages: Pages;
  readonly underWay: UnderWay;
  readonly admit: (
    request: FastifyRequest,
    reply: FastifyReply,
    door: Door,
  ) => Promise<void> | void;
}

/** Whether there is a page at this address; then it was sent. */
export async function answerPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { pages, underWay, admit }: PageDoorOptions,
): Promise<boolean> {
  const { method, url } = request.raw;
  const page = pages.find({ method: method!, url: url!, accept: request.headers.accept });
  if (page === null) return false;
  request.pageLabel = page.label;
  await admit(request, reply, doorTo(page, method!));
  await underWay.during(async () => {
    const form =
      method === 'POST' ? await readForm(request, reply, pages.origin) : new URLSearchParams();
    const { status, headers, body } = await page.answer({
      acceptEncoding: request.headers['accept-encoding']?.toString(),
      ifNoneMatch: request.headers['if-none-match'],
      form,
    });
    reply.code(status).headers(headers);
    if (body === null) reply.send();
    else if (method === 'HEAD') reply.header('content-length', body.length).send();
    else reply.send(body);
  });
  return true;
}

function doorTo(page: Page, method: string): Door {
  if (page.methods.includes(method)) return { access: 'public', isPage: true };
  const allow = page.methods.join(', ');
  const refusal = () =>
    new ProblemError('NOT_FOUND', `This method is not supported here; use ${allow}.`, {
      status: 405,
      headers: { allow },
    });
  return { access: 'public', isPage: true, refusal };
}

/** The framework parses only JSON, and only after it has found a route. */
async function readForm(
  request: FastifyRequest,
  { raw: response }: FastifyReply,
  origin: string,
): Promise<URLSearchParams> {
  const { headers, raw } = request;
  if (headers.origin !== origin) {
    throw new ProblemError('FORBIDDEN', `Forms are taken from pages of ${origin} only.`);
  }
  const [type] = (headers['content-type'] ?? '').split(';', 1);
  if (type!.trim().toLowerCase() !== FORM_TYPE) {
    const message = `The body must be a form, sent with the content type ${FORM_TYPE}.`;
    throw invalidParameters([{ path: '', message }], { status: 415 });
  }
  askForBody(raw, response, FORM_BYTES_MAX);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length;
      if (bytes > FORM_BYTES_MAX) break;
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw cutBody(error);
  }
  if (bytes > FORM_BYTES_MAX) {
    const message = `The form is larger than ${FORM_BYTES_MAX.toLocaleString('en')} bytes.`;
    throw invalidParameters([{ path: '', message }], { status: 413 });
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
