/**
 * Layouts of the chart workspace. A page saves with the number of the state that it has: if another page has saved
 * meanwhile, nothing is changed and the response names the present state. The last ten states can be restored, and a
 * deletion can be undone for thirty days, so no click loses work.
 */

import {
  DELETED_KEPT_DAYS,
  DELETED_LAYOUTS_MAX,
  LAYOUTS_MAX,
  STATES_KEPT,
} from '../../../accounts/layouts/layouts-store.ts';
import { closedObject, namedObject, Type } from '../../contract/schema.ts';
import { ProblemError } from '../../server/problems/problem-error.ts';
import { defineRoute, type Route, type RouteError } from '../../server/route.ts';
import type { PortalFacts } from '../portal-facts.ts';
import {
  DeletedLayout,
  LayoutBody,
  LayoutName,
  LayoutStateView,
  LayoutSummary,
  LayoutView,
  layoutFaults,
  StateNumber,
  viewDeleted,
  viewLayout,
  viewWhole,
} from './layout-fields.ts';

const UNKNOWN: RouteError = { code: 'NOT_FOUND', status: 404 };
const STALE: RouteError = { code: 'CONFLICT', status: 409 };
const TOO_MANY: RouteError = { code: 'QUOTA_EXCEEDED', status: 409 };

export function layoutsRoutes(facts: () => PortalFacts): readonly Route[] {
  return [
    listRoute(facts),
    createRoute(facts),
    readRoute(facts),
    replaceRoute(facts),
    deleteRoute(facts),
    undeleteRoute(facts),
    statesRoute(facts),
    restoreRoute(facts),
  ];
}

function listRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/layouts',
    operationId: 'listLayouts',
    summary: 'The layouts of the chart workspace, without their contents.',
    description: `\`deleted\` has the layouts whose deletion can be undone.`,
    access: 'session',
    answer: namedObject('LayoutList', {
      layouts: Type.Array(LayoutSummary, { description: 'The last changed first.' }),
      deleted: Type.Array(DeletedLayout, { description: 'The last deleted first.' }),
      max: Type.Integer({ minimum: 1, description: 'The most layouts of an account.' }),
    }),
    handle: async ({ session, now }) => {
      const all = await facts().store.layouts.layoutsOf(now, session.accountId);
      const deleted = all.filter(({ deletedAt }) => deletedAt !== null);
      return {
        layouts: all.filter(({ deletedAt }) => deletedAt === null).map(viewLayout),
        deleted: deleted.sort((a, b) => Number(b.deletedAt! - a.deletedAt!)).map(viewDeleted),
        max: LAYOUTS_MAX,
      };
    },
  });
}

function createRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/layouts',
    operationId: 'createLayout',
    summary: 'Saves a new layout.',
    description: `An account has at most ${LAYOUTS_MAX} layouts. Two may have the same name.`,
    access: 'session',
    body: closedObject({ name: LayoutName, layout: LayoutBody }),
    answer: LayoutSummary,
    status: 201,
    errors: [TOO_MANY],
    faults: layoutFaults,
    handle: async ({ body: { name, layout }, session, now }) => {
      const created = await facts().store.layouts.createLayout(now, session.accountId, {
        name,
        text: JSON.stringify(layout),
      });
      if ('refused' in created) throw tooMany();
      return viewLayout(created);
    },
  });
}

function readRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/layouts/:id',
    operationId: 'getLayout',
    summary: 'The newest state of a layout.',
    description: 'To save a change of it, send its `state` back with the new layout.',
    access: 'session',
    answer: LayoutView,
    errors: [UNKNOWN],
    handle: async ({ session, params }) => {
      const found = await facts().store.layouts.findLayout(session.accountId, params.id!);
      if (found === null) throw unknownLayout();
      return viewWhole(found);
    },
  });
}

function replaceRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'PUT',
    path: '/v1/portal/layouts/:id',
    operationId: 'replaceLayout',
    summary: 'Saves a new state of a layout, renames it, or both.',
    description:
      '`layout` needs `state`, the number of the state that it replaces. If that is no longer the ' +
      'newest one, the response is `CONFLICT` with the newest number in `state`, and nothing is ' +
      'changed. A layout that equals the newest state makes no new one, whatever `state` is, so a ' +
      'request can be repeated. A name alone makes no new state.',
    access: 'session',
    body: closedObject({
      name: Type.Optional(LayoutName),
      state: Type.Optional(StateNumber('The number of the state that `layout` replaces.')),
      layout: Type.Optional(LayoutBody),
    }),
    answer: LayoutSummary,
    errors: [UNKNOWN, STALE],
    faults: (body) => {
      const { name, state, layout } = (body ?? {}) as Readonly<Record<string, unknown>>;
      const isStateMissing = layout !== undefined && state === undefined;
      const isEmpty = name === undefined && layout === undefined;
      return [
        ...layoutFaults(body),
        ...(isStateMissing ? [{ path: '/state', message: 'is missing' }] : []),
        ...(isEmpty ? [{ path: '', message: 'The body must have name or layout.' }] : []),
      ];
    },
    handle: async ({ body: { name, state, layout }, session, params, now }) => {
      const text = layout === undefined ? null : JSON.stringify(layout);
      const changed = await facts().store.layouts.changeLayout(now, session.accountId, params.id!, {
        ...(name === undefined ? {} : { name }),
        ...(text === null ? {} : { layout: { state: state!, text } }),
      });
      if (!('refused' in changed)) return viewLayout(changed);
      if (changed.refused === 'unknown-layout') throw unknownLayout();
      const why = `The layout has changed meanwhile: its newest state is ${changed.state}.`;
      throw new ProblemError('CONFLICT', why, { members: { state: changed.state } });
    },
  });
}

function deleteRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/portal/layouts/:id',
    operationId: 'deleteLayout',
    summary: 'Deletes a layout.',
    description:
      `For ${DELETED_KEPT_DAYS} days the deletion can be undone, with all states. Of more than ` +
      `${DELETED_LAYOUTS_MAX} deleted layouts the oldest are removed earlier.`,
    access: 'session',
    answer: closedObject({}),
    errors: [UNKNOWN],
    handle: async ({ session, params, now }) => {
      const { layouts } = facts().store;
      if (await layouts.deleteLayout(now, session.accountId, params.id!)) return {};
      throw unknownLayout();
    },
  });
}

function undeleteRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/layouts/:id/undelete',
    operationId: 'undeleteLayout',
    summary: 'Undoes the deletion of a layout.',
    description: 'The response is the same if the layout is not deleted.',
    access: 'session',
    answer: LayoutSummary,
    errors: [UNKNOWN, TOO_MANY],
    handle: async ({ session, params, now }) => {
      const { layouts } = facts().store;
      const back = await layouts.undeleteLayout(now, session.accountId, params.id!);
      if (!('refused' in back)) return viewLayout(back);
      throw back.refused === 'too-many-layouts' ? tooMany() : unknownLayout();
    },
  });
}

function statesRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/layouts/:id/states',
    operationId: 'listLayoutStates',
    summary: `The last ${STATES_KEPT} states of a layout, without their contents.`,
    description: 'The first one is the present state; you can restore any of the others.',
    access: 'session',
    answer: namedObject('LayoutStateList', {
      states: Type.Array(LayoutStateView, { description: 'The newest first.' }),
    }),
    errors: [UNKNOWN],
    handle: async ({ session, params }) => {
      const states = await facts().store.layouts.layoutStates(session.accountId, params.id!);
      if (states === null) throw unknownLayout();
      return {
        states: states.map(({ state, savedAt, bytes }) => ({
          ...{ state, bytes },
          savedAt: savedAt.toString(),
        })),
      };
    },
  });
}

function restoreRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/layouts/:id/restore',
    operationId: 'restoreLayout',
    summary: 'Makes an earlier state of a layout its newest one.',
    description: 'It becomes a new state, so you can undo this in the same way.',
    access: 'session',
    body: closedObject({ state: StateNumber('The number of the state to restore.') }),
    answer: LayoutView,
    errors: [UNKNOWN],
    handle: async ({ body: { state }, session, params, now }) => {
      const { layouts } = facts().store;
      const restored = await layouts.restoreLayout(now, session.accountId, params.id!, state);
      if (!('refused' in restored)) return viewWhole(restored);
      if (restored.refused === 'unknown-layout') throw unknownLayout();
      throw new ProblemError(
        'NOT_FOUND',
        `The layout has no state ${state}; the last ${STATES_KEPT} states are kept.`,
      );
    },
  });
}

function unknownLayout(): ProblemError {
  return new ProblemError('NOT_FOUND', 'The account has no layout with this id.');
}

function tooMany(): ProblemError {
  const why = `The account has ${LAYOUTS_MAX} layouts; delete one first.`;
  return new ProblemError('QUOTA_EXCEEDED', why, { status: 409 });
}
