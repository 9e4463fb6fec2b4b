import { Link } from '@tanstack/react-router'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { type DataColumn, DataRow, DataTable, NumberCell } from '../../components/data-table.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Card } from '../../components/page.tsx'
import { formatCount, formatMoment, plural } from '../../lib/format.ts'
import { sinceStartOf, useOperation } from '../../lib/operation.ts'
import type { Range } from '../../lib/time-range.ts'

type Served = OperationOutput<'served.list'>
type Change = Served['changes'][number]

const COLUMNS: readonly DataColumn[] = [
  { name: 'First answer' },
  { name: 'What' },
  { name: 'Asked' },
  { name: 'Before' },
  { name: 'Served' },
  { name: 'Answers', isNumber: true },
]

const DIMENSIONS: Readonly<Record<Change['dimension'], string>> = {
  model: 'Model',
  speed: 'Speed',
  service_tier: 'Service tier',
  inference_geo: 'Region',
  cache_ttl: 'Cache life',
}

/** Where answers were served otherwise than asked, or otherwise than before. */
export function ServedCard({ range }: { readonly range: Range }) {
  const sinceEver = { limit: 20, since: '1970-01-01' }
  const query = useOperation('served.list', sinceEver, { moving: sinceStartOf(range) })
  return (
    <Card title="What was served" note="answers compared with what was asked, and with the answers before">
      {loaded({ query, look: 'line' }, (data) => (
        <Changes served={data} />
      ))}
    </Card>
  )
}

function Changes({ served: { changes, answers, unknown } }: { readonly served: Served }) {
  if (answers === 0) return <p className="px-5 pb-4 text-small text-soft">Changes appear after the first answers.</p>
  const judged = answers - unknown
  return (
    <>
      {changes.length > 0 && (
        <DataTable columns={COLUMNS} minWidth="min-w-[44rem]">
          {changes.map((change) => (
            <ChangeRow key={`${change.uuid} ${change.dimension}`} change={change} />
          ))}
        </DataTable>
      )}
      <p className="px-5 pb-4 text-small text-soft">
        {changes.length === 0 && judged > 0 && `No silent changes in ${plural(judged, 'answer')}. `}
        {unknown > 0 && (
          <span className="text-faint">{`What was asked is not known for ${plural(unknown, 'answer')}.`}</span>
        )}
      </p>
    </>
  )
}

function ChangeRow({ change }: { readonly change: Change }) {
  return (
    <DataRow isLink>
      <td className="py-2 whitespace-nowrap">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: change.session_id }}
          search={{ tab: 'lineage', root: change.uuid, event: change.uuid }}
          className="font-medium text-accent after:absolute after:inset-0"
        >
          {formatMoment(change.timestamp)}
        </Link>
      </td>
      <td className="py-2 pl-4">{DIMENSIONS[change.dimension]}</td>
      <td className="py-2 pl-4 text-soft">{change.asked ?? '–'}</td>
      <td className="py-2 pl-4 text-soft">{change.before ?? '–'}</td>
      <td className="py-2 pl-4 font-medium text-warn">{change.served}</td>
      <NumberCell>{formatCount(change.answers)}</NumberCell>
    </DataRow>
  )
}
