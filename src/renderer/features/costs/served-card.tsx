import { Link } from '@tanstack/react-router'
import { servedChangesTable, servedCombinationsTable } from '../../../shared/columns/served.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { FilterBar } from '../../components/filters.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Card } from '../../components/page.tsx'
import { type Sentence, Sentences } from '../../components/sentences.tsx'
import { Table } from '../../components/table.tsx'
import { plural } from '../../lib/format.ts'
import { sinceStartOf, useOperation } from '../../lib/operation.ts'
import { inRange, type Range } from '../../lib/time-range.ts'
import { COSTS_PRESET, type CostsCardProps, SERVED_FILTERS } from './costs-search.ts'
import { toSession } from '../../lib/places.ts'
import { useIsWindowWide } from '../../lib/use-wide.ts'

const CHANGES_SHOWN = 20

type Served = OperationOutput<'served.list'>

/** Answers that were served differently than requested, or differently than before. */
export function ServedCard({ search, onChange }: CostsCardProps) {
  const range = search.range ?? COSTS_PRESET
  const sinceEver = { ...SERVED_FILTERS.of(search), limit: CHANGES_SHOWN, since: '1970-01-01' }
  const query = useOperation('served.list', sinceEver, { moving: sinceStartOf(range) })
  const shownValues = useIsWindowWide(700) ? wideValues : narrowValues
  return (
    <>
      <Card
        title="Model and tier changes"
        note="answers that used another model, tier or region than requested"
        actions={<FilterBar filters={SERVED_FILTERS} state={search} onChange={onChange} />}
      >
        {loaded({ query, look: 'line' }, (data) => (
          <Changes served={data} range={range} />
        ))}
      </Card>
      {query.data !== undefined && query.data.combinations.length > 0 && (
        <Card title="What answered" note="each model and tier that was requested, and what was used">
          <Table
            columns={servedCombinationsTable}
            heads={{ asked_model: 'Requested', served_model: 'Used' }}
            rows={asShown(query.data.combinations, shownValues)}
            keyOf={shownValues}
            minWidth="min-w-full"
          />
        </Card>
      )}
    </>
  )
}

type Combination = Served['combinations'][number]

/** What a row shows in a narrow window, and in a wide one. */
const narrowValues = (row: Combination): string => [row.asked_model, row.served_model, row.effort].join()
const wideValues = (row: Combination): string =>
  [narrowValues(row), row.speed, row.service_tier, row.inference_geo, row.cache_ttl].join()

/**
 * Joins combinations that differ only in what has no column, such as beta headers, or their tier in a narrow window.
 * If each request was served as it asked, its model is said once.
 */
const asShown = (rows: readonly Combination[], shownValues: (row: Combination) => string) => {
  const isSame = rows.every(({ asked_model: asked, served_model: served }) => asked === served)
  return [...Map.groupBy(rows, shownValues).values()]
    .flatMap(([first, ...others]) =>
      first === undefined
        ? []
        : [
            {
              ...first,
              served_model: isSame ? '' : first.served_model,
              answers: others.reduce((sum, { answers }) => sum + answers, first.answers),
            },
          ],
    )
    .toSorted((one, other) => other.answers - one.answers)
}

function Changes({ served, range }: { readonly served: Served; readonly range: Range }) {
  const { changes, answers } = served
  if (answers === 0)
    return (
      <p className="px-5 pb-4 text-small text-soft">Known for answers that came through Aspy: none {inRange(range)}.</p>
    )
  return (
    <>
      <Sentences className="px-5 pb-4 text-body" sentences={servedSentences(served, range)} />
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
                {...toSession(change.session_id, { tab: 'lineage', root: change.uuid, event: change.uuid })}
                className="font-medium text-accent after:absolute after:inset-0"
              >
                {text}
              </Link>
            ),
          }}
        />
      )}
    </>
  )
}

/** Says whether answers came from what was requested, and of how many that is not known. */
function servedSentences({ changes, answers, unknown }: Served, range: Range): readonly Sentence[] {
  const judged = answers - unknown
  const [found, at] = [plural(changes.length, 'change'), `${plural(judged, 'request')} ${inRange(range)}`]
  return [
    ...(judged === 0
      ? []
      : [
          changes.length === 0
            ? { text: `No silent changes in ${at}: each came from the model, tier and region that were requested.` }
            : {
                text: `${changes.length < CHANGES_SHOWN ? found : `The latest ${found}`} of model, tier or region in ${at}.`,
              },
        ]),
    ...(unknown === 0 ? [] : [{ text: `The requested values are not known for ${plural(unknown, 'request')}.` }]),
  ]
}
