import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { UserRound } from 'lucide-react'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { CopyButton, copyText } from '../../components/copy-button.tsx'
import { ProjectSelect } from '../../components/project-select.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { Empty, Failed, LoadingRows } from '../../components/states.tsx'
import { formatExact, formatMoment, plural, projectName } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/hotkeys.ts'
import { snippetText } from '../../lib/snippet.ts'
import { useQueryText } from '../../lib/use-query-text.ts'
import { promptsQuery } from './queries.ts'
import { Badge } from '../../components/badge.tsx'
import { ScrollRegion } from '../../components/scroll-region.tsx'

const route = getRouteApi('/recall')

/** All prompts that were ever asked, newest first. */
export function PromptsTab({ input }: { input: RefObject<HTMLInputElement | null> }) {
  const search = route.useSearch()
  const navigateHere = route.useNavigate()
  const navigate = useNavigate()
  const [text, setText] = useQueryText(
    search.q,
    (q) => void navigateHere({ search: (now) => ({ ...now, q }), replace: true }),
  )
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    promptsQuery(search.q ?? '', search.project),
  )
  const prompts = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data])
  const asked = useMemo(() => countTexts(prompts.map((prompt) => prompt.content)), [prompts])
  const [current, setCurrent] = useState(-1)
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: prompts.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 72,
    getItemKey: (index) => prompts[index]?.uuid ?? index,
    overscan: 8,
  })
  const items = virtualizer.getVirtualItems()
  const lastShown = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && lastShown >= prompts.length - 20) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, lastShown, prompts.length, fetchNextPage])

  const move = (by: number) => {
    const next = Math.max(0, Math.min(prompts.length - 1, current + by))
    setCurrent(next)
    virtualizer.scrollToIndex(next)
  }
  useHotkeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => {
      const prompt = prompts[current]
      if (prompt)
        void navigate({
          to: '/sessions/$sessionId',
          params: { sessionId: prompt.session_id },
          search: { event: prompt.uuid },
        })
    },
    c: () => {
      const prompt = prompts[current]
      if (prompt) void copyText(snippetText(prompt.content), 'Copied the prompt')
    },
  })

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="w-full shrink-0 px-6 pb-3">
        <div className="mx-auto max-w-[64rem]">
          <SearchBox
            big
            inputRef={input}
            value={text}
            onChange={setText}
            label="Search your prompts"
            placeholder="Search your prompts"
          />
          <div className="mt-3 flex items-center justify-between">
            <p className="px-4 text-meta text-faint" role="status">
              {data && `${plural(prompts.length, 'prompt')}${hasNextPage ? ', more as you scroll' : ''}`}
            </p>
            <ProjectSelect
              value={search.project}
              onChange={(project) => void navigateHere({ search: (now) => ({ ...now, project }), replace: true })}
            />
          </div>
        </div>
      </div>
      {error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <LoadingRows />
      ) : prompts.length === 0 ? (
        <Empty icon={UserRound} title={search.q === undefined ? 'No prompts yet' : 'No prompt holds these words'}>
          <p>
            {search.q === undefined
              ? 'What you ask Claude Code stands here, word for word.'
              : 'Try fewer or other words.'}
          </p>
        </Empty>
      ) : (
        <ScrollRegion ref={scroller} label="Prompts" className="min-h-0 flex-1 px-6 pb-8">
          <ol className="relative mx-auto max-w-[64rem]" style={{ height: virtualizer.getTotalSize() }}>
            {items.map((item) => {
              const prompt = prompts[item.index]
              const times = asked.get(snippetText(prompt?.content ?? '')) ?? 1
              return (
                prompt && (
                  <li
                    key={item.key}
                    ref={virtualizer.measureElement}
                    data-index={item.index}
                    aria-current={item.index === current ? 'true' : undefined}
                    className="absolute inset-x-0 top-0"
                    style={{ transform: `translateY(${item.start}px)` }}
                  >
                    <div
                      className={`group relative flex items-start gap-3 rounded-medium border px-4 py-2.5 ${item.index === current ? 'border-accent bg-surface' : 'border-transparent hover:bg-surface'}`}
                    >
                      <UserRound className="mt-0.5 size-4 shrink-0 text-k-prompt" aria-hidden />
                      <div className="min-w-0 flex-1">
                        <Link
                          to="/sessions/$sessionId"
                          params={{ sessionId: prompt.session_id }}
                          search={{ event: prompt.uuid }}
                          className="traffic line-clamp-3 block after:absolute after:inset-0"
                        >
                          <Snippet content={prompt.content} />
                        </Link>
                        <p className="mt-0.5 flex items-center gap-3 text-meta text-faint">
                          <time dateTime={prompt.timestamp} title={formatExact(prompt.timestamp)}>
                            {formatMoment(prompt.timestamp)}
                          </time>
                          <span className="truncate">{projectName(prompt.project)}</span>
                          {times > 1 && (
                            <Badge title="Among the prompts that are loaded here">asked {times} times</Badge>
                          )}
                        </p>
                      </div>
                      <div className="relative z-10 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
                        <CopyButton
                          text={snippetText(prompt.content)}
                          said="Copied the prompt"
                          name="Copy the prompt"
                        />
                      </div>
                    </div>
                  </li>
                )
              )
            })}
          </ol>
        </ScrollRegion>
      )}
    </div>
  )
}

function countTexts(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(snippetText(text), (counts.get(snippetText(text)) ?? 0) + 1)
  return counts
}
