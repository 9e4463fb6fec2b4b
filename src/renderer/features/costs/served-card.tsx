import { Link } from '@tanstack/react-router'
import { servedChangesTable } from '../../../shared/columns/served.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { FilterBar } from '../../components/filters.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Card } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { plural } from '../../lib/format.ts'
import { sinceStartOf, useOperation } from '../../lib/operation.ts'
import { COSTS_PRESET, type CostsCardProps, SERVED_FILTERS } from './costs-search.ts'

type Served = OperationOutput<'served.list'>

/** Answers that were served differently than requested, or differently than before. */
export function ServedCard({ search, onChange }: CostsCardProps) {
  const sinceEver = { ...SERVED_FILTERS.of(search), limit: 20, since: '1970-01-01' }
  const query = useOperation('served.list', sinceEver, { moving: sinceStartOf(search.range ?? COSTS_PRESET) })
  return (
    <Card
      title="Model and tier changes"
      note="answers that used another model, tier or region than requested"
      actions={<FilterBar filters={SERVED_FILTERS} state={search} onChange={onChange} />}
    >
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
        <Table
          columns={servedChangesTable}
          rows={changes}
          keyOf={(change) => `${change.uuid} ${change.dimension}`}
          minWidth="min-w-[44rem]"
          isLink
          cells={{
            timestamp: (change, text) => (
              <Link
                to="/sessions/$sessionId"
                params={{ sessionId: change.session_id }}
                search={{ tab: 'lineage', root: change.uuid, event: change.uuid }}
                className="font-medium text-accent after:absolute after:inset-0"
              >
                {text}
              </Link>
            ),
          }}
        />
      )}
      <p className="px-5 pb-4 text-small text-soft">
        {changes.length === 0 && judged > 0 && `No silent changes in ${plural(judged, 'answer')}. `}
        {unknown > 0 && (
          <span className="text-faint">{`The requested values are not known for ${plural(unknown, 'answer')}.`}</span>
        )}
      </p>
    </>
  )
}
