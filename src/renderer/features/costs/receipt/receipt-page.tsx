import { getRouteApi, Link } from '@tanstack/react-router'
import { Printer, ReceiptText } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../components/button.tsx'
import { loaded } from '../../../components/loaded.tsx'
import { Card, Page, PageBody, Stat, StatRow } from '../../../components/page.tsx'
import { Empty } from '../../../components/states.tsx'
import { formatCost, formatCount, formatShare, plural } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'
import { viewerDate } from '../../../lib/viewer-locale.ts'
import { ReceiptCalls } from './receipt-calls.tsx'
import { ReceiptMenu } from './receipt-menu.tsx'
import { ReceiptRange } from './receipt-range.tsx'
import { movingSpan, type ReceiptSearch } from './receipt-search.ts'
import { ReceiptSection } from './receipt-section.tsx'
import { type Receipt, sectionsOf } from './receipt-sections.ts'
import { unpricedOf } from '../../../../shared/spend.ts'
import { toSession } from '../../../lib/places.ts'

const route = getRouteApi('/costs/receipt')

/** The receipt of a span or a session. Each number leads to its requests. */
export function ReceiptPage(): ReactNode {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useOperation('receipt', {}, { moving: movingSpan(search) })
  const { data } = query
  const empty = data?.total.calls === 0 && (
    <Empty icon={ReceiptText} title="No requests in this time">
      <p>A receipt lists each paid request to the API. Choose other days.</p>
    </Empty>
  )
  return (
    <Page
      title="Receipt"
      actions={
        <>
          <Button onClick={() => window.print()}>
            <Printer size={14} aria-hidden />
            Print
          </Button>
          <ReceiptMenu search={search} />
          <ReceiptRange
            search={search}
            onChange={(next) => void navigate({ search: (now) => ({ ...now, row: undefined, ...next }) })}
          />
        </>
      }
    >
      {loaded({ query, rows: 10, empty }, (data) => (
        <PageBody>
          <Sheet
            receipt={data}
            search={search}
            onOpen={(row) => void navigate({ search: (now) => ({ ...now, row }), replace: true, resetScroll: false })}
          />
        </PageBody>
      ))}
    </Page>
  )
}

interface SheetProps {
  readonly receipt: Receipt
  readonly search: ReceiptSearch
  readonly onOpen: (row: string | undefined) => void
}

function Sheet({ receipt, search, onOpen }: SheetProps) {
  const { total, covered, cut } = receipt
  const differing = receipt.client.filter((row) => formatCost(row.client_usd) !== formatCost(row.ours_usd))
  const same = receipt.client.length - differing.length
  const [unpriced, failed] = [unpricedOf(total), cut.failed_requests]
  return (
    <div data-receipt className="flex flex-col gap-6">
      <p className="text-small text-soft">{titleOf(receipt)}</p>
      <StatRow>
        <Stat label="Cost" value={formatCost(total.calls === 0 ? null : total.cost_usd)} note="at API list prices" />
        <Stat
          label="Requests"
          value={formatCount(total.calls)}
          note={
            [
              unpriced > 0 ? `${formatCount(unpriced)} without a price` : '',
              failed > 0 ? `${plural(failed, 'failed request')} not charged` : '',
            ]
              .filter((text) => text !== '')
              .join('; ') || 'each with a price'
          }
        />
        <Stat label="Measured" value={formatShare(covered.measured_usd_share)} note="of the cost, from API responses" />
        {cut.answers > 0 && (
          <Stat
            label="Cut off"
            value={formatCount(cut.answers)}
            note={`answers without their final usage: ${formatCost(cut.answers_usd)} at least`}
          />
        )}
      </StatRow>
      {sectionsOf(receipt).map((section) => (
        <ReceiptSection
          key={section.title}
          {...section}
          open={search.row}
          onOpen={onOpen}
          calls={search.row === undefined ? null : <ReceiptCalls search={search} row={search.row} />}
        />
      ))}
      {receipt.client.length > 0 && (
        <Card title="The client’s own totals">
          {same > 0 && <p className="px-5 pb-2 text-small text-soft">Equal to ours: {plural(same, 'session')}</p>}
          <ul className="flex flex-col gap-2 px-5 pb-4 text-small">
            {differing.map((row) => (
              <li key={row.session_id}>
                <Link
                  {...toSession(row.session_id, { tab: 'numbers' })}
                  className="font-medium text-accent hover:underline"
                >
                  {receipt.by_session.find(({ session_id: id }) => id === row.session_id)?.title ?? row.session_id}
                </Link>
                {`: ${formatCost(row.client_usd)}, here ${formatCost(row.ours_usd)}. ${row.explanation.join(' ')}`}
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card title="What is not included">
        <ul className="list-disc px-5 pb-4 pl-9 text-small text-soft">
          {receipt.gaps.map((gap) => (
            <li key={gap}>{gap}</li>
          ))}
        </ul>
      </Card>
    </div>
  )
}

function titleOf({ session_id: session, since, until, time_zone: zone }: Receipt): string {
  const day = (time: number) => viewerDate(time, { dateStyle: 'medium' })
  // The span ends at midnight, so its last day is the previous one.
  const last = until === null ? 'today' : day(Date.parse(until) - 1)
  const span = since === null ? `All time to ${last}` : `${day(Date.parse(since))} to ${last}`
  return `${span} (${zone})${session === null ? ', all projects' : `, session ${session}`}`
}
