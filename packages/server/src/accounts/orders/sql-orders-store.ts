/** Orders over a SQL database; see `orders-store.ts`. */

import type { SqlStore } from '../store/sql-store.ts';
import type { OrdersStore } from './orders-store.ts';
import { readConsents } from './sql-consents.ts';
import { orderById } from './sql-order-rows.ts';
import * as orders from './sql-orders.ts';
import * as events from './sql-payment-events.ts';

export function sqlOrders(store: SqlStore): OrdersStore {
  return {
    ordersOf: store.reads(orders.ordersOf),
    findOrder: store.reads(async (sql, accountId, orderId) => {
      const order = await orderById(sql, orderId);
      return order === null || (accountId !== null && order.accountId !== accountId) ? null : order;
    }),
    findOrderByRef: store.reads(orders.orderByRef),
    listOrders: store.reads(orders.listOrders),
    ordersOfLeaving: store.reads(orders.ordersOfLeaving),
    consentsOf: store.reads((sql, accountId) => readConsents(sql, 'account_id', accountId)),
    consentOf: store.reads(async (sql, { id }) => {
      const [consent] = await readConsents(sql, 'order_id', id);
      return consent ?? null;
    }),
    judgeCheckout: store.reads(orders.judgeCheckout),
    placeOrder: store.writes(orders.placeOrder),
    beginAsk: store.changes(orders.beginAsk),
    hearPayment: store.writes(orders.hearPayment),
    writeOff: store.writes(orders.writeOff),
    noteAsked: store.writes(orders.noteAsked),
    lookAgain: store.changes(async (sql, { id }, lookAt) => {
      await orders.changeOrder(sql, id, { look_at: lookAt });
    }),
    receiveEvent: store.changes(events.receiveEvent),
    eventsOf: store.reads(events.eventsOf),
    findEvents: store.reads((sql, { id }) => events.findEvents(sql, id)),
    putOffEvent: store.changes(events.putOffEvent),
    nameEvent: store.changes(events.nameEvent),
    findListing: store.reads(events.findListing),
    noteListing: store.changes(events.noteListing),
    dueListings: store.reads(events.dueListings),
    dueEvents: store.reads(events.dueEvents),
    dueOrders: store.reads(orders.dueOrders),
    hurry: store.changes(orders.hurry),
    paymentCounts: store.reads(orders.paymentCounts),
    forgetEvents: store.changes(events.forgetEvents),
  };
}
