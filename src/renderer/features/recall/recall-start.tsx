import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Clock, type LucideIcon, Repeat, Save, Scale, Search, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Hit } from '../../../shared/contract/recall.ts'
import { plainLine } from '../../../shared/plain-line.ts'
import { visibleText } from '../../../shared/visible-text.ts'
import { Button } from '../../components/button.tsx'
import { FilterBar } from '../../components/filters.tsx'
import { Empty, NothingYet } from '../../components/states.tsx'
import { parseAddress } from '../../lib/address.ts'
import { call } from '../../lib/client.ts'
import { notify } from '../../lib/notices.ts'
import { useOperation } from '../../lib/operation.ts'
import { fromMark, withoutSigns } from '../../lib/snippet.ts'
import { MemoryRow } from './memory-row.tsx'
import { DEMO_SEARCHES } from './demo-searches.ts'
import { MEMORY_FILTERS, type RecallState, recallSearchState } from './recall-search.ts'
import { recentSearches } from '../../lib/recent-searches.ts'
import { exampleIn, keptAsking } from './start-ideas.ts'
import { toSession } from '../../lib/places.ts'
import { useAction } from '../../lib/use-action.ts'

interface RecallStartProps {
  readonly state: RecallState
  readonly onChange: (state: RecallState) => void
}

/** The newest prompts, among which those that repeat are looked for. */
const PROMPTS = 200
/** The newest answers and thoughts that speak of a decision. */
const DECIDED = { query: 'decided', order: 'time', limit: 4, prompts: false, counts: false } as const

/** The start of Recall: saved and recent searches, what was decided and asked recently, and remembered hits. */
export function RecallStart({ state, onChange }: RecallStartProps) {
  const saved = useOperation('searches.list', {}).data?.items ?? []
  const memories = useOperation('memories.list', { ...MEMORY_FILTERS.of(state), limit: 50 }).data?.items ?? []
  const asked = useOperation('prompts.search', { limit: PROMPTS }).data?.items
  const prompts = asked ?? []
  const decided = useOperation('recall.search', DECIDED).data?.items ?? []
  const isDemo = useOperation('health.get', {}).data?.is_demo === true
  // The demo has better ones, which find a decision.
  const example = isDemo ? null : exampleIn(prompts)
  const recent = recentSearches()
  const queries = useQueryClient()
  const forget = useAction({
    mutationFn: (id: number) => call('searches.remove', { id }),
    onSuccess: () => {
      notify('Deleted the saved search')
      return queries.invalidateQueries({ queryKey: ['searches.list'] })
    },
  })
  return (
    <>
      <Empty icon={Search} title="Search everything you and Claude said">
        <p>
          Finds prompts, answers, thinking and summaries, including what compaction dropped. Press{' '}
          <kbd className="font-mono">space</kbd> to put a hit into a pack, one text to hand to Claude, or{' '}
          <kbd className="font-mono">m</kbd> to remember it, so that it ranks first.
        </p>
        {asked?.length === 0 && <NothingYet />}
        {example !== null && (
          <p>
            For example{' '}
            <Link to="/recall" search={{ q: example }} className="text-accent underline">
              {example}
            </Link>
          </p>
        )}
      </Empty>
      <div className="gap-x-8 px-4 min-[1100px]:columns-2">
        {saved.length > 0 && (
          <Group title="Saved searches">
            {saved.map((search) => (
              <li key={search.id} className="flex items-center gap-1">
                <Link to="/recall" search={recallSearchState(parseAddress(search.address))} className={ROW}>
                  <Save className="size-4 shrink-0 text-faint" aria-hidden />
                  <span className="truncate">{search.name}</span>
                </Link>
                <Button
                  look="ghost"
                  size="icon"
                  aria-label={`Delete saved search ${search.name}`}
                  onClick={() => forget.mutate(search.id)}
                >
                  <X className="size-4" aria-hidden />
                </Button>
              </li>
            ))}
          </Group>
        )}
        {isDemo && (
          <Group title="Try in this demo">
            <Searches icon={Search} texts={DEMO_SEARCHES} />
          </Group>
        )}
        {recent.length > 0 && (
          <Group title="Recent searches">
            <Searches icon={Clock} texts={recent} />
          </Group>
        )}
        <Events title="Decided recently" icon={Scale} items={decided} />
        <Events title="Asked again and again" icon={Repeat} items={keptAsking(prompts)} />
        {(memories.length > 0 || MEMORY_FILTERS.narrow(state)) && (
          <Group
            title="Remembered"
            actions={
              <FilterBar
                filters={MEMORY_FILTERS}
                state={state}
                onChange={(change) => onChange({ ...state, ...change })}
              />
            }
          >
            {memories.map((memory) => (
              <MemoryRow key={memory.uuid} memory={memory} />
            ))}
          </Group>
        )}
      </div>
    </>
  )
}

interface EventsProps {
  readonly title: string
  readonly icon: LucideIcon
  readonly items: readonly (Pick<Hit, 'uuid' | 'session_id' | 'content'> & { readonly asked?: number | undefined })[]
}

/** Links to events, each as one line. */
function Events({ title, icon: Icon, items }: EventsProps) {
  if (items.length === 0) return null
  return (
    <Group title={title}>
      {items.map(({ uuid, session_id: sessionId, content, asked }) => (
        <li key={uuid}>
          <Link {...toSession(sessionId, { event: uuid })} className={ROW}>
            <Icon className="size-4 shrink-0 text-faint" aria-hidden />
            <span className="line-clamp-2">{visibleText(plainLine(withoutSigns(fromMark(content))))}</span>
            {asked !== undefined && <span className="shrink-0 text-meta text-faint">{asked} times</span>}
          </Link>
        </li>
      ))}
    </Group>
  )
}

function Searches({ icon: Icon, texts }: { readonly icon: LucideIcon; readonly texts: readonly string[] }) {
  return texts.map((text) => (
    <li key={text}>
      <Link to="/recall" search={{ q: text }} className={ROW}>
        <Icon className="size-4 shrink-0 text-faint" aria-hidden />
        <span className="truncate">{text}</span>
      </Link>
    </li>
  ))
}

const ROW = 'flex min-w-0 flex-1 items-center gap-2.5 rounded-small px-2 py-1.5 text-small hover:bg-hover'

function Group({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="mb-6 break-inside-avoid">
      <div className="mb-1 flex flex-wrap items-center gap-2 px-2">
        <h2 className="label">{title}</h2>
        {actions}
      </div>
      <ul className="flex flex-col">{children}</ul>
    </section>
  )
}
