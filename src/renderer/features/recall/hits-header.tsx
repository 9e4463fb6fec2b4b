import { Save } from 'lucide-react'
import { valueTable } from '../../../shared/columns/column.ts'
import { hitsTable } from '../../../shared/columns/hits.ts'
import type { Hit } from '../../../shared/contract/recall.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { Button, Toggle } from '../../components/button.tsx'
import { ExportMenu } from '../../components/export-menu.tsx'
import { writeAddress } from '../../lib/address.ts'
import { describeHits } from '../../../shared/hit-words.ts'
import { plural } from '../../lib/format.ts'
import { snippetText } from '../../lib/snippet.ts'
import { HitMonths } from './hit-months.tsx'
import type { RecallState } from './recall-search.ts'
import { useSaveSearch } from './save-search.ts'

type Result = OperationOutput<'recall.search'>

interface HitsHeaderProps {
  readonly result: Result
  readonly hits: readonly Hit[]
  readonly search: RecallState
  readonly onGroup: (group: RecallState['group']) => void
}

/** The result count above the hits, with grouping, saving and export. */
export function HitsHeader({ result, hits, search, onGroup }: HitsHeaderProps) {
  const save = useSaveSearch()
  const isGrouped = search.group === 'session'
  return (
    <>
      <div className="one-line mb-2 items-center gap-2 px-4">
        <p className="mr-auto text-meta text-faint" role="status">
          {describeHits(result, plural)}
        </p>
        <Toggle on={isGrouped} onClick={() => onGroup(isGrouped ? undefined : 'session')}>
          By session
        </Toggle>
        <Button
          look="ghost"
          size="small"
          onClick={() => save.mutate({ name: search.q?.trim() ?? '', address: writeAddress({ ...search }) })}
        >
          <Save className="size-4" aria-hidden /> Save search
        </Button>
        <ExportMenu name="hits" table={() => valueTable(hitsTable, hits.map(asText))} />
      </div>
      <HitMonths state={search} />
    </>
  )
}

const asText = (hit: Hit): Hit => ({ ...hit, content: snippetText(hit.content) })
