import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { UserRound } from 'lucide-react'
import { type RefObject, useMemo, useRef, useState } from 'react'
import { copyText } from '../../components/copy-button.tsx'
import { loaded } from '../../components/loaded.tsx'
import { ProjectSelect } from '../../components/project-select.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { Empty } from '../../components/states.tsx'
import { VirtualList, type VirtualListHandle } from '../../components/virtual-list.tsx'
import { plural } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/hotkeys.ts'
import { useOperationPages } from '../../lib/operation.ts'
import { snippetText } from '../../lib/snippet.ts'
import { useQueryText } from '../../lib/use-query-text.ts'
import { foldPrompts } from './fold-prompts.ts'
import { PromptRow } from './prompt-row.tsx'
import { WhenSelect } from './recall-filters.tsx'
import { type RecallState, spanOf } from './recall-search.ts'
import { toSession } from '../../lib/places.ts'

const route = getRouteApi('/recall')

/** Every prompt, newest first. */
export function PromptsTab({ input }: { input: RefObject<HTMLInputElement | null> }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const openEvent = useNavigate()
  const change = (fields: Partial<RecallState>) =>
    void navigate({ search: (now) => ({ ...now, ...fields }), replace: true })
  const [text, setText] = useQueryText(search.q, (q) => change({ q }))
  const wanted = { query: search.q ?? '', limit: 100, project: search.project }
  const query = useOperationPages('prompts.search', wanted, { keepsPrevious: true, moving: spanOf(search.range) })
  const { data, items, hasNextPage } = query
  const prompts = useMemo(() => foldPrompts(items), [items])
  const [current, setCurrent] = useState(-1)
  const list = useRef<VirtualListHandle>(null)

  const move = (by: number) => {
    const next = Math.max(0, Math.min(prompts.length - 1, current + by))
    setCurrent(next)
    list.current?.scrollTo(next)
  }
  useHotkeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => {
      const prompt = prompts[current]
      if (!prompt) return
      const { session_id: sessionId, uuid } = prompt
      void openEvent(toSession(sessionId, { event: uuid }))
    },
    c: () => {
      const prompt = prompts[current]
      if (prompt) void copyText(snippetText(prompt.content), 'Copied the prompt')
    },
  })

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="w-full shrink-0 px-6 pb-3 max-[700px]:px-4">
        <div className="mx-auto max-w-[64rem]">
          <SearchBox
            big
            inputRef={input}
            value={text}
            onChange={setText}
            label="Search your prompts"
            placeholder="Search your prompts"
          />
          <div className="mt-3 flex items-center justify-between gap-3">
            <p className="px-4 text-meta text-faint" role="status">
              {data && (hasNextPage ? `${prompts.length}+ prompts` : plural(prompts.length, 'prompt'))}
            </p>
            <span className="flex gap-2">
              <ProjectSelect value={search.project} onChange={(project) => change({ project })} />
              <WhenSelect value={search.range} onChange={(range) => change({ range })} />
            </span>
          </div>
        </div>
      </div>
      {loaded(
        {
          query,
          empty: prompts.length === 0 && (
            <NoPrompts isSearching={(search.q ?? search.range ?? search.project) !== undefined} />
          ),
        },
        () => (
          <VirtualList
            ref={list}
            label="Prompts"
            items={prompts}
            keyOf={(prompt) => prompt.uuid}
            estimate={() => 72}
            onNearEnd={hasNextPage && !query.isFetchingNextPage ? () => void query.fetchNextPage() : undefined}
            className="min-h-0 flex-1 px-6 pb-8 max-[700px]:px-4"
            listClassName="mx-auto max-w-[64rem]"
            rowProps={(_, index) => ({ 'aria-current': index === current ? 'true' : undefined })}
          >
            {(prompt, index) => <PromptRow prompt={prompt} times={prompt.asked ?? 1} isCurrent={index === current} />}
          </VirtualList>
        ),
      )}
    </div>
  )
}

function NoPrompts({ isSearching }: { isSearching: boolean }) {
  return isSearching ? (
    <Empty icon={UserRound} title="No matching prompts">
      <p>Try fewer or different words.</p>
    </Empty>
  ) : (
    <Empty icon={UserRound} title="No prompts yet">
      <p>Every prompt you send to Claude Code appears here, word for word.</p>
    </Empty>
  )
}
