import { talk, type Talk } from './talk.ts'

/** Talks about a service for orders and invoices. */
export const ORCHARD_API: readonly Talk[] = [
  talk(
    'pkg/money/round.go',
    'RoundHalfEven',
    [
      'Invoices with 7% VAT are off by one cent against the tax office’s calculator. Find the cause and explain it.',
      'We round each line and then sum; the office sums and then rounds. Also half cents: we round half away from zero. The law here says round the tax of the sum.',
      'We round the tax of **each line** and add the results; the tax office rounds the tax of the **sum**. With five lines that is up to two cents. The invoice now computes tax by rate over the sum, and the lines show shares that add up to it.',
    ],
    [
      'Should we use a decimal library?',
      'Integer cents are enough: the only division is for the tax. A library adds types everywhere.',
      'No. Amounts are integer cents, and the only division is the tax, which uses `math/big` for one line. A decimal type would go through every signature and change nothing. Decided: **cents stay integers**.',
    ],
  ),
  talk(
    'internal/orders/list.go',
    'ListOrders',
    [
      'The order list takes four seconds for big customers. I suspect N+1 queries.',
      'For each order: customer, items, refunds: 3 queries × 200 orders. A join with aggregated items needs 2 queries.',
      'Yes: 601 queries for 200 orders. Now it is two, one for the orders and one for all their items, and 48 ms. A test counts queries and fails above five.',
    ],
    [
      'Why not one big join?',
      'Items multiply rows: 200 orders × 40 items × refunds.',
      'A join repeats each order for every item and refund: 22,000 rows for a page of 200. Two queries are simpler to read and faster.',
    ],
  ),
  talk(
    'internal/billing/webhook.go',
    'HandleWebhook',
    [
      'The payment provider sends some webhooks twice, and we booked a payment twice. Make it idempotent.',
      'Store the event id with a unique constraint in the same transaction as the booking. Answer 200 to a repeated event.',
      'The event’s id is stored in the **same transaction** as the booking, under a unique constraint. A repeated event finds it and is answered with 200, so that the provider stops. I found three doubled bookings since March; the list is in `scripts/doubled.sql`.',
    ],
    [
      'What if they arrive at the same time?',
      'The second transaction waits for the unique index and then fails: treat as repeated.',
      'The second waits at the unique index until the first commits, then counts as repeated. The test sends twenty at once: one booking.',
    ],
  ),
  talk(
    'internal/auth/session.go',
    'RefreshToken',
    [
      'Users are signed out at random when they have two tabs open. Why?',
      'Both tabs refresh with the same refresh token; it rotates, so the second is treated as stolen and the family is revoked. Allow a grace period of 30 s for the previous token.',
      'Refresh tokens rotate, and both tabs refresh at once: the second comes with the old token, looks stolen, and the whole session is revoked. The previous token is now accepted for **30 seconds** and gives the same new one.',
    ],
    [
      'Is that safe?',
      'A thief has 30 s after a legitimate refresh; the standard allows; the family is still revoked later.',
      'Safe enough: a stolen token works for half a minute after the owner’s refresh, and after that it still revokes everything. The specification suggests the same grace period.',
    ],
  ),
  talk(
    'cmd/server/main.go',
    'gracefulShutdown',
    [
      'Each deployment drops a handful of requests with a 502. Let us fix that for good.',
      'On SIGTERM the server closes the listener immediately while the load balancer still sends for up to 10 s. Fail readiness first, wait, then Shutdown.',
      'On SIGTERM it closed its listener while the load balancer still sent requests. Now: readiness fails at once, the server goes on for **12 seconds**, then stops accepting and waits for what is open. A deployment with 300 requests a second lost none.',
    ],
    [
      'Why 12?',
      'The balancer checks every 5 s and needs two failures: 10 s and a margin.',
      'The balancer looks every five seconds and takes us out after two failures. Ten seconds and a margin.',
    ],
  ),
  talk(
    'internal/billing/statement.go',
    'MonthlyStatement',
    [
      'The reconciliation with the bank hangs when the network is slow. It once blocked the nightly job for six hours.',
      'http.Client without timeout; default is none. Also the job holds a lock in the database.',
      'The HTTP client had no timeout, and Go’s default is **none**. It now has 10 s to connect and 60 s in all, tries three times and then leaves the day for the next night. The job holds its database lock only while it writes.',
    ],
    [
      'Where else do we use the default client?',
      'grep http.Get and http.DefaultClient: 4 places.',
      'Four places: the webhook sender, two health checks and the exchange rates. All use `pkg/httpx` now, and a lint rule forbids `http.DefaultClient`.',
    ],
  ),
  talk(
    'internal/orders/coupon.go',
    'ApplyCoupon',
    [
      'A coupon of 20% was applied to shipping as well. That is wrong, is it not? Check the terms and fix it.',
      'docs/terms.md: "discounts apply to goods". So shipping is excluded. 1,204 orders affected in favour of the customer.',
      'The terms say “discounts apply to goods”, so shipping is excluded. Fixed. It was in the customers’ favour in 1,204 orders since May, 812 € in all.',
    ],
    [
      'We will not ask for that money back. Write that down.',
      'A note in the changelog and in the decision log.',
      'Written down in `docs/decisions/017-coupons.md`: shipping is excluded from 1 November, and earlier orders stay as they are.',
    ],
  ),
  talk(
    'internal/orders/export.go',
    'ExportCSV',
    [
      'Customers open our CSV in Excel and the umlauts are broken. And somebody put a formula into a name.',
      'UTF-8 BOM for Excel; cells that start with = + - @ get an apostrophe. Phone numbers start with + though: quote as text.',
      'The file begins with a byte order mark now, which Excel needs. Cells that begin with `=`, `+`, `-` or `@` get a leading apostrophe, so a name cannot be a **formula**. Phone numbers get one as well; it is not shown.',
    ],
    [
      'Would XLSX be better?',
      'Yes for customers with Excel, but a library of 2 MB. Keep CSV; offer XLSX later.',
      'For people with Excel, yes, and it costs a library. I would wait until somebody asks: CSV is what their scripts read.',
    ],
  ),
]
